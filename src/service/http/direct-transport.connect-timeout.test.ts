import * as https from 'node:https';
import * as net from 'node:net';
import { expect, test, vi } from 'vitest';
import { flattenBatches } from '../../../test/support/batches.ts';
import { createSelfSignedCertificate } from '../../../test/support/certificate.ts';
import { listenOnLoopback } from '../../../test/support/loopback.ts';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { streamChat } from '../chat/stream-chat.ts';
import { readSpeech } from '../speech.ts';
import { CircuitBreakers } from './circuit-breaker.ts';
import type { ServiceContext } from './client.ts';
import { createDirectTransport } from './direct-transport.ts';

const certificate = createSelfSignedCertificate('localhost');
const { signal } = new AbortController();
/** Connect timeout of a request in milliseconds. */
const connectTimeoutMs = 15_000;

const serviceCalls: readonly (readonly [string, (context: ServiceContext) => Promise<unknown>])[] =
  [
    [
      'a streamed chat',
      (context) =>
        Array.fromAsync(
          flattenBatches(streamChat(context, { model: 'm', messages: [] }, { signal })),
        ),
    ],
    [
      'a paid request',
      (context) => readSpeech(context, { model: 'm', input: 'Hello', format: 'wav' }, { signal }),
    ],
  ];

test.each(serviceCalls)(
  '%s is sent exactly once, over the third connection, if the server completes no TLS handshake on the first two connections',
  async (_description, run) => {
    let requestCount = 0;
    const secureServer = https.createServer(certificate, (request, response) => {
      requestCount += 1;
      request.resume().once('end', () => response.writeHead(400).end('{"error":"refused"}'));
    });
    let connectionCount = 0;
    // A connection whose TLS handshake does not complete can carry no request.
    const server = net.createServer((socket) => {
      connectionCount += 1;
      if (connectionCount > 2) secureServer.emit('connection', socket);
    });
    await using loopbackServer = await listenOnLoopback(server);
    const clock = new ManualClock();
    const transport = createDirectTransport({ ca: [certificate.cert] }, clock);
    const context: ServiceContext = {
      getEndpoint: async () => ({
        baseUrl: new URL(`https://localhost:${loopbackServer.port}/api/v1`),
        vendorPrefix: 'service',
      }),
      getTransport: async () => transport,
      clock,
      breakers: new CircuitBreakers(clock),
      random: () => 0.5,
    };
    const resultPromise = run(context).catch((error: unknown) => error);
    for (const count of [1, 2]) {
      await vi.waitFor(() => expect(loopbackServer.countConnections()).toBe(count));
      await clock.advance(connectTimeoutMs);
      // The delay before the next attempt.
      await vi.waitFor(() => expect(clock.nextTimerMs).toBeLessThan(connectTimeoutMs));
      await clock.advance(clock.nextTimerMs ?? 0);
    }
    await resultPromise;
    expect(loopbackServer.countConnections()).toBe(3);
    expect(requestCount).toBe(1);
    await transport.close();
  },
);
