import { describe, expect, test } from 'vitest';
import { type Reach, probeReach } from './open-page.ts';

const id = 'i'.repeat(43);
const tunnel = 'https://abc-1.tunnel.example/';

interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly redirected?: boolean;
}

const answering = ({ status = 200, headers = {}, redirected = false }: Answer) => {
  const reply = new Response(null, { status, headers });
  return async (): Promise<Response> =>
    Object.defineProperty(reply, 'redirected', { value: redirected });
};

const ours = { 'x-server-id': id };

describe('a request through a tunnel without signing in', () => {
  test.each<[Reach, string, Answer]>([
    ['public', 'the page comes', { headers: ours }],
    [
      'public',
      'the page comes with another policy',
      { headers: { ...ours, 'content-security-policy': 'x' } },
    ],
    ['public', 'the page comes after a redirect', { headers: ours, redirected: true }],
    ['public', 'our server itself refuses', { status: 421, headers: ours }],
    ['private', 'the tunnel asks who it is', { status: 401 }],
    ['private', 'the tunnel refuses', { status: 403 }],
    ['private', 'the tunnel leads to where one signs in', { redirected: true }],
    ['unknown', 'another page comes', {}],
    ['unknown', 'the page of another server comes', { headers: { 'x-server-id': 'other' } }],
    ['unknown', 'nothing is there', { status: 404 }],
    ['unknown', 'something in between fails', { status: 502, redirected: true }],
  ])('reports %s: %s', async (reach, _, answer) => {
    expect(await probeReach(new URL(tunnel), { id, fetch: answering(answer) })).toBe(reach);
  });

  test('reports unknown if the tunnel cannot be reached', async () => {
    const fetch = (): Promise<Response> => Promise.reject(new TypeError('failed'));
    expect(await probeReach(new URL(tunnel), { id, fetch })).toBe('unknown');
  });
});

test.each<[string, Reach]>([
  ['http://127.0.0.1:1/', 'private'],
  ['http://127.1.2.3:1/', 'private'],
  ['http://localhost:1/proxy/2/', 'private'],
  ['http://[::1]:1/', 'private'],
  ['https://localhost:1/', 'private'],
  ['http://10.0.0.5:8080/proxy/2/', 'unencrypted'],
  ['http://127.0.0.1.evil.example/', 'unencrypted'],
  ['http://localhost.evil.example/', 'unencrypted'],
])('classifies %s as %s without a request', async (base, reach) => {
  const fetch = (): Promise<Response> => expect.unreachable();
  expect(await probeReach(new URL(base), { id, fetch })).toBe(reach);
});
