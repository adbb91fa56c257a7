import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startHttpServer } from '../../../test/support/loopback.ts';
import { type PlainServerKind, startPlainServer } from '../../../test/foreign/plain-server.mjs';
import { systemClock } from '../../base/clock.ts';
import { CircuitBreakers } from '../../service/http/circuit-breaker.ts';
import type { Transport } from '../../service/http/client.ts';
import { createDirectTransport } from '../../service/http/direct-transport.ts';
import type { ConnectRequest } from '../protocol.ts';
import type { Account } from './account.ts';
import { completeAddress, connectProfile, findTypedAddressFailure } from './connect.ts';

vi.mock('vscode', async () => await import('../../../test/support/vscode-stub.ts'));
const savedProfiles = vi.hoisted((): { baseUrl: string }[] => []);
vi.mock('./profile-settings.ts', () => ({
  saveProfile: async (profile: { baseUrl: string }) => void savedProfiles.push(profile),
}));
vi.mock('./key-in-use.ts', () => ({ storeKeyExpiry: async () => {} }));

const userKey = 'key-of-the-user-1234';
const { signal } = new AbortController();

/** Request that was sent over the network, with its API key. */
interface SentRequest {
  readonly url: string;
  readonly key: string | undefined;
}

/** Creates a fake account that sends real HTTP requests. `hosts` maps host names to servers on this machine. */
function createAccount(hosts: Readonly<Record<string, string>> = {}) {
  savedProfiles.length = 0;
  const sent: SentRequest[] = [];
  const keys: string[] = [];
  const confirmed = new Set<string>();
  const direct = createDirectTransport();
  onTestFinished(() => direct.close());
  const transport: Transport = {
    ...direct,
    send: (request) => {
      sent.push({ url: request.url.href, key: request.headers['authorization'] });
      const origin = hosts[request.url.origin] ?? request.url.origin;
      const url = new URL(request.url.pathname + request.url.search, origin);
      return direct.send({ ...request, url });
    },
  };
  const account = {
    profile: { id: 'default', baseUrl: '', vendorPrefix: 'service' },
    unencryptedOrigins: confirmed,
    service: {
      transport: async () => transport,
      clock: systemClock,
      breakers: new CircuitBreakers(systemClock),
      random: () => 0,
    },
    confirmUnencrypted: async (origin: string) => void confirmed.add(origin),
    storeKey: async (_profile: unknown, stored: string) => void keys.push(stored),
    reloadKey: async () => {},
    reportKeyless: () => keys.push('none'),
  } as unknown as Account;
  return { account, sent, keys };
}

async function connectTestProfile(
  change: Partial<ConnectRequest>,
  hosts: Readonly<Record<string, string>> = {},
) {
  const { account, sent, keys } = createAccount(hosts);
  const request = {
    address: '',
    key: userKey,
    method: 'key',
    unencryptedOrigin: null,
    ...change,
  } as const;
  const result = await connectProfile(account, request, signal);
  return { result, sent, keys, saved: savedProfiles.map(({ baseUrl }) => baseUrl) };
}

async function connectPlainServer(kind: PlainServerKind, requiredKey?: string) {
  const server = await startPlainServer(
    requiredKey === undefined ? { kind } : { kind, key: requiredKey },
  );
  onTestFinished(() => server.close());
  return { server, host: new URL(server.origin).host };
}

async function startAnsweringServer(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
) {
  const server = await startHttpServer(answer);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return `127.0.0.1:${server.port}`;
}

const listUrlsWithKey = (sent: readonly SentRequest[]): readonly string[] =>
  sent.flatMap(({ url, key: sentKey }) => (sentKey === undefined ? [] : [url]));

test.each(['llamacpp', 'vllm', 'ollama'] as const)(
  'connectProfile completes a host name to the base URL of %s, and sends the key only to this URL',
  async (kind) => {
    const { server, host } = await connectPlainServer(kind, kind === 'vllm' ? userKey : undefined);
    const { result, sent, keys, saved: addresses } = await connectTestProfile({ address: host });
    expect(result).toEqual({ address: server.baseUrl, problem: null, fixes: [] });
    expect([addresses, keys]).toEqual([[server.baseUrl], [userKey]]);
    const probes = sent.filter((request) => request.key === undefined);
    expect(probes.map(({ url }) => new URL(url).pathname)).toEqual([
      '/api/v1/models',
      '/v1/models',
      '/models',
    ]);
    for (const url of listUrlsWithKey(sent))
      expect(url.startsWith(`${server.baseUrl}/`)).toBe(true);
  },
);

test('completeAddress completes a host name in the same way as the connect form, and sends no key', async () => {
  const { server, host } = await connectPlainServer('vllm', userKey);
  const { account, sent } = createAccount();
  expect(await completeAddress(account, host, signal)).toEqual({
    address: server.baseUrl,
    fixes: [],
  });
  expect(listUrlsWithKey(sent)).toEqual([]);
});

test('completeAddress offers a corrected address that has a service, and otherwise returns the typed address', async () => {
  const { server, host } = await connectPlainServer('llamacpp');
  const { account } = createAccount();
  expect(await completeAddress(account, `http://${host}/v1/models`, signal)).toEqual({
    address: server.baseUrl,
    fixes: [server.baseUrl],
  });
  await server.close();
  expect(await completeAddress(account, `http://${host}/v1`, signal)).toEqual({
    address: server.baseUrl,
    fixes: [],
  });
});

test.each(['two words', 'https://', ''])(
  'findTypedAddressFailure explains the address %j with an example',
  (typed) => {
    expect(findTypedAddressFailure(createAccount().account, typed)?.message).toBe(
      'Enter a host or URL, such as api.example.com.',
    );
  },
);

test('connectProfile accepts an empty key for a server on this machine, unless the server requires a key', async () => {
  const open = await connectPlainServer('ollama');
  expect((await connectTestProfile({ address: open.host, key: '' })).keys).toEqual(['none']);
  const locked = await connectPlainServer('vllm', userKey);
  const {
    result,
    keys,
    saved: addresses,
  } = await connectTestProfile({ address: locked.host, key: '' });
  expect(result.problem?.field).toBe('key');
  expect(result.address).toBe(locked.server.baseUrl);
  expect([keys, addresses]).toEqual([[], []]);
});

test('connectProfile reports a rejected key at the key field, and stores nothing', async () => {
  const { host, server } = await connectPlainServer('vllm', 'another-key-5678');
  const { result, keys, saved: addresses } = await connectTestProfile({ address: host });
  expect(result).toMatchObject({ address: server.baseUrl, problem: { field: 'key' } });
  expect([keys, addresses]).toEqual([[], []]);
});

test('connectProfile follows no redirect, and sends the key neither to the entered address nor to the target of the redirect', async () => {
  const { server } = await connectPlainServer('llamacpp');
  const host = await startAnsweringServer((request, response) =>
    response.writeHead(307, { location: `${server.origin}${request.url}` }).end(),
  );
  const { result, sent } = await connectTestProfile({ address: host });
  expect(result.problem).toMatchObject({ field: 'address' });
  expect(result.problem?.message).toContain('redirect');
  expect(server.requests).toEqual([]);
  expect(listUrlsWithKey(sent)).toEqual([]);
});

test('connectProfile offers the base URL if the user enters the URL of a route, and sends the key only after the user accepts the offer', async () => {
  const { server } = await connectPlainServer('llamacpp');
  const { result, sent } = await connectTestProfile({
    address: `${server.baseUrl}/chat/completions`,
  });
  expect(result.fixes).toContain(server.baseUrl);
  expect(result.problem?.field).toBe('address');
  expect(listUrlsWithKey(sent)).toEqual([]);
});

test('connectProfile offers https for an unencrypted public address, and sends nothing to that address', async () => {
  const { result, sent } = await connectTestProfile({ address: 'http://api.example.test/v1' });
  expect(result.fixes).toEqual(['https://api.example.test/v1']);
  expect(sent).toEqual([]);
});

test('connectProfile sends a request to an unencrypted private address only after the user permits it', async () => {
  const { server } = await connectPlainServer('llamacpp');
  const origin = 'http://192.168.77.5:8080';
  const hosts = { [origin]: server.origin };
  const first = await connectTestProfile({ address: `${origin}/v1` }, hosts);
  expect(first.result.problem).toMatchObject({ field: 'address', unencryptedOrigin: origin });
  expect(first.sent).toEqual([]);
  const other = await connectTestProfile(
    { address: `${origin}/v1`, unencryptedOrigin: 'http://10.0.0.1' },
    hosts,
  );
  expect(other.sent).toEqual([]);
  const second = await connectTestProfile(
    { address: `${origin}/v1`, unencryptedOrigin: origin },
    hosts,
  );
  expect(second.result.problem).toBeNull();
  expect(second.keys).toEqual([userKey]);
});

test('connectProfile tries https first for a private host without a scheme, and then offers the unencrypted address', async () => {
  const host = '192.168.77.6:8443';
  const dead = await startAnsweringServer((request) => request.socket.destroy());
  const { result, sent } = await connectTestProfile(
    { address: host },
    { [`https://${host}`]: `http://${dead}` },
  );
  expect(sent.every(({ url }) => url.startsWith('https://'))).toBe(true);
  expect(result.fixes[0]).toBe(`http://${host}/api/v1`);
  expect(listUrlsWithKey(sent)).toEqual([]);
});

test.each(['<html>Welcome</html>', '{"status":"ok"}', '[]'])(
  'connectProfile does not recognize a server with the reply %s as a service',
  async (body) => {
    const host = await startAnsweringServer((_request, response) => response.end(body));
    const { result, sent } = await connectTestProfile({ address: host });
    expect(result.problem?.message).toBe(`No service found at ${host}. Check the address.`);
    expect(listUrlsWithKey(sent)).toEqual([]);
  },
);

test('connectProfile saves the address without a key if the user chose a wallet', async () => {
  const { server, host } = await connectPlainServer('llamacpp');
  const {
    result,
    sent,
    keys,
    saved: addresses,
  } = await connectTestProfile({ address: host, method: 'wallet' });
  expect(result.problem).toBeNull();
  expect([addresses, keys, listUrlsWithKey(sent)]).toEqual([[server.baseUrl], [], []]);
});

test.each(['sk-spent', 'sk-other-model', 'sk-llm-api'])(
  'connectProfile accepts the limited LiteLLM key %s',
  async (limitedKey) => {
    const { server, host } = await connectPlainServer('litellm', 'the-key');
    const { result, keys } = await connectTestProfile({ address: host, key: limitedKey });
    expect(result).toEqual({ address: server.baseUrl, problem: null, fixes: [] });
    expect(keys).toEqual([limitedKey]);
  },
);
