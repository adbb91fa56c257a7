import { describe, expect, test } from 'vitest';
import { type PageReach, probeReach } from './open-page.ts';

const serverId = 'i'.repeat(43);
const tunnelUrl = 'https://abc-1.tunnel.example/';

interface PageAnswer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly redirected?: boolean;
}

const createFetch = ({ status = 200, headers = {}, redirected = false }: PageAnswer) => {
  const reply = new Response(null, { status, headers });
  return async (): Promise<Response> =>
    Object.defineProperty(reply, 'redirected', { value: redirected });
};

const serverHeaders = { 'x-server-id': serverId };

describe('probeReach through a tunnel', () => {
  test.each<[PageReach, string, PageAnswer]>([
    ['public', 'the page', { headers: serverHeaders }],
    [
      'public',
      'the page with another content security policy',
      { headers: { ...serverHeaders, 'content-security-policy': 'x' } },
    ],
    ['public', 'the page after a redirect', { headers: serverHeaders, redirected: true }],
    ['public', 'a rejection by the page server', { status: 421, headers: serverHeaders }],
    ['private', 'status 401 from the tunnel', { status: 401 }],
    ['private', 'status 403 from the tunnel', { status: 403 }],
    ['private', 'a redirect to a sign-in page', { redirected: true }],
    ['unknown', 'another page', {}],
    ['unknown', 'the page of another server', { headers: { 'x-server-id': 'other' } }],
    ['unknown', 'status 404', { status: 404 }],
    ['unknown', 'a gateway error', { status: 502, redirected: true }],
  ])('classifies the page as %s if the response is %s', async (reach, _, answer) => {
    expect(await probeReach(new URL(tunnelUrl), { id: serverId, fetch: createFetch(answer) })).toBe(
      reach,
    );
  });

  test('classifies the page as unknown if the tunnel is unreachable', async () => {
    const fetch = (): Promise<Response> => Promise.reject(new TypeError('failed'));
    expect(await probeReach(new URL(tunnelUrl), { id: serverId, fetch })).toBe('unknown');
  });
});

test.each<[string, PageReach]>([
  ['http://127.0.0.1:1/', 'private'],
  ['http://127.1.2.3:1/', 'private'],
  ['http://localhost:1/proxy/2/', 'private'],
  ['http://[::1]:1/', 'private'],
  ['https://localhost:1/', 'private'],
  ['http://10.0.0.5:8080/proxy/2/', 'unencrypted'],
  ['http://127.0.0.1.evil.example/', 'unencrypted'],
  ['http://localhost.evil.example/', 'unencrypted'],
])('probeReach classifies the URL %s as %s without a request', async (url, reach) => {
  const fetch = (): Promise<Response> => expect.unreachable();
  expect(await probeReach(new URL(url), { id: serverId, fetch })).toBe(reach);
});
