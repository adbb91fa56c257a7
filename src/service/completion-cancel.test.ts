import * as http2 from 'node:http2';
import { describe, expect, test } from 'vitest';
import { selfSigned } from '../../test/support/certificate.ts';
import { listen, type LoopbackServer } from '../../test/support/loopback.ts';
import { systemClock } from '../base/clock.ts';
import { streamChatBatches } from './chat.ts';
import type { ChatEvent } from './chat-types.ts';
import { CircuitBreakers } from './circuit-breaker.ts';
import type { ServiceContext } from './client.ts';
import { streamCompletionBatches } from './completions.ts';
import { createDirectTransport } from './direct-transport.ts';
import type { StreamOptions } from './stream-call.ts';

const certificate = selfSigned('localhost');
const cancels = 10;

type Batches = AsyncIterable<readonly ChatEvent[]>;
const streams: readonly [string, (context: ServiceContext, options: StreamOptions) => Batches][] = [
  ['chat', (context, options) => streamChatBatches(context, { model: 'm', messages: [] }, options)],
  [
    'completion',
    (context, options) => streamCompletionBatches(context, { model: 'm', prompt: '' }, options),
  ],
];

describe.each(streams)('a %s over HTTP/2 that is cancelled', (_what, stream) => {
  test.each(['before', 'after'] as const)(
    '%s its first byte costs the next request no handshake',
    async (when) => {
      await using server = await slowServer(when);
      const transport = createDirectTransport({ ca: [certificate.cert] });
      const context = contextOf(server, transport);
      for (let request = 1; request <= cancels; request++) {
        const stop = new AbortController();
        const types: string[] = [];
        const read = (async () => {
          for await (const batch of stream(context, { signal: stop.signal, isOnce: true })) {
            types.push(...batch.map(({ type }) => type));
            if (types.includes('text-delta')) stop.abort();
          }
        })();
        await server.arrived(request);
        if (when === 'before') stop.abort();
        await read;
        await server.cancelled(request);
        expect(types).toEqual(
          when === 'before' ? ['stream-end'] : ['stream-start', 'text-delta', 'stream-end'],
        );
      }
      expect(server.connections()).toBe(1);
      await transport.close();
    },
  );
});

interface SlowServer extends LoopbackServer {
  /** Resolves when so many requests have come. */
  arrived(requests: number): Promise<void>;
  /** Resolves when the client has closed so many requests. */
  cancelled(requests: number): Promise<void>;
}

/** Speaks HTTP/2 over TLS, and never ends an answer, whose first byte it sends or not. */
async function slowServer(cancel: 'before' | 'after'): Promise<SlowServer> {
  const arrivals = counter();
  const cancellations = counter();
  const server = http2.createSecureServer(certificate, (_, response) => {
    response.stream.on('close', cancellations.add);
    arrivals.add();
    if (cancel === 'before') return;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: {"choices":[{"text":"f"}]}\n\n');
  });
  const loopback = await listen(server);
  return { ...loopback, arrived: arrivals.reach, cancelled: cancellations.reach };
}

function counter(): { add: () => void; reach: (count: number) => Promise<void> } {
  const steps = new Map<number, PromiseWithResolvers<void>>();
  let count = 0;
  const stepOf = (at: number): PromiseWithResolvers<void> => {
    const step = steps.get(at) ?? Promise.withResolvers<void>();
    steps.set(at, step);
    return step;
  };
  return { add: () => stepOf(++count).resolve(), reach: (at) => stepOf(at).promise };
}

const contextOf = (
  server: LoopbackServer,
  transport: ReturnType<typeof createDirectTransport>,
): ServiceContext => ({
  endpoint: async () => ({
    baseUrl: new URL(`https://localhost:${server.port}/api/v1`),
    vendorWord: 'service',
    apiKey: 'test-key-123',
  }),
  transport: async () => transport,
  clock: systemClock,
  breakers: new CircuitBreakers(systemClock),
  random: () => 0,
});
