import type * as http from 'node:http';
import * as http2 from 'node:http2';
import * as https from 'node:https';
import { describe, expect, test } from 'vitest';
import { createSelfSignedCertificate } from '../../../test/support/certificate.ts';
import { listenOnLoopback, type LoopbackServer } from '../../../test/support/loopback.ts';
import { systemClock } from '../../base/clock.ts';
import { streamChat } from './stream-chat.ts';
import type { ChatEvent } from './chat-types.ts';
import { CircuitBreakers } from '../http/circuit-breaker.ts';
import type { ServiceContext } from '../http/client.ts';
import { streamCompletionBatches } from './completions.ts';
import { createDirectTransport } from '../http/direct-transport.ts';
import type { StreamOptions } from './stream-chat.ts';

const certificate = createSelfSignedCertificate('localhost');
const cancelCount = 10;

type EventBatches = AsyncIterable<readonly ChatEvent[]>;
const streams: readonly [
  string,
  (context: ServiceContext, options: StreamOptions) => EventBatches,
][] = [
  ['chat', (context, options) => streamChat(context, { model: 'm', messages: [] }, options)],
  [
    'completion',
    (context, options) => streamCompletionBatches(context, { model: 'm', prompt: '' }, options),
  ],
];

describe.each(streams)('canceling a %s stream', (_description, stream) => {
  test.each(['before', 'after'] as const)(
    '%s the first byte of its response keeps the HTTP/2 connection for the next request',
    async (timing) => {
      await using server = await startSlowServer('h2', timing);
      await using client = createClient(server);
      for (let requestNumber = 1; requestNumber <= cancelCount; requestNumber++) {
        expect(
          await runAndAbortStream(stream, {
            server,
            client,
            requestNumber,
            timing,
          }),
        ).toEqual(expectedEventTypes[timing]);
      }
      expect(server.countConnections()).toBe(1);
    },
  );

  test.each(['before', 'after'] as const)(
    '%s the first byte of its response leaves a spare HTTP/1.1 connection for the next request',
    async (timing) => {
      await using server = await startSlowServer('http/1.1', timing);
      await using client = createClient(server);
      for (let requestNumber = 1; requestNumber <= cancelCount; requestNumber++) {
        // Except for the first request, no connection is opened for the request itself.
        const previousCount = server.countConnections();
        expect(
          await runAndAbortStream(stream, {
            server,
            client,
            requestNumber,
            timing,
          }),
        ).toEqual(expectedEventTypes[timing]);
        expect(server.countConnectionsAt(requestNumber)).toBe(Math.max(1, previousCount));
        await server.waitForHandshakes(requestNumber + 1);
      }
      expect(server.countConnections()).toBe(cancelCount + 1);
    },
  );

  test('closes its HTTP/2 stream on the server before the next request arrives', async () => {
    await using server = await startSlowServer('h2', 'after');
    await using client = createClient(server);
    const abortControllers = Array.from({ length: cancelCount + 1 }, () => new AbortController());
    const readPromises: Promise<unknown>[] = [];
    for (const [index, { signal }] of abortControllers.entries()) {
      // Nothing is awaited between an abort and the next request.
      abortControllers[index - 1]?.abort();
      readPromises.push(Array.fromAsync(stream(client.context, { signal, disableRetries: true })));
      await server.waitForRequests(index + 1);
    }
    abortControllers.at(-1)?.abort();
    await Promise.all(readPromises);
    const repeatedSteps = abortControllers.slice(1).flatMap(() => ['closed', 'came']);
    expect(server.listEvents()).toEqual(['came', ...repeatedSteps]);
  });

  test('by leaving the iteration closes the HTTP/1.1 connection', async () => {
    await using server = await startSlowServer('http/1.1', 'after');
    await using client = createClient(server);
    for await (const batch of stream(client.context, { signal: new AbortController().signal })) {
      if (batch.some(({ type }) => type === 'text-delta')) break;
    }
    await server.waitForCancellations(1);
  });
});

const expectedEventTypes = {
  before: ['stream-end'],
  after: ['stream-start', 'text-delta', 'stream-end'],
} as const;

/**
 * Sends a request and aborts it when it arrives at the server (`before`) or after the first text (`after`). Returns the
 * received event types.
 */
async function runAndAbortStream(
  stream: (context: ServiceContext, options: StreamOptions) => EventBatches,
  options: {
    server: SlowServer;
    client: StreamingClient;
    requestNumber: number;
    timing: 'before' | 'after';
  },
): Promise<string[]> {
  const { server, client, requestNumber, timing } = options;
  const abortController = new AbortController();
  const types: string[] = [];
  const read = async (): Promise<void> => {
    for await (const batch of stream(client.context, {
      signal: abortController.signal,
      disableRetries: true,
    })) {
      types.push(...batch.map(({ type }) => type));
      if (types.includes('text-delta')) abortController.abort();
    }
  };
  const readPromise = read();
  await server.waitForRequests(requestNumber);
  if (timing === 'before') abortController.abort();
  await readPromise;
  await server.waitForCancellations(requestNumber);
  return types;
}

interface SlowServer extends LoopbackServer {
  /** Resolves when the server has received at least `count` requests. */
  waitForRequests(count: number): Promise<void>;
  /** Returns the number of connections that were open when request number `requestNumber` (from 1) arrived. */
  countConnectionsAt(requestNumber: number): number;
  /** Resolves when the client has aborted at least `count` requests. */
  waitForCancellations(count: number): Promise<void>;
  /**
   * Lists the events of all requests in order: `came` when a request arrives and `closed` when it ends. Omits the
   * events after the last `came`, because the last request can still be open.
   */
  listEvents(): readonly string[];
  /** Resolves when the server has completed at least `count` TLS handshakes. */
  waitForHandshakes(count: number): Promise<void>;
}

/** Starts a TLS server that never completes a response. The server sends the first byte only if `timing` is `after`. */
async function startSlowServer(
  protocol: 'h2' | 'http/1.1',
  timing: 'before' | 'after',
): Promise<SlowServer> {
  const [arrivalCounter, cancellationCounter, handshakeCounter] = [
    createRequestCounter(),
    createRequestCounter(),
    createRequestCounter(),
  ];
  const connectionCounts: number[] = [0];
  const steps: string[] = [];
  const answer: http.RequestListener = (_, response) => {
    response.on('close', () => {
      steps.push('closed');
      cancellationCounter.addRequest();
    });
    steps.push('came');
    connectionCounts.push(loopback.countConnections());
    arrivalCounter.addRequest();
    if (timing === 'before') return;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: {"choices":[{"text":"f"}]}\n\n');
  };
  const server =
    protocol === 'h2'
      ? // The HTTP/2 compatibility API supports every method used here.
        http2.createSecureServer(certificate, answer as never)
      : https.createServer(certificate, answer);
  server.on('secureConnection', handshakeCounter.addRequest);
  const loopback = await listenOnLoopback(server);
  return {
    ...loopback,
    waitForRequests: arrivalCounter.waitForCount,
    countConnectionsAt: (requestNumber) => connectionCounts[requestNumber] ?? 0,
    waitForCancellations: cancellationCounter.waitForCount,
    listEvents: () => steps.slice(0, steps.lastIndexOf('came') + 1),
    waitForHandshakes: handshakeCounter.waitForCount,
  };
}

interface RequestCounter {
  readonly addRequest: () => void;
  /** Resolves when the counter is at least `count`. */
  readonly waitForCount: (count: number) => Promise<void>;
}

function createRequestCounter(): RequestCounter {
  const resolversByCount = new Map<number, PromiseWithResolvers<void>>();
  let count = 0;
  const getResolvers = (count: number): PromiseWithResolvers<void> => {
    const resolvers = resolversByCount.get(count) ?? Promise.withResolvers<void>();
    resolversByCount.set(count, resolvers);
    return resolvers;
  };
  return {
    addRequest: () => getResolvers(++count).resolve(),
    waitForCount: (count) => getResolvers(count).promise,
  };
}

interface StreamingClient extends AsyncDisposable {
  readonly context: ServiceContext;
}

function createClient(server: LoopbackServer): StreamingClient {
  const transport = createDirectTransport({ ca: [certificate.cert] });
  return {
    context: {
      getEndpoint: async () => ({
        baseUrl: new URL(`https://localhost:${server.port}/api/v1`),
        vendorPrefix: 'service',
        apiKey: 'test-key-123',
      }),
      getTransport: async () => transport,
      clock: systemClock,
      breakers: new CircuitBreakers(systemClock),
      random: () => 0,
    },
    [Symbol.asyncDispose]: () => transport.close(),
  };
}
