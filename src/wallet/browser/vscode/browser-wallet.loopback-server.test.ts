import * as http from 'node:http';
import * as net from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ManualClock } from '../../../../test/support/manual-clock.ts';
import { systemClock } from '../../../base/clock.ts';
import {
  headersTimeoutMs,
  type LoopbackPage,
  startLoopbackPage,
} from '../../../platform/pages/page-server.ts';
import { walletCalls } from '../protocol.ts';
import { PageSession } from './page-session.ts';

const files = {
  html: '<p>page</p>',
  assets: {
    'wallet.js': { type: 'text/javascript; charset=utf-8', bytes: 'script' },
    'wallet.css': { type: 'text/css; charset=utf-8', bytes: 'style' },
  },
  calls: walletCalls,
};
const version = { version: 1 };
const id = 'i'.repeat(43);

let clock: ManualClock;
let session: PageSession;
let page: LoopbackPage;
let lost: number;

beforeEach(async () => {
  clock = new ManualClock();
  let count = 0;
  session = new PageSession({
    state: {
      purpose: 'Test',
      chain: { id: 1, name: 'Test' },
      account: null,
      steps: [],
      ended: null,
    },
    clock,
    secret: () => String(++count).padStart(43, 's'),
  });
  lost = 0;
  void session.pairing.lost.then(() => (lost += 1));
  page = await startLoopbackPage({ ...files, answer: (call) => session.respond(call), clock, id });
});

afterEach(() => {
  session.close();
  page.dispose();
});

interface Ask {
  readonly method?: string;
  readonly path?: string;
  /** In place of, or on top of, those of a good request; undefined leaves one out, several are sent as they are. */
  readonly headers?: Record<string, string | string[] | undefined>;
  readonly body?: string;
}

interface Reply {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

const own = (): string => `http://127.0.0.1:${page.port}`;

/** As the page itself would, with these differences. */
function ask({ method = 'POST', path = '/api/claim', headers = {}, body }: Ask): Promise<Reply> {
  const good = {
    host: `127.0.0.1:${page.port}`,
    origin: own(),
    'sec-fetch-site': 'same-origin',
    'content-type': 'application/json',
    'x-session-token': session.pairing.token,
  };
  const all = Object.entries({ ...good, ...headers }).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().flatMap((each) => [name, each]),
  );
  return new Promise((resolve, reject) => {
    const asked = http.request(
      { host: '127.0.0.1', port: page.port, method, path, headers: all, agent: false },
      (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += String(chunk)));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
        );
        response.on('error', reject);
      },
    );
    asked.on('error', reject);
    asked.end(method === 'GET' ? undefined : (body ?? JSON.stringify(version)));
  });
}

const load: Ask = { method: 'GET', path: '/' };
const statusOf = async (asked: Ask): Promise<number> => (await ask(asked)).status;

async function claim(): Promise<string> {
  const { body } = await ask({});
  return (JSON.parse(body) as { secret: string }).secret;
}

const safe = {
  'x-server-id': id,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

describe('what is served', () => {
  test.each([
    ['/', 'text/html; charset=utf-8', '<p>page</p>'],
    [`/${'a'.repeat(43)}`, 'text/html; charset=utf-8', '<p>page</p>'],
    ['/wallet.js', 'text/javascript; charset=utf-8', 'script'],
    ['/wallet.css', 'text/css; charset=utf-8', 'style'],
  ])('%s, with every header that keeps it apart', async (path, type, body) => {
    const reply = await ask({ method: 'GET', path });
    expect(reply).toMatchObject({ status: 200, body });
    expect(reply.headers).toMatchObject({ ...safe, 'content-type': type });
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
  ])('nothing else: %s', async (path) => {
    const reply = await ask({ method: 'GET', path });
    expect(reply).toMatchObject({ status: 404, body: '' });
    expect(reply.headers).toMatchObject(safe);
  });

  test('an address in place of a path is none', async () => {
    expect(await statusOf({ method: 'GET', path: `${own()}/wallet.js` })).toBe(404);
  });

  test('nothing that another site may read', async () => {
    const replies = await Promise.all([ask(load), ask({}), ask({ method: 'OPTIONS' })]);
    const cors = replies.flatMap(({ headers }) =>
      Object.keys(headers).filter((name) => name.startsWith('access-control-')),
    );
    expect(cors).toEqual([]);
  });
});

describe('who is refused', () => {
  const port = (text: string): string => text.replace('PORT', String(page.port));

  test.each<[string, Ask, number]>([
    ['a good request', {}, 200],
    ['the name of another site', { headers: { host: 'evil.example:PORT' } }, 421],
    ['localhost', { headers: { host: 'localhost:PORT' } }, 421],
    ['another port', { headers: { host: '127.0.0.1:1' } }, 421],
    ['no port', { headers: { host: '127.0.0.1' } }, 421],
    ['a name that begins alike', { headers: { host: '127.0.0.1:PORT.evil.example' } }, 421],
    ['two names', { headers: { host: ['127.0.0.1:PORT', 'evil.example'] } }, 421],
    ['the same name twice', { headers: { host: ['127.0.0.1:PORT', '127.0.0.1:PORT'] } }, 421],
    ['a page under another name', { ...load, headers: { host: 'evil.example:PORT' } }, 421],
    ['a preflight', { method: 'OPTIONS' }, 405],
    ['a preflight of the page', { method: 'OPTIONS', path: '/' }, 405],
    ['GET of a call', { method: 'GET' }, 405],
    ['PUT of a call', { method: 'PUT' }, 405],
    ['POST of the page', { path: '/' }, 405],
    ['HEAD of the page', { method: 'HEAD', path: '/' }, 405],
    ['TRACE', { method: 'TRACE', path: '/' }, 405],
    ['no origin', { headers: { origin: undefined } }, 403],
    ['the origin of nothing', { headers: { origin: 'null' } }, 403],
    ['another origin', { headers: { origin: 'https://evil.example' } }, 403],
    [
      'an origin that begins alike',
      { headers: { origin: 'http://127.0.0.1:PORT.evil.example' } },
      403,
    ],
    ['our origin, but encrypted', { headers: { origin: 'https://127.0.0.1:PORT' } }, 403],
    [
      'two origins',
      { headers: { origin: ['http://127.0.0.1:PORT', 'https://evil.example'] } },
      403,
    ],
    ['a call from another site', { headers: { 'sec-fetch-site': 'cross-site' } }, 403],
    ['a call from another port', { headers: { 'sec-fetch-site': 'same-site' } }, 403],
    ['a call from the address bar', { headers: { 'sec-fetch-site': 'none' } }, 403],
    ['an older browser', { headers: { 'sec-fetch-site': undefined } }, 200],
    ['a form', { headers: { 'content-type': 'text/plain' } }, 415],
    ['another form', { headers: { 'content-type': 'application/x-www-form-urlencoded' } }, 415],
    ['a type that holds ours', { headers: { 'content-type': 'text/plain;application/json' } }, 415],
    ['no type', { headers: { 'content-type': undefined } }, 415],
    ['no token', { headers: { 'x-session-token': undefined } }, 403],
    ['another token', { headers: { 'x-session-token': 'x'.repeat(43) } }, 403],
    ['two tokens', { headers: { 'x-session-token': ['x'.repeat(43), 'y'.repeat(43)] } }, 403],
    [
      'a token in the address',
      { path: '/api/claim?t=TOKEN', headers: { 'x-session-token': '' } },
      403,
    ],
    ['no JSON', { body: 'version=1' }, 400],
    ['another message', { body: '{"version":1,"more":true}' }, 400],
    ['another version', { body: '{"version":2}' }, 400],
    ['nothing', { body: '' }, 400],
    ['a list', { body: '[]' }, 400],
  ])('%s', async (_, { headers = {}, ...asked }, status) => {
    const filled = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.map(port) : value === undefined ? undefined : port(value),
      ]),
    );
    const reply = await ask({ ...asked, headers: filled });
    expect(reply.status).toBe(status);
    expect(reply.headers).toMatchObject(safe);
    if (status !== 200) expect(reply.body).toBe('');
  });

  test.each<[string, Record<string, string>, string, number]>([
    ['a script that another site loads', { 'sec-fetch-site': 'cross-site' }, '/wallet.js', 403],
    ['a script of our page', { 'sec-fetch-site': 'same-origin' }, '/wallet.js', 200],
    ['a frame', { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'iframe' }, '/', 403],
    ['a page read as a script', { 'sec-fetch-dest': 'script' }, '/', 403],
    [
      'a tab that the editor opens',
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document' },
      '/',
      200,
    ],
  ])('%s', async (_, headers, path, status) => {
    const none = { origin: undefined, 'content-type': undefined, 'x-session-token': undefined };
    const given = { ...none, 'sec-fetch-site': undefined, ...headers };
    expect(await statusOf({ method: 'GET', path, headers: given })).toBe(status);
  });

  test('a request without any name', async () => {
    const reply = await raw('GET / HTTP/1.0\r\n\r\n');
    expect(reply).toMatch(/^HTTP\/1\.1 4\d\d /u);
    expect(reply).not.toContain('page');
  });

  test('it listens on 127.0.0.1 only', async () => {
    const reached = await new Promise((resolve) => {
      const socket = net.connect(page.port, '::1', () => resolve(true));
      socket.on('error', () => resolve(false));
    });
    expect(reached).toBe(false);
  });
});

describe('through a tunnel', () => {
  test.each<[string, string, string, number]>([
    ['its own address', 'abc-1.tunnel.example', 'https://abc-1.tunnel.example', 200],
    ['an address in other letters', 'ABC-1.Tunnel.Example', 'https://abc-1.tunnel.example', 200],
    ['what tunnels make of it', 'localhost:PORT', 'https://abc-1.tunnel.example', 200],
    ['another one of its kind', 'abc-2.tunnel.example', 'https://abc-1.tunnel.example', 421],
    ['an origin of its kind', 'abc-1.tunnel.example', 'https://abc-2.tunnel.example', 403],
    ['an origin that is not encrypted', 'abc-1.tunnel.example', 'http://abc-1.tunnel.example', 403],
    ['a name below it', 'x.abc-1.tunnel.example', 'https://abc-1.tunnel.example', 421],
  ])('%s', async (_, host, origin, status) => {
    page.allowForwarded(new URL('https://abc-1.tunnel.example/proxy/'));
    const headers = { host: host.replace('PORT', String(page.port)), origin };
    expect(await statusOf({ headers })).toBe(status);
  });
});

describe('one tab', () => {
  test('the second one is told so, and the first goes on', async () => {
    const secret = await claim();
    expect(await statusOf({})).toBe(409);
    const headers = { 'x-session-token': secret };
    const body = JSON.stringify({ state: 0, asking: null });
    expect(await statusOf({ path: '/api/poll', headers, body })).toBe(200);
    expect(await statusOf({ path: '/api/poll', body })).toBe(409);
  });

  test('a page without a token can only ask to be opened again, while nobody has it', async () => {
    const headers = { 'x-session-token': undefined };
    expect(await statusOf({ path: '/api/lost', headers })).toBe(200);
    expect(lost).toBe(1);
    await claim();
    expect(await statusOf({ path: '/api/lost', headers })).toBe(409);
    expect(lost).toBe(1);
  });

  test.each(['/api/poll', '/api/answer', '/api/event'])(
    '%s is for who has claimed',
    async (path) => {
      expect(await statusOf({ path, body: '{}' })).toBe(403);
      await claim();
      expect(await statusOf({ path, headers: { 'x-session-token': 'x'.repeat(43) } })).toBe(403);
    },
  );
});

describe('answers', () => {
  const address = `0x${'ab'.repeat(20)}`;
  const hash = `0x${'22'.repeat(32)}`;
  const sent = { kind: 'send', address, chainId: 1, hash };

  test.each<[string, (id: string) => unknown, number]>([
    ['a result', (id) => ({ id, result: sent }), 200],
    ['an error', (id) => ({ id, error: 'rejected' }), 200],
    ['both', (id) => ({ id, result: sent, error: 'rejected' }), 400],
    ['neither', (id) => ({ id }), 400],
    ['to another request', () => ({ id: 'other', result: sent }), 404],
    ['to none', () => ({ result: sent }), 400],
    ['of another kind', (id) => ({ id, result: { kind: 'network', chainId: 1 } }), 400],
    ['of no kind', (id) => ({ id, result: { kind: 'pay' } }), 400],
    ['a hash of nothing', (id) => ({ id, result: { ...sent, hash: `0x${'00'.repeat(32)}` } }), 400],
    ['a short hash', (id) => ({ id, result: { ...sent, hash: '0x22' } }), 400],
    ['no address', (id) => ({ id, result: { ...sent, address: '0x12' } }), 400],
    ['more than asked', (id) => ({ id, result: { ...sent, key: 'value' } }), 400],
    ['an unknown problem', (id) => ({ id, error: 'any words of a wallet' }), 400],
    ['a number that is too large', (id) => ({ id, result: { ...sent, chainId: 2 ** 60 } }), 400],
  ])('%s', async (_, answer, status) => {
    const headers = { 'x-session-token': await claim() };
    const review = { purpose: 'Test', rows: [], warnings: [] };
    const send = {
      kind: 'send',
      address,
      chainId: 1,
      to: address,
      data: '0x',
      value: '0x0',
      review,
    };
    const asked = session
      .request(send as never, new AbortController().signal)
      .catch(() => 'failed');
    const body = JSON.stringify({ state: 1, asking: null });
    const polled = JSON.parse((await ask({ path: '/api/poll', headers, body })).body) as {
      asking: string;
    };
    const given = JSON.stringify(answer(polled.asking));
    expect(await statusOf({ path: '/api/answer', headers, body: given })).toBe(status);
    session.close();
    await asked;
  });
});

describe('limits', () => {
  test.each([
    ['said beforehand', { 'content-length': String(70_000) }],
    ['not said beforehand', { 'transfer-encoding': 'chunked' }],
  ])('a body of more than 64 KiB, %s, is not read', async (_, headers) => {
    const body = JSON.stringify({ version: 1, more: 'x'.repeat(70_000) }).slice(0, 70_000);
    // What is still on its way when the answer comes may break the connection.
    const status = await statusOf({ headers, body }).catch(() => 'broken');
    expect([413, 'broken']).toContain(status);
    expect(session.pairing.isClaimed).toBe(false);
  });

  test('more than 20 requests in a second are refused, those of the next second are not', async () => {
    const statuses: number[] = [];
    for (let at = 0; at < 22; at++) statuses.push(await statusOf(load));
    expect(statuses).toEqual([...Array<number>(20).fill(200), 429, 429]);
    await clock.advance(1_000);
    expect(await statusOf(load)).toBe(200);
  });

  test.each<[string, Ask]>([
    ['another site', { headers: { origin: 'https://evil.example' } }],
    ['an image of another site', { ...load, headers: { 'sec-fetch-dest': 'image' } }],
    ['another name', { ...load, headers: { host: 'evil.example' } }],
    ['a path that is none', { ...load, path: '/none' }],
  ])('what is refused anyway takes nothing from the page: %s', async (_, asked) => {
    for (let at = 0; at < 22; at++) await statusOf(asked);
    expect(await statusOf({})).toBe(200);
  });

  test('more than 8 connections are not taken', async () => {
    const sockets = await Promise.all(Array.from({ length: 8 }, () => connect()));
    const ninth = await connect();
    await new Promise((resolve) => ninth.once('close', resolve));
    for (const socket of sockets) socket.destroy();
  });

  test('a connection without complete headers ends after five seconds, before one that only lacks its body', async () => {
    expect(headersTimeoutMs).toBe(5_000);
    const socket = await connect();
    // Only the body is missing here, which has a longer limit.
    const complete = await connect();
    complete.write(
      `POST /api/claim HTTP/1.1\r\nhost: 127.0.0.1:${page.port}\r\norigin: ${own()}\r\n` +
        'sec-fetch-site: same-origin\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n',
    );
    socket.write('GET / HTTP/1.1\r\n');
    const ends = [socket, complete].map(
      (each) => new Promise((resolve) => each.resume().once('close', () => resolve(each))),
    );
    expect((await Promise.race(ends)) === socket).toBe(true);
    complete.destroy();
  });

  test('disposing ends all connections, also those that wait', async () => {
    const headers = { 'x-session-token': await claim() };
    const body = JSON.stringify({ state: 1, asking: null });
    const waiting = ask({ path: '/api/poll', headers, body }).catch(() => 'broken');
    const idle = await connect();
    const closed = new Promise((resolve) => idle.resume().once('close', resolve));
    await expect.poll(() => clock.waiting).toBe(2);
    page.dispose();
    await closed;
    expect(await waiting).toBe('broken');
    await expect(connect()).rejects.toThrow('ECONNREFUSED');
  });

  test('how it ended has left before whoever waits for that disposes', async () => {
    const headers = { 'x-session-token': await claim() };
    const body = JSON.stringify({ state: 1, asking: null });
    const waiting = ask({ path: '/api/poll', headers, body });
    await expect.poll(() => clock.waiting).toBe(2);
    await session.finish('done', 'All is well.');
    page.dispose();
    expect(JSON.parse((await waiting).body)).toMatchObject({
      state: { ended: { outcome: 'done', message: 'All is well.' } },
    });
  });
});

test('works with the clock of the machine too', async () => {
  const other = await startLoopbackPage({
    ...files,
    answer: (call) => session.respond(call),
    clock: systemClock,
    id,
  });
  expect(other.port).not.toBe(page.port);
  other.dispose();
});

function connect(): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(page.port, '127.0.0.1', () => resolve(socket));
    socket.on('error', reject);
  });
}

async function raw(text: string): Promise<string> {
  const socket = await connect();
  socket.end(text);
  let reply = '';
  for await (const chunk of socket) reply += String(chunk);
  return reply;
}
