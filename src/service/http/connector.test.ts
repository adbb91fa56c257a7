import { execFile } from 'node:child_process';
import * as http from 'node:http';
import * as http2 from 'node:http2';
import * as https from 'node:https';
import * as net from 'node:net';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createSelfSignedCertificate } from '../../../test/support/certificate.ts';
import {
  startHttpServer,
  listenOnLoopback,
  type LoopbackServer,
} from '../../../test/support/loopback.ts';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import type { ConnectionSettings } from './connector.ts';
import { createDirectTransport } from './direct-transport.ts';
import { ServiceError } from './failure.ts';
import type { Transport } from './client.ts';

const certificate = createSelfSignedCertificate('api.service.test', 'localhost');

test('the direct transport reuses one connection for consecutive requests', async () => {
  await using server = await startHttpServer((_, response) => response.end('ok'));
  const transport = createDirectTransport();
  const url = `http://127.0.0.1:${server.port}/`;
  expect(await getOutcome(transport, url)).toBe('200 ok');
  // The connection becomes reusable one turn of the event loop after the end of a response.
  await new Promise((resolve) => setImmediate(resolve));
  expect(await getOutcome(transport, url)).toBe('200 ok');
  expect(server.countConnections()).toBe(1);
});

test('the direct transport reports a truncated gzip body as interrupted', async () => {
  const compressedBody = gzipSync('a text that is cut off '.repeat(50));
  await using server = await startHttpServer((_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(compressedBody.subarray(0, 30));
  });
  expect(await getOutcome(createDirectTransport(), `http://127.0.0.1:${server.port}/`)).toBe(
    'interrupted',
  );
});

test('the direct transport reports a request on a closed transport as offline and leaves no timer', async () => {
  const clock = new ManualClock();
  const transport = createDirectTransport({}, clock);
  await transport.close();
  expect(await getOutcome(transport, 'http://127.0.0.1:9/')).toBe('offline');
  expect(clock.pendingTimerCount).toBe(0);
});

test.each(['constructor', '__proto__'])(
  'the direct transport does not change a body with the unknown encoding "%s"',
  async (encoding) => {
    await using server = await startHttpServer((_, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end('plain');
    });
    expect(await getOutcome(createDirectTransport(), `http://127.0.0.1:${server.port}/`)).toBe(
      '200 plain',
    );
  },
);

test('the direct transport pauses a fast server while the caller reads slowly', async () => {
  let writtenBytes = 0;
  await using server = await startHttpServer((_, response) => {
    const chunk = Buffer.alloc(64 * 1024);
    const write = (): void => {
      while (writtenBytes < 64 * 1024 * 1024 && response.write(chunk)) writtenBytes += chunk.length;
    };
    response.on('drain', write);
    write();
  });
  const response = await createDirectTransport().send({
    ...createGetRequest(`http://127.0.0.1:${server.port}/`),
  });
  await new Promise((resolve) => setTimeout(resolve, 200));
  const chunkIterator = response.body[Symbol.asyncIterator]();
  await chunkIterator.return?.();
  // Upper bound for the socket buffers of client and server, far below the size of the response.
  expect(writtenBytes).toBeLessThan(32 * 1024 * 1024);
});

describe('HTTPS connections', () => {
  test('use HTTP/2 if the server offers it', async () => {
    const secureServer = http2.createSecureServer(
      { ...certificate, allowHTTP1: true },
      (request, response) => {
        response.end(request.httpVersion);
      },
    );
    await using server = await listenOnLoopback(secureServer);
    await using transport = toDisposableTransport(
      createDirectTransport({ ca: [certificate.cert] }),
    );
    expect(await getOutcome(transport, `https://localhost:${server.port}/`)).toBe('200 2.0');
  });

  test('close only the HTTP/2 stream of an aborted request and keep the connection', async () => {
    const abortController = new AbortController();
    const streamClosed = Promise.withResolvers<void>();
    const secureServer = http2.createSecureServer(certificate, (request, response) => {
      if (request.url === '/') return response.end('free');
      response.stream.on('close', streamClosed.resolve);
      return abortController.abort();
    });
    await using server = await listenOnLoopback(secureServer);
    await using transport = toDisposableTransport(
      createDirectTransport({ ca: [certificate.cert] }),
    );
    const url = `https://localhost:${server.port}/`;
    const stoppedRequest = { ...createGetRequest(`${url}slow`), signal: abortController.signal };
    await expect(transport.send(stoppedRequest)).rejects.toMatchObject({
      failure: { code: 'stopped' },
    });
    await streamClosed.promise;
    expect(await getOutcome(transport, url)).toBe('200 free');
  });

  test('reject an untrusted certificate with an error that names the setting to change', async () => {
    await using server = await startSecureServer();
    const url = `https://localhost:${server.port}/`;
    expect(await getOutcome(createDirectTransport(), url)).toBe('tls');
    const errorText = await createDirectTransport()
      .send(createGetRequest(url))
      .catch((error: unknown) => String(error));
    expect(errorText).toContain('http.systemCertificates');
  });

  test('reject a certificate for another host name', async () => {
    await using server = await startSecureServer();
    const transport = createDirectTransport({ ca: [certificate.cert] });
    expect(await getOutcome(transport, `https://127.0.0.1:${server.port}/`)).toBe('tls');
  });

  test('accept a certificate from a configured CA, or any certificate if strictSSL is off', async () => {
    await using server = await startSecureServer();
    const url = `https://localhost:${server.port}/`;
    const settings: ConnectionSettings[] = [{ ca: [certificate.cert] }, { strictSSL: false }];
    for (const setting of settings) {
      await using transport = toDisposableTransport(createDirectTransport(setting));
      expect(await getOutcome(transport, url)).toBe('200 secure');
    }
  });
});

describe('connections through a proxy', () => {
  test('reach a host that only the proxy can resolve, with the credentials of the proxy URL', async () => {
    await using server = await startSecureServer();
    await using proxy = await startProxy(server.port);
    await using transport = toDisposableTransport(
      createDirectTransport({
        proxy: { url: `http://me:p%40ss@127.0.0.1:${proxy.port}` },
        ca: [certificate.cert],
      }),
    );
    expect(await getOutcome(transport, 'https://api.service.test/')).toBe('200 secure');
    const basicAuthorization = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;
    expect(proxy.requestedHosts).toEqual([`api.service.test:443 ${basicAuthorization}`]);
  });

  test('use the proxy from the environment variables', async () => {
    await using server = await startSecureServer();
    await using proxy = await startProxy(server.port);
    const environment = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
    await using transport = toDisposableTransport(
      createDirectTransport({ environment, ca: [certificate.cert] }),
    );
    expect(await getOutcome(transport, 'https://api.service.test/')).toBe('200 secure');
    expect(proxy.requestedHosts).toEqual(['api.service.test:443 undefined']);
  });

  test('check the certificate of the target host', async () => {
    await using server = await startSecureServer();
    await using proxy = await startProxy(server.port);
    const transport = createDirectTransport({ proxy: { url: `http://127.0.0.1:${proxy.port}` } });
    expect(await getOutcome(transport, 'https://api.service.test/')).toBe('tls');
  });

  test.each([407, 403, 502])(
    'report that the proxy rejected the connection with status %i',
    async (status) => {
      await using proxy = await startProxy(0, status);
      const transport = createDirectTransport({ proxy: { url: `http://127.0.0.1:${proxy.port}` } });
      await expect(
        transport.send(createGetRequest('https://api.service.test/')),
      ).rejects.toMatchObject({
        failure: { code: 'proxy', status },
      });
    },
  );

  test('report a proxy that is unreachable or closes the connection', async () => {
    const closedServer = await startHttpServer(() => {});
    await closedServer[Symbol.asyncDispose]();
    await using closingServer = await listenOnLoopback(
      net.createServer((socket) => socket.destroy()),
    );
    for (const { port } of [closedServer, closingServer]) {
      const transport = createDirectTransport({ proxy: { url: `http://127.0.0.1:${port}` } });
      expect(await getOutcome(transport, 'https://api.service.test/')).toBe('proxy');
    }
  });
});

test('the direct transport leaves the global dispatchers of the process unchanged', async () => {
  const script = `
    const symbols = [1, 2].map((n) => Symbol.for('undici.globalDispatcher.' + n));
    const own = () => symbols.map((symbol) => globalThis[symbol]);
    const before = own();
    const { createDirectTransport } = await import('./src/service/http/direct-transport.ts');
    const transport = createDirectTransport();
    await transport.send({
      method: 'GET', url: new URL('http://127.0.0.1:9/'), headers: {},
      signal: new AbortController().signal, timeouts: { connectMs: 1e3, headersMs: 1e3, idleMs: 1e3 },
    }).catch(() => {});
    console.log(own().every((dispatcher, at) => dispatcher === before[at]));
  `;
  const args = ['--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(stdout.trim()).toBe('true');
});

const startSecureServer = (): Promise<LoopbackServer> =>
  listenOnLoopback(https.createServer(certificate, (_, response) => response.end('secure')));

/**
 * Starts a proxy that forwards every connection to `port`, or rejects every connection with the status `refusalStatus`.
 */
async function startProxy(
  port: number,
  refusalStatus?: number,
): Promise<LoopbackServer & { readonly requestedHosts: string[] }> {
  const requestedHosts: string[] = [];
  const proxy = http.createServer().on('connect', (request, socket) => {
    requestedHosts.push(`${request.url} ${request.headers['proxy-authorization']}`);
    if (refusalStatus !== undefined) return socket.end(`HTTP/1.1 ${refusalStatus} No\r\n\r\n`);
    const upstreamSocket = net.connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connected\r\n\r\n');
      upstreamSocket.pipe(socket).pipe(upstreamSocket);
    });
    return upstreamSocket.on('error', () => socket.destroy());
  });
  return Object.assign(await listenOnLoopback(proxy), { requestedHosts });
}

const createGetRequest = (url: string): Parameters<Transport['send']>[0] => ({
  method: 'GET',
  url: new URL(url),
  headers: {},
  signal: new AbortController().signal,
  timeouts: { connectMs: 60_000, headersMs: 60_000, idleMs: 60_000 },
});

/** Returns the status and text of a response, or the code of a failure. */
async function getOutcome(transport: Transport, url: string): Promise<string> {
  try {
    const { status, body } = await transport.send(createGetRequest(url));
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    return `${status} ${Buffer.concat(chunks).toString()}`;
  } catch (error) {
    if (error instanceof ServiceError) return error.failure.code;
    throw error;
  }
}

const toDisposableTransport = (transport: Transport): Transport & AsyncDisposable => ({
  ...transport,
  [Symbol.asyncDispose]: () => transport.close(),
});
