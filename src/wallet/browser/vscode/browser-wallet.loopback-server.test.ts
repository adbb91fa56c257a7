import * as http from 'node:http';
import * as net from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ManualClock } from '../../../../test/support/manual-clock.ts';
import { systemClock } from '../../../base/clock.ts';
import {
  headersTimeoutMs,
  type LoopbackPageServer,
  startLoopbackPageServer,
} from '../../../platform/pages/page-server.ts';
import { walletCalls, walletPageVersion } from '../protocol.ts';
import { PageSession } from './page-session.ts';

const pageFiles = {
  html: '<p>page</p>',
  assets: {
    'wallet.js': { type: 'text/javascript; charset=utf-8', bytes: 'script' },
    'wallet.css': { type: 'text/css; charset=utf-8', bytes: 'style' },
  },
  calls: walletCalls,
};
const versionField = { version: walletPageVersion };
const serverId = 'i'.repeat(43);

let clock: ManualClock;
let pageSession: PageSession;
let pageServer: LoopbackPageServer;
let lostTokenCount: number;

beforeEach(async () => {
  clock = new ManualClock();
  let count = 0;
  pageSession = new PageSession({
    state: {
      purpose: 'Test',
      chain: { id: 1, name: 'Test' },
      account: null,
      steps: [],
      ended: null,
    },
    clock,
    createSecret: () => String(++count).padStart(43, 's'),
  });
  lostTokenCount = 0;
  void pageSession.pairing.tokenLoss.then(() => (lostTokenCount += 1));
  pageServer = await startLoopbackPageServer({
    ...pageFiles,
    respond: (call) => pageSession.respond(call),
    clock,
    id: serverId,
  });
});

afterEach(() => {
  pageSession.endFlow();
  pageServer.dispose();
});

interface PageRequest {
  readonly method?: string;
  readonly path?: string;
  /**
   * Headers that replace or extend the headers of a valid request. `undefined` omits a header; an
   * array repeats the header.
   */
  readonly headers?: Record<string, string | string[] | undefined>;
  readonly body?: string;
}

interface HttpReply {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

const getPageOrigin = (): string => `http://127.0.0.1:${pageServer.port}`;

/** Sends a request as the wallet page would, with the given changes. */
function sendRequest({
  method = 'POST',
  path = '/api/claim',
  headers = {},
  body,
}: PageRequest): Promise<HttpReply> {
  const validHeaders = {
    host: `127.0.0.1:${pageServer.port}`,
    origin: getPageOrigin(),
    'sec-fetch-site': 'same-origin',
    'content-type': 'application/json',
    'x-session-token': pageSession.pairing.token,
  };
  const allHeaders = Object.entries({ ...validHeaders, ...headers }).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().flatMap((text) => [name, text]),
  );
  return new Promise((resolve, reject) => {
    const request = http.request(
      { host: '127.0.0.1', port: pageServer.port, method, path, headers: allHeaders, agent: false },
      (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += String(chunk)));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
        );
        response.on('error', reject);
      },
    );
    request.on('error', reject);
    request.end(method === 'GET' ? undefined : (body ?? JSON.stringify(versionField)));
  });
}

const loadRequest: PageRequest = { method: 'GET', path: '/' };
const getStatus = async (request: PageRequest): Promise<number> =>
  (await sendRequest(request)).status;

async function claimPage(): Promise<string> {
  const { body } = await sendRequest({});
  return (JSON.parse(body) as { secret: string }).secret;
}

const securityHeaders = {
  'x-server-id': serverId,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

describe('the loopback server', () => {
  test.each([
    ['/', 'text/html; charset=utf-8', '<p>page</p>'],
    [`/${'a'.repeat(43)}`, 'text/html; charset=utf-8', '<p>page</p>'],
    ['/wallet.js', 'text/javascript; charset=utf-8', 'script'],
    ['/wallet.css', 'text/css; charset=utf-8', 'style'],
  ])('serves the path %s with all security headers', async (path, type, body) => {
    const reply = await sendRequest({ method: 'GET', path });
    expect(reply).toMatchObject({ status: 200, body });
    expect(reply.headers).toMatchObject({ ...securityHeaders, 'content-type': type });
  });

  test.each([
    '/index.html',
    '/wallet.js.map',
    '/../package.json',
    '/%2e%2e/package.json',
    '/wallet.js/',
    '//wallet.js',
    `/${'a'.repeat(42)}`,
    `/${'a'.repeat(44)}`,
    '/api',
    '/api/',
    '/__proto__',
  ])('responds with status 404 to a request for the path %s', async (path) => {
    const reply = await sendRequest({ method: 'GET', path });
    expect(reply).toMatchObject({ status: 404, body: '' });
    expect(reply.headers).toMatchObject(securityHeaders);
  });

  test('responds with status 404 to a request whose target is an absolute URL', async () => {
    expect(await getStatus({ method: 'GET', path: `${getPageOrigin()}/wallet.js` })).toBe(404);
  });

  test('sends no CORS headers', async () => {
    const replies = await Promise.all([
      sendRequest(loadRequest),
      sendRequest({}),
      sendRequest({ method: 'OPTIONS' }),
    ]);
    const corsHeaders = replies.flatMap(({ headers }) =>
      Object.keys(headers).filter((name) => name.startsWith('access-control-')),
    );
    expect(corsHeaders).toEqual([]);
  });
});

describe('the loopback server', () => {
  const replacePort = (text: string): string => text.replace('PORT', String(pageServer.port));

  test.each<[string, PageRequest, number]>([
    ['a valid request', {}, 200],
    ['the host name of another site', { headers: { host: 'evil.example:PORT' } }, 421],
    ['localhost as the host', { headers: { host: 'localhost:PORT' } }, 421],
    ['a host with another port', { headers: { host: '127.0.0.1:1' } }, 421],
    ['a host without a port', { headers: { host: '127.0.0.1' } }, 421],
    [
      'a host with the expected address as a prefix',
      { headers: { host: '127.0.0.1:PORT.evil.example' } },
      421,
    ],
    ['two different hosts', { headers: { host: ['127.0.0.1:PORT', 'evil.example'] } }, 421],
    ['the same host twice', { headers: { host: ['127.0.0.1:PORT', '127.0.0.1:PORT'] } }, 421],
    [
      'a page load with another host',
      { ...loadRequest, headers: { host: 'evil.example:PORT' } },
      421,
    ],
    ['a preflight request', { method: 'OPTIONS' }, 405],
    ['a preflight request for the page', { method: 'OPTIONS', path: '/' }, 405],
    ['GET for a call', { method: 'GET' }, 405],
    ['PUT for a call', { method: 'PUT' }, 405],
    ['POST for the page', { path: '/' }, 405],
    ['HEAD for the page', { method: 'HEAD', path: '/' }, 405],
    ['TRACE', { method: 'TRACE', path: '/' }, 405],
    ['no origin', { headers: { origin: undefined } }, 403],
    ['the origin null', { headers: { origin: 'null' } }, 403],
    ['another origin', { headers: { origin: 'https://evil.example' } }, 403],
    [
      'an origin with the expected origin as a prefix',
      { headers: { origin: 'http://127.0.0.1:PORT.evil.example' } },
      403,
    ],
    ['the expected origin with https', { headers: { origin: 'https://127.0.0.1:PORT' } }, 403],
    [
      'two origins',
      { headers: { origin: ['http://127.0.0.1:PORT', 'https://evil.example'] } },
      403,
    ],
    ['a cross-site call', { headers: { 'sec-fetch-site': 'cross-site' } }, 403],
    ['a call from another port', { headers: { 'sec-fetch-site': 'same-site' } }, 403],
    ['a call from the address bar', { headers: { 'sec-fetch-site': 'none' } }, 403],
    ['a browser without Sec-Fetch-Site', { headers: { 'sec-fetch-site': undefined } }, 200],
    ['a text/plain body', { headers: { 'content-type': 'text/plain' } }, 415],
    ['a form body', { headers: { 'content-type': 'application/x-www-form-urlencoded' } }, 415],
    [
      'a content type that contains application/json',
      { headers: { 'content-type': 'text/plain;application/json' } },
      415,
    ],
    ['no content type', { headers: { 'content-type': undefined } }, 415],
    ['no token', { headers: { 'x-session-token': undefined } }, 403],
    ['a wrong token', { headers: { 'x-session-token': 'x'.repeat(43) } }, 403],
    ['two tokens', { headers: { 'x-session-token': ['x'.repeat(43), 'y'.repeat(43)] } }, 403],
    [
      'a token in the query string',
      { path: '/api/claim?t=TOKEN', headers: { 'x-session-token': '' } },
      403,
    ],
    ['a body that is not JSON', { body: 'version=1' }, 400],
    [
      'a body with an unknown field',
      { body: JSON.stringify({ ...versionField, more: true }) },
      400,
    ],
    ['an unsupported version', { body: JSON.stringify({ version: walletPageVersion + 1 }) }, 400],
    ['an empty body', { body: '' }, 400],
    ['a body that is a list', { body: '[]' }, 400],
  ])('returns status $2 for $0', async (_, { headers = {}, ...request }, status) => {
    const filledHeaders = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        Array.isArray(value)
          ? value.map(replacePort)
          : value === undefined
            ? undefined
            : replacePort(value),
      ]),
    );
    const reply = await sendRequest({ ...request, headers: filledHeaders });
    expect(reply.status).toBe(status);
    expect(reply.headers).toMatchObject(securityHeaders);
    if (status !== 200) expect(reply.body).toBe('');
  });

  test.each<[string, Record<string, string>, string, number]>([
    ['a script request from another site', { 'sec-fetch-site': 'cross-site' }, '/wallet.js', 403],
    ['a script request from the page', { 'sec-fetch-site': 'same-origin' }, '/wallet.js', 200],
    ['a frame', { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'iframe' }, '/', 403],
    ['a page requested as a script', { 'sec-fetch-dest': 'script' }, '/', 403],
    [
      'a tab that VS Code opens',
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document' },
      '/',
      200,
    ],
  ])('returns status $3 for $0', async (_, headers, path, status) => {
    const omittedHeaders = {
      origin: undefined,
      'content-type': undefined,
      'x-session-token': undefined,
    };
    const requestHeaders = { ...omittedHeaders, 'sec-fetch-site': undefined, ...headers };
    expect(await getStatus({ method: 'GET', path, headers: requestHeaders })).toBe(status);
  });

  test('rejects a request without a host header', async () => {
    const reply = await sendRawText('GET / HTTP/1.0\r\n\r\n');
    expect(reply).toMatch(/^HTTP\/1\.1 4\d\d /u);
    expect(reply).not.toContain('page');
  });

  test('accepts connections on 127.0.0.1 only', async () => {
    const isReachable = await new Promise((resolve) => {
      const socket = net.connect(pageServer.port, '::1', () => resolve(true));
      socket.on('error', () => resolve(false));
    });
    expect(isReachable).toBe(false);
  });
});

describe('the loopback server with a tunnel', () => {
  test.each<[string, string, string, number]>([
    ['the tunnel’s host', 'abc-1.tunnel.example', 'https://abc-1.tunnel.example', 200],
    [
      'the tunnel’s host in other letter case',
      'ABC-1.Tunnel.Example',
      'https://abc-1.tunnel.example',
      200,
    ],
    [
      'the local host that the tunnel forwards',
      'localhost:PORT',
      'https://abc-1.tunnel.example',
      200,
    ],
    ['another tunnel as the host', 'abc-2.tunnel.example', 'https://abc-1.tunnel.example', 421],
    ['another tunnel as the origin', 'abc-1.tunnel.example', 'https://abc-2.tunnel.example', 403],
    ['an unencrypted origin', 'abc-1.tunnel.example', 'http://abc-1.tunnel.example', 403],
    ['a subdomain of the tunnel', 'x.abc-1.tunnel.example', 'https://abc-1.tunnel.example', 421],
  ])('returns status $3 for a request with $0', async (_, host, origin, status) => {
    pageServer.allowForwardedUrl(new URL('https://abc-1.tunnel.example/proxy/'));
    const headers = { host: host.replace('PORT', String(pageServer.port)), origin };
    expect(await getStatus({ headers })).toBe(status);
  });
});

describe('the loopback server', () => {
  test('rejects a second tab and keeps the first tab connected', async () => {
    const secret = await claimPage();
    expect(await getStatus({})).toBe(409);
    const headers = { 'x-session-token': secret };
    const body = JSON.stringify({ state: 0, requestId: null });
    expect(await getStatus({ path: '/api/poll', headers, body })).toBe(200);
    expect(await getStatus({ path: '/api/poll', body })).toBe(409);
  });

  test('accepts the report of a lost session token only until a tab is paired with the session', async () => {
    const headers = { 'x-session-token': undefined };
    expect(await getStatus({ path: '/api/lost', headers })).toBe(200);
    expect(lostTokenCount).toBe(1);
    await claimPage();
    expect(await getStatus({ path: '/api/lost', headers })).toBe(409);
    expect(lostTokenCount).toBe(1);
  });

  test.each(['/api/poll', '/api/answer', '/api/event'])(
    'reserves the path %s for the tab that is paired with the session',
    async (path) => {
      expect(await getStatus({ path, body: '{}' })).toBe(403);
      await claimPage();
      expect(await getStatus({ path, headers: { 'x-session-token': 'x'.repeat(43) } })).toBe(403);
    },
  );
});

describe('the answer call of the loopback server', () => {
  const address = `0x${'ab'.repeat(20)}`;
  const hash = `0x${'22'.repeat(32)}`;
  const validResult = { kind: 'send', address, chainId: 1, hash };

  test.each<[string, (id: string) => unknown, number]>([
    ['a result', (id) => ({ id, result: validResult }), 200],
    ['an error', (id) => ({ id, error: 'rejected' }), 200],
    ['a result and an error', (id) => ({ id, result: validResult, error: 'rejected' }), 400],
    ['neither a result nor an error', (id) => ({ id }), 400],
    ['an ID of another request', () => ({ id: 'other', result: validResult }), 404],
    ['no ID', () => ({ result: validResult }), 400],
    ['a result of another kind', (id) => ({ id, result: { kind: 'network', chainId: 1 } }), 400],
    ['a result of an unknown kind', (id) => ({ id, result: { kind: 'pay' } }), 400],
    [
      'a zero hash',
      (id) => ({ id, result: { ...validResult, hash: `0x${'00'.repeat(32)}` } }),
      400,
    ],
    ['a short hash', (id) => ({ id, result: { ...validResult, hash: '0x22' } }), 400],
    ['an invalid address', (id) => ({ id, result: { ...validResult, address: '0x12' } }), 400],
    ['an unknown field', (id) => ({ id, result: { ...validResult, key: 'value' } }), 400],
    ['an unknown error', (id) => ({ id, error: 'any words of a wallet' }), 400],
    [
      'a chain ID that is too large',
      (id) => ({ id, result: { ...validResult, chainId: 2 ** 60 } }),
      400,
    ],
  ])('responds to $0 with status $2', async (_, answer, status) => {
    const headers = { 'x-session-token': await claimPage() };
    const review = { purpose: 'Test', rows: [], warnings: [] };
    const transactionRequest = {
      kind: 'send',
      address,
      chainId: 1,
      to: address,
      data: '0x',
      value: '0x0',
      review,
    };
    const resultPromise = pageSession
      .requestFromPage(transactionRequest as never, new AbortController().signal)
      .catch(() => 'failed');
    const body = JSON.stringify({ state: 1, requestId: null });
    const pollReply = JSON.parse(
      (await sendRequest({ path: '/api/poll', headers, body })).body,
    ) as {
      requestId: string;
    };
    const answerBody = JSON.stringify(answer(pollReply.requestId));
    expect(await getStatus({ path: '/api/answer', headers, body: answerBody })).toBe(status);
    pageSession.endFlow();
    await resultPromise;
  });
});

describe('the loopback server', () => {
  test.each([
    ['with a declared length', { 'content-length': String(70_000) }],
    ['with an undeclared length', { 'transfer-encoding': 'chunked' }],
  ])('rejects a body over 64 KiB %s', async (_, headers) => {
    const body = JSON.stringify({ ...versionField, more: 'x'.repeat(70_000) }).slice(0, 70_000);
    // A response before the body is complete may break the connection.
    const status = await getStatus({ headers, body }).catch(() => 'broken');
    expect([413, 'broken']).toContain(status);
    expect(pageSession.pairing.isClaimed).toBe(false);
  });

  test('rejects more than 20 requests in one second', async () => {
    const statuses: number[] = [];
    for (let index = 0; index < 22; index++) statuses.push(await getStatus(loadRequest));
    expect(statuses).toEqual([...Array<number>(20).fill(200), 429, 429]);
    await clock.advance(1_000);
    expect(await getStatus(loadRequest)).toBe(200);
  });

  test.each<[string, PageRequest]>([
    ['another origin', { headers: { origin: 'https://evil.example' } }],
    [
      'an image request from another site',
      { ...loadRequest, headers: { 'sec-fetch-dest': 'image' } },
    ],
    ['another host', { ...loadRequest, headers: { host: 'evil.example' } }],
    ['an unknown path', { ...loadRequest, path: '/none' }],
  ])('does not count a rejected request toward the page’s rate limit: %s', async (_, request) => {
    for (let index = 0; index < 22; index++) await getStatus(request);
    expect(await getStatus({})).toBe(200);
  });

  test('closes a connection with incomplete headers before a connection that lacks only its body', async () => {
    expect(headersTimeoutMs).toBe(5_000);
    const socket = await connectSocket();
    // The headers of this request are complete. A missing body has a longer time limit.
    const completeSocket = await connectSocket();
    completeSocket.write(
      `POST /api/claim HTTP/1.1\r\nhost: 127.0.0.1:${pageServer.port}\r\norigin: ${getPageOrigin()}\r\n` +
        'sec-fetch-site: same-origin\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n',
    );
    socket.write('GET / HTTP/1.1\r\n');
    const closePromises = [socket, completeSocket].map(
      (openSocket) =>
        new Promise((resolve) => openSocket.resume().once('close', () => resolve(openSocket))),
    );
    expect((await Promise.race(closePromises)) === socket).toBe(true);
    completeSocket.destroy();
  });

  test('closes idle and waiting connections on disposal', async () => {
    const headers = { 'x-session-token': await claimPage() };
    const body = JSON.stringify({ state: 1, requestId: null });
    const pollPromise = sendRequest({ path: '/api/poll', headers, body }).catch(() => 'broken');
    const idleSocket = await connectSocket();
    const idleSocketClosed = new Promise((resolve) => idleSocket.resume().once('close', resolve));
    await expect.poll(() => clock.pendingTimerCount).toBe(2);
    pageServer.dispose();
    await idleSocketClosed;
    expect(await pollPromise).toBe('broken');
    await expect(connectSocket()).rejects.toThrow('ECONNREFUSED');
  });

  test('delivers the final state to the page before disposal', async () => {
    const headers = { 'x-session-token': await claimPage() };
    const body = JSON.stringify({ state: 1, requestId: null });
    const pollPromise = sendRequest({ path: '/api/poll', headers, body });
    await expect.poll(() => clock.pendingTimerCount).toBe(2);
    await pageSession.showOutcome('done', 'All is well.');
    pageServer.dispose();
    expect(JSON.parse((await pollPromise).body)).toMatchObject({
      state: { ended: { outcome: 'done', message: 'All is well.' } },
    });
  });
});

test('startLoopbackPageServer starts a second server on another port', async () => {
  const otherServer = await startLoopbackPageServer({
    ...pageFiles,
    respond: (call) => pageSession.respond(call),
    clock: systemClock,
    id: serverId,
  });
  expect(otherServer.port).not.toBe(pageServer.port);
  otherServer.dispose();
});

function connectSocket(): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(pageServer.port, '127.0.0.1', () => resolve(socket));
    socket.on('error', reject);
  });
}

async function sendRawText(text: string): Promise<string> {
  const socket = await connectSocket();
  socket.end(text);
  let reply = '';
  for await (const chunk of socket) reply += String(chunk);
  return reply;
}
