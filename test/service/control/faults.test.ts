import { once } from 'node:events';
import { Agent, request as send } from 'node:http';
import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Fault } from './faults.ts';
import { createChatRequest, startTestService } from '../test-service.ts';
import type { LocalService } from '../server.ts';

interface WireExchange {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
  /** Number of chunks received. */
  readonly chunkCount: number;
  /** Code of the socket error that ended the exchange, if any. */
  readonly error: string | undefined;
  readonly firstByteMs: number;
  readonly totalMs: number;
}

/** Sends one request through a plain socket. Returns all bytes that were received, even if an error follows them. */
function exchangeRequest(
  service: LocalService,
  body: object,
  options: { agent?: Agent; endPattern?: RegExp } = {},
): Promise<WireExchange> {
  const start = performance.now();
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let firstByteMs = Infinity;
    let status: number | undefined;
    let headers = {};
    const finish = (error?: string): void =>
      resolve({
        status,
        headers,
        body: Buffer.concat(chunks),
        chunkCount: chunks.length,
        error,
        firstByteMs,
        totalMs: performance.now() - start,
      });
    const request = send(`${service.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
      ...(options.agent && { agent: options.agent }),
    });
    request.on('error', (error: NodeJS.ErrnoException) => finish(error.code));
    request.on('response', (response) => {
      firstByteMs = performance.now() - start;
      ({ statusCode: status, headers } = response);
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        if (!options.endPattern?.test(Buffer.concat(chunks).toString())) return;
        finish();
        request.destroy();
      });
      response.on('end', () => finish());
      response.on('error', (error: NodeJS.ErrnoException) => finish(error.code));
    });
    request.end(JSON.stringify(body));
  });
}

const streamedRequest = createChatRequest('Hello', { stream: true });

async function exchangeWithFault(
  fault: Fault,
  body: object = streamedRequest,
): Promise<WireExchange> {
  const service = await startTestService();
  await service.control.injectFault({ match: { path: '/chat/completions' }, fault });
  const rawReply = await exchangeRequest(service, body);
  const nextReply = await exchangeRequest(service, body);
  expect(nextReply).toMatchObject({ status: 200, error: undefined });
  return rawReply;
}

describe('an injected fault of the kind', () => {
  test('`status` replies with the given body and headers', async () => {
    const fault = {
      kind: 'status',
      status: 429,
      body: 'slow down',
      headers: { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' },
    } as const;
    const rawReply = await exchangeWithFault(fault);
    expect(rawReply.status).toBe(429);
    expect(rawReply.body.toString()).toBe('slow down');
    expect(rawReply.headers['retry-after']).toBe('Wed, 21 Oct 2026 07:28:00 GMT');
  });

  test('`status` replies with a given object as JSON, and with an empty body on request', async () => {
    const objectReply = await exchangeWithFault({
      kind: 'status',
      status: 500,
      body: { error: { message: 'x' } },
    });
    expect(objectReply.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(JSON.parse(objectReply.body.toString())).toEqual({ error: { message: 'x' } });
    const emptyReply = await exchangeWithFault({ kind: 'status', status: 503, body: '' });
    expect(emptyReply).toMatchObject({ status: 503, body: Buffer.alloc(0) });
  });

  test('`delay` sends the headers late, but does not change the reply', async () => {
    const rawReply = await exchangeWithFault({ kind: 'delay', ms: 300 });
    expect(rawReply.firstByteMs).toBeGreaterThanOrEqual(299);
    expect(rawReply.body.toString()).toContain('[DONE]');
  });

  test('`drip` sends the whole body slowly in chunks', async () => {
    const rawReply = await exchangeWithFault({ kind: 'drip', bytes: 2000, everyMs: 20 });
    expect(rawReply.body.toString()).toMatch(/\[DONE\]\n\n$/);
    const pauseCount = Math.floor(rawReply.body.length / 2000);
    expect(pauseCount).toBeGreaterThan(2);
    expect(rawReply.chunkCount).toBeGreaterThanOrEqual(pauseCount);
    expect(rawReply.totalMs).toBeGreaterThanOrEqual(pauseCount * 18);
  });

  test('`drip` can pause after the first bytes of the body', async () => {
    const service = await startTestService();
    await service.control.injectFault({ fault: { kind: 'drip', bytes: 40, everyMs: 1_000_000 } });
    const rawReply = await exchangeRequest(service, streamedRequest, { endPattern: /./u });
    expect(rawReply).toMatchObject({ status: 200, chunkCount: 1 });
    expect(rawReply.body).toHaveLength(40);
  });

  test.each([1, 100, 1000])(
    '`reset` resets the connection after exactly %i bytes',
    async (afterBytes) => {
      const rawReply = await exchangeWithFault({ kind: 'reset', afterBytes });
      expect(rawReply).toMatchObject({ status: 200, error: 'ECONNRESET' });
      expect(rawReply.body).toHaveLength(afterBytes);
    },
  );

  test('`reset` closes the connection by RST instead of FIN', async () => {
    const service = await startTestService();
    await service.control.injectFault({ fault: { kind: 'reset', afterBytes: 10 } });
    const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1');
    socket.write('GET /api/v1/models HTTP/1.1\r\nHost: x\r\n\r\n');
    socket.resume();
    const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ECONNRESET');
  });

  test('`reset` can reset the connection before it sends headers', async () => {
    expect(await exchangeWithFault({ kind: 'reset', afterBytes: 0 })).toMatchObject({
      status: undefined,
      error: 'ECONNRESET',
    });
  });

  test.each([streamedRequest, createChatRequest('Hello')])(
    '`end` ends the body early without a socket error',
    async (body) => {
      const rawReply = await exchangeWithFault({ kind: 'end', afterBytes: 300 }, body);
      expect(rawReply).toMatchObject({ status: 200, error: undefined });
      expect(rawReply.body).toHaveLength(300);
    },
  );

  test('`bad-json` sends an event with invalid JSON after the given number of events', async () => {
    const rawReply = await exchangeWithFault({ kind: 'bad-json', afterEvents: 3 });
    const events = rawReply.body.toString().split('\n\n').slice(0, -2);
    const brokenEventIndexes = events.flatMap((event, index) =>
      isJson(event.slice(6)) ? [] : [index],
    );
    expect(brokenEventIndexes).toEqual([3]);
  });

  test.each([
    [
      'with an error object',
      'object',
      /\ndata: \{"error":\{"message":"busy","type":"server_error","code":"x1",/,
    ],
    ['with an error text', 'string', /\ndata: \{"error":"busy"\}\n\n/],
    ['named `error`', 'named', /\nevent: error\ndata: \{"error":\{"message":"busy"/],
  ] as const)('`error-event` sends an event %s, with status 200', async (_, shape, pattern) => {
    const fault = {
      kind: 'error-event',
      shape,
      afterEvents: 2,
      message: 'busy',
      code: 'x1',
    } as const;
    const rawReply = await exchangeWithFault(fault);
    expect(rawReply.status).toBe(200);
    expect(rawReply.body.toString()).toMatch(pattern);
    expect(rawReply.body.toString()).not.toContain('finish_reason":"stop');
  });

  test('`no-done` omits only the event `[DONE]`', async () => {
    const rawReply = await exchangeWithFault({ kind: 'no-done' });
    expect(rawReply.body.toString()).toMatch(/"usage":.*\}\n\n$/);
    expect(rawReply.error).toBeUndefined();
  });

  test('`stay-open` keeps the connection open after `[DONE]`', async () => {
    const service = await startTestService();
    await service.control.injectFault({ fault: { kind: 'stay-open' } });
    await exchangeRequest(service, streamedRequest, { endPattern: /\[DONE\]\n\n$/ });
    const closedRequest = await service.control.waitForRequest(
      ({ closedAt }) => closedAt !== undefined,
    );
    expect(closedRequest.abortedByClient).toBe(true);
  });

  test('`huge-event` sends an event of the given size', async () => {
    const rawReply = await exchangeWithFault({
      kind: 'huge-event',
      bytes: 5_000_000,
      afterEvents: 1,
    });
    expect(rawReply.body.length).toBeGreaterThan(5_000_000);
    expect(rawReply.body.toString()).toMatch(/\[DONE\]\n\n$/);
  });

  test('`redirect` redirects to the given URL', async () => {
    const rawReply = await exchangeWithFault({
      kind: 'redirect',
      to: 'http://127.0.0.1:1/steal',
      status: 302,
    });
    expect(rawReply).toMatchObject({
      status: 302,
      headers: { location: 'http://127.0.0.1:1/steal' },
    });
  });

  test('`html` replies with an HTML page and status 200', async () => {
    const rawReply = await exchangeWithFault({ kind: 'html' });
    expect(rawReply).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/html; charset=utf-8' },
    });
  });

  test('`truncated-gzip` sends half of the compressed body, and ends the reply as usual', async () => {
    const rawReply = await exchangeWithFault(
      { kind: 'truncated-gzip' },
      createChatRequest('Hello'),
    );
    expect(rawReply).toMatchObject({ error: undefined, headers: { 'content-encoding': 'gzip' } });
    expect(() => gunzipSync(rawReply.body)).toThrow('unexpected end of file');
  });

  test('`keep-alive-reset` resets a connection only if an earlier request used it', async () => {
    const service = await startTestService();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    await service.control.injectFault({ fault: { kind: 'keep-alive-reset' } });
    const results = [];
    for (let index = 0; index < 3; index++) {
      results.push((await exchangeRequest(service, createChatRequest('Hello'), { agent })).error);
    }
    agent.destroy();
    expect(results).toEqual([undefined, 'ECONNRESET', undefined]);
    const requests = await service.control.getRequests();
    expect(requests.map(({ connection }) => connection)).toEqual([1, 1, 2]);
    expect(requests[1]?.abortedByClient).toBe(false);
  });
});

test('an injected fault affects only the given number of matching requests', async () => {
  const service = await startTestService();
  const match = { model: 'compact-xs-3b' };
  await service.control.injectFault({ match, times: 2, fault: { kind: 'status', status: 500 } });
  const requestStatus = async (model: string): Promise<number | undefined> =>
    (await exchangeRequest(service, createChatRequest('Hi', { model }))).status;
  expect(await requestStatus('default')).toBe(200);
  expect([await requestStatus('compact-xs-3b'), await requestStatus('compact-xs-3b')]).toEqual([
    500, 500,
  ]);
  expect(await requestStatus('compact-xs-3b')).toBe(200);
});

test('an injected fault also affects a request for an unknown route', async () => {
  const service = await startTestService();
  await service.control.injectFault({
    match: { path: '/later' },
    fault: { kind: 'status', status: 418 },
  });
  expect((await fetch(`${service.baseUrl}/later`)).status).toBe(418);
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
