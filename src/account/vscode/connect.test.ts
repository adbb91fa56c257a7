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

/** Creates a fake account that sends real HTTP requests. `serverOrigins` maps origins to servers on this machine. */
function createAccount(serverOrigins: Readonly<Record<string, string>> = {}) {
  savedProfiles.length = 0;
  const sentRequests: SentRequest[] = [];
  const keys: string[] = [];
  const confirmedOrigins = new Set<string>();
  const directTransport = createDirectTransport();
  onTestFinished(() => directTransport.close());
  const transport: Transport = {
    ...directTransport,
    send: (request) => {
      sentRequests.push({ url: request.url.href, key: request.headers['authorization'] });
      const serverOrigin = serverOrigins[request.url.origin] ?? request.url.origin;
      const url = new URL(request.url.pathname + request.url.search, serverOrigin);
      return directTransport.send({ ...request, url });
    },
  };
  const account = {
    profile: { id: 'default', baseUrl: '', vendorPrefix: 'service' },
    unencryptedOrigins: confirmedOrigins,
    service: {
      getTransport: async () => transport,
      clock: systemClock,
      breakers: new CircuitBreakers(systemClock),
      random: () => 0,
    },
    allowUnencryptedOrigin: async (origin: string) => void confirmedOrigins.add(origin),
    storeKey: async (_profile: unknown, key: string) => void keys.push(key),
    reloadKey: async () => {},
    reportKeylessServer: () => keys.push('none'),
  } as unknown as Account;
  return { account, sentRequests, keys };
}

async function connectTestProfile(
  overrides: Partial<ConnectRequest>,
  serverOrigins: Readonly<Record<string, string>> = {},
) {
  const { account, sentRequests, keys } = createAccount(serverOrigins);
  const request = {
    address: '',
    key: userKey,
    method: 'key',
    unencryptedOrigin: null,
    ...overrides,
  } as const;
  const result = await connectProfile(account, request, signal);
  return { result, sentRequests, keys, savedUrls: savedProfiles.map(({ baseUrl }) => baseUrl) };
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

const listUrlsWithKey = (sentRequests: readonly SentRequest[]): readonly string[] =>
  sentRequests.flatMap(({ url, key: sentKey }) => (sentKey === undefined ? [] : [url]));

test.each(['llamacpp', 'vllm', 'ollama'] as const)(
  'connectProfile completes a host name to the base URL of %s, and sends the key only to this URL',
  async (kind) => {
    const { server, host } = await connectPlainServer(kind, kind === 'vllm' ? userKey : undefined);
    const { result, sentRequests, keys, savedUrls } = await connectTestProfile({ address: host });
    expect(result).toEqual({ address: server.baseUrl, problem: null, fixes: [] });
    expect([savedUrls, keys]).toEqual([[server.baseUrl], [userKey]]);
    const probes = sentRequests.filter((request) => request.key === undefined);
    expect(probes.map(({ url }) => new URL(url).pathname)).toEqual([
      '/api/v1/models',
      '/v1/models',
      '/models',
    ]);
    for (const url of listUrlsWithKey(sentRequests))
      expect(url.startsWith(`${server.baseUrl}/`)).toBe(true);
  },
);

test('completeAddress completes a host name in the same way as the connect form, and sends no key', async () => {
  const { server, host } = await connectPlainServer('vllm', userKey);
  const { account, sentRequests } = createAccount();
  expect(await completeAddress(account, host, signal)).toEqual({
    address: server.baseUrl,
    fixes: [],
  });
  expect(listUrlsWithKey(sentRequests)).toEqual([]);
});

test('completeAddress offers a corrected address at which it finds a service, and otherwise returns the typed address', async () => {
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
  (typedText) => {
    expect(findTypedAddressFailure(createAccount().account, typedText)?.message).toBe(
      'Enter a host or URL, such as api.example.com.',
    );
  },
);

test('connectProfile accepts an empty key for a server on this machine, unless the server requires a key', async () => {
  const openServer = await connectPlainServer('ollama');
  expect((await connectTestProfile({ address: openServer.host, key: '' })).keys).toEqual(['none']);
  const lockedServer = await connectPlainServer('vllm', userKey);
  const { result, keys, savedUrls } = await connectTestProfile({
    address: lockedServer.host,
    key: '',
  });
  expect(result.problem?.field).toBe('key');
  expect(result.address).toBe(lockedServer.server.baseUrl);
  expect([keys, savedUrls]).toEqual([[], []]);
});

test('connectProfile reports a rejected key at the key field, and stores nothing', async () => {
  const { host, server } = await connectPlainServer('vllm', 'another-key-5678');
  const { result, keys, savedUrls } = await connectTestProfile({ address: host });
  expect(result).toMatchObject({ address: server.baseUrl, problem: { field: 'key' } });
  expect([keys, savedUrls]).toEqual([[], []]);
});

test('connectProfile follows no redirect, and sends the key neither to the entered address nor to the target of the redirect', async () => {
  const { server } = await connectPlainServer('llamacpp');
  const host = await startAnsweringServer((request, response) =>
    response.writeHead(307, { location: `${server.origin}${request.url}` }).end(),
  );
  const { result, sentRequests } = await connectTestProfile({ address: host });
  expect(result.problem).toMatchObject({ field: 'address' });
  expect(result.problem?.message).toContain('redirect');
  expect(server.requests).toEqual([]);
  expect(listUrlsWithKey(sentRequests)).toEqual([]);
});

test('connectProfile offers the base URL if the user enters the URL of a route, and sends the key only after the user accepts the offer', async () => {
  const { server } = await connectPlainServer('llamacpp');
  const { result, sentRequests } = await connectTestProfile({
    address: `${server.baseUrl}/chat/completions`,
  });
  expect(result.fixes).toContain(server.baseUrl);
  expect(result.problem?.field).toBe('address');
  expect(listUrlsWithKey(sentRequests)).toEqual([]);
});

test('connectProfile offers https for an unencrypted public address, and sends nothing to that address', async () => {
  const { result, sentRequests } = await connectTestProfile({
    address: 'http://api.example.test/v1',
  });
  expect(result.fixes).toEqual(['https://api.example.test/v1']);
  expect(sentRequests).toEqual([]);
});

test('connectProfile sends a request to an unencrypted private address only after the user permits it', async () => {
  const { server } = await connectPlainServer('llamacpp');
  const origin = 'http://192.168.77.5:8080';
  const serverOrigins = { [origin]: server.origin };
  const firstAttempt = await connectTestProfile({ address: `${origin}/v1` }, serverOrigins);
  expect(firstAttempt.result.problem).toMatchObject({
    field: 'address',
    unencryptedOrigin: origin,
  });
  expect(firstAttempt.sentRequests).toEqual([]);
  const otherAttempt = await connectTestProfile(
    { address: `${origin}/v1`, unencryptedOrigin: 'http://10.0.0.1' },
    serverOrigins,
  );
  expect(otherAttempt.sentRequests).toEqual([]);
  const secondAttempt = await connectTestProfile(
    { address: `${origin}/v1`, unencryptedOrigin: origin },
    serverOrigins,
  );
  expect(secondAttempt.result.problem).toBeNull();
  expect(secondAttempt.keys).toEqual([userKey]);
});

test('connectProfile tries https first for a private host without a scheme, and then offers the unencrypted address', async () => {
  const host = '192.168.77.6:8443';
  const deadHost = await startAnsweringServer((request) => request.socket.destroy());
  const { result, sentRequests } = await connectTestProfile(
    { address: host },
    { [`https://${host}`]: `http://${deadHost}` },
  );
  expect(sentRequests.every(({ url }) => url.startsWith('https://'))).toBe(true);
  expect(result.fixes[0]).toBe(`http://${host}/api/v1`);
  expect(listUrlsWithKey(sentRequests)).toEqual([]);
});

test.each(['<html>Welcome</html>', '{"status":"ok"}', '[]'])(
  'connectProfile does not recognize a server with the reply %s as a service',
  async (body) => {
    const host = await startAnsweringServer((_request, response) => response.end(body));
    const { result, sentRequests } = await connectTestProfile({ address: host });
    expect(result.problem?.message).toBe(`No service found at ${host}. Check the address.`);
    expect(listUrlsWithKey(sentRequests)).toEqual([]);
  },
);

test('connectProfile saves the address without a key if the user chose a wallet', async () => {
  const { server, host } = await connectPlainServer('llamacpp');
  const { result, sentRequests, keys, savedUrls } = await connectTestProfile({
    address: host,
    method: 'wallet',
  });
  expect(result.problem).toBeNull();
  expect([savedUrls, keys, listUrlsWithKey(sentRequests)]).toEqual([[server.baseUrl], [], []]);
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
