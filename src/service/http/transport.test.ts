import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { startHttpServer, startRawServer } from '../../../test/support/loopback.ts';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import type { Clock } from '../../base/clock.ts';
import { createDirectTransport } from './direct-transport.ts';
import { createEditorTransport } from './editor-transport.ts';
import { ServiceError, type ServiceFailure } from './failure.ts';
import type { Transport, TransportRequest, TransportResponse } from './client.ts';

const transports: readonly [string, (clock?: Clock) => Transport][] = [
  ['direct', (clock) => createDirectTransport({}, clock)],
  ['editor', (clock) => createEditorTransport(globalThis.fetch, clock)],
];
/** Timeouts that are long enough for delays on a busy machine. */
const longTimeouts = { connectMs: 60_000, headersMs: 60_000, idleMs: 60_000 };

describe.each(transports)('the %s transport', (_name, create) => {
  test('sends method, path, headers and body, and returns status, headers and bytes', async () => {
    await using server = await startHttpServer((request, response) => {
      request.setEncoding('utf8').on('data', (body: string) => {
        response.writeHead(418, {
          'X-Seen': `${request.method} ${request.url}`,
          'X-Two': ['a', 'b'],
        });
        response.end(`${String(request.headers['x-own'])} ${body}`);
      });
    });
    const response = await create().send(
      createRequest(server.port, { path: '/p?q=1', headers: { 'x-own': 'yes' }, body: 'ä' }),
    );
    expect(response.status).toBe(418);
    expect(response.headers).toMatchObject({ 'x-seen': 'POST /p?q=1', 'x-two': 'a, b' });
    expect(await readBodyText(response)).toBe('yes ä');
  });

  test.each([
    ['gzip', gzipSync('packed text')],
    ['br', brotliCompressSync('packed text')],
  ])('decompresses a response body with the encoding %s', async (encoding, packedBytes) => {
    await using server = await startHttpServer((_, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end(packedBytes);
    });
    expect(await readBodyText(await create().send(createRequest(server.port)))).toBe('packed text');
  });

  test.each([301, 302, 307, 308])('does not follow a redirect with status %i', async (status) => {
    await using redirectTarget = await startHttpServer((_, response) => response.end());
    await using server = await startHttpServer((_, response) => {
      response.writeHead(status, { location: `http://127.0.0.1:${redirectTarget.port}/` }).end();
    });
    expect(await getFailure(create().send(createRequest(server.port)))).toMatchObject({
      code: 'redirected',
    });
    expect(redirectTarget.countConnections()).toBe(0);
  });

  test('reports an unknown host and a closed port as offline', async () => {
    const closedServer = await startHttpServer(() => {});
    await closedServer[Symbol.asyncDispose]();
    const unknownHostRequest = {
      ...createRequest(closedServer.port),
      url: new URL('https://nowhere.invalid/'),
    };
    expect(await getFailure(create().send(createRequest(closedServer.port)))).toMatchObject({
      code: 'offline',
    });
    expect(await getFailure(create().send(unknownHostRequest))).toMatchObject({ code: 'offline' });
  });

  test.each<[string, (socket: Socket) => void, string]>([
    ['that closes without a response', (socket) => socket.end(), 'interrupted'],
    ['that resets without a response', (socket) => socket.resetAndDestroy(), 'interrupted'],
    ['that does not use HTTP', (socket) => socket.end('SSH-2.0\r\n'), 'unexpected-response'],
  ])('reports the failure code "$2" for a connection %s', async (_description, answer, code) => {
    await using server = await startRawServer(answer);
    expect(await getFailure(create().send(createRequest(server.port)))).toMatchObject({ code });
  });

  const head = 'HTTP/1.1 200 OK\r\n';
  test.each([
    ['is reset', `${head}transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n`, 'resetAndDestroy'],
    ['ends mid-chunk', `${head}transfer-encoding: chunked\r\n\r\n9\r\nabc`, 'end'],
    ['ends short of its length', `${head}content-length: 9\r\n\r\nabc`, 'end'],
  ] as const)(
    'returns the bytes received before the body %s',
    async (_description, responseText, ending) => {
      const firstBytesRead = Promise.withResolvers<void>();
      await using server = await startRawServer((socket) => {
        socket.write(responseText);
        void firstBytesRead.promise.then(() => socket[ending]());
      });
      const response = await create().send(createRequest(server.port));
      const receivedChunks: string[] = [];
      const failure = await getFailure(
        (async () => {
          for await (const chunk of response.body) {
            receivedChunks.push(new TextDecoder().decode(chunk));
            firstBytesRead.resolve();
          }
        })(),
      );
      expect(receivedChunks.join('')).toBe('abc');
      expect(failure).toMatchObject({ code: 'interrupted' });
    },
  );

  test('fails with a timeout and closes the connection if no headers arrive', async () => {
    await using server = await startHttpServer(() => {});
    const lateRequest = createRequest(server.port, {
      timeouts: { connectMs: 30, headersMs: 30, idleMs: 30 },
    });
    expect(await getFailure(create().send(lateRequest))).toMatchObject({ code: 'timeout' });
    await server.closePromise;
  });

  test('fails with a timeout and closes the connection if the body stalls', async () => {
    await using server = await startHttpServer((_, response) => response.write('abc'));
    const stalledRequest = createRequest(server.port, {
      timeouts: { ...longTimeouts, idleMs: 30 },
    });
    const response = await create().send(stalledRequest);
    expect(await getFailure(readBodyText(response))).toMatchObject({ code: 'timeout' });
    await server.closePromise;
  });

  test('reads a slow body to the end if each byte arrives within the idle timeout', async () => {
    const clock = new ManualClock();
    const responseStarted = Promise.withResolvers<ServerResponse>();
    await using server = await startHttpServer((_, response) => {
      response.write('.');
      responseStarted.resolve(response);
    });
    const slowRequest = createRequest(server.port, { timeouts: { ...longTimeouts, idleMs: 300 } });
    const response = await create(clock).send(slowRequest);
    const serverResponse = await responseStarted.promise;
    let text = '';
    for await (const bytes of response.body) {
      text += Buffer.from(bytes).toString();
      if (text.length === 8) serverResponse.end();
      else {
        await clock.advance(200);
        serverResponse.write('.');
      }
    }
    expect(text).toBe('........');
  });

  test('sends no request if the signal is already aborted', async () => {
    await using server = await startHttpServer((_, response) => response.end());
    const abortedSignal = AbortSignal.abort();
    const failure = await getFailure(
      create().send(createRequest(server.port, { signal: abortedSignal })),
    );
    expect(failure).toMatchObject({ code: 'stopped' });
    expect(server.countConnections()).toBe(0);
  });

  test('closes the connection immediately when aborted before the response headers', async () => {
    const abortController = new AbortController();
    await using server = await startHttpServer(() => abortController.abort());
    const failure = await getFailure(
      create(new ManualClock()).send(
        createRequest(server.port, { signal: abortController.signal }),
      ),
    );
    expect(failure).toMatchObject({ code: 'stopped' });
    await server.closePromise;
  });

  test('closes the connection immediately when aborted during the response body', async () => {
    const abortController = new AbortController();
    await using server = await startHttpServer((_, response) => response.write('abc'));
    const response = await create(new ManualClock()).send(
      createRequest(server.port, { signal: abortController.signal }),
    );
    const failure = await getFailure(
      (async () => {
        for await (const _chunk of response.body) abortController.abort();
      })(),
    );
    expect(failure).toMatchObject({ code: 'stopped' });
    await server.closePromise;
  });

  test('closes the connection immediately when the caller stops reading', async () => {
    await using server = await startHttpServer((_, response) => response.write('abc'));
    const response = await create(new ManualClock()).send(createRequest(server.port));
    for await (const _chunk of response.body) break;
    await server.closePromise;
  });

  test('fails with the ServiceError that is the reason of the abort', async () => {
    const abortReason = new ServiceError({ code: 'timeout', message: 'own limit' });
    const abortController = new AbortController();
    await using server = await startHttpServer(() => abortController.abort(abortReason));
    const failure = await getFailure(
      create().send(createRequest(server.port, { signal: abortController.signal })),
    );
    expect(failure).toEqual(abortReason.failure);
  });

  test('fails for an invalid header value with an error that does not contain the value', async () => {
    const invalidRequest = createRequest(9, { headers: { authorization: 'Bearer canary\nvalue' } });
    const error: unknown = await create()
      .send(invalidRequest)
      .catch((error: unknown) => error);
    expect(describeError(error)).not.toContain('canary');
  });
});

function createRequest(
  port: number,
  { path = '/', ...rest }: Partial<TransportRequest> & { path?: string } = {},
): TransportRequest {
  return {
    method: 'POST',
    url: new URL(path, `http://127.0.0.1:${port}`),
    headers: {},
    body: '{}',
    signal: new AbortController().signal,
    timeouts: longTimeouts,
    ...rest,
  };
}

async function readBodyText({ body }: TransportResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function getFailure(promise: Promise<unknown>): Promise<ServiceFailure> {
  const error: unknown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (error instanceof ServiceError) return error.failure;
  throw new Error('expected a ServiceError', { cause: error });
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const errorText = JSON.stringify(error, Object.getOwnPropertyNames(error));
  return `${errorText} ${error.stack} ${error.cause === undefined ? '' : describeError(error.cause)}`;
}
