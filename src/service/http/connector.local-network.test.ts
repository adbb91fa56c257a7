import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { expect, test } from 'vitest';
import { createDirectTransport } from './direct-transport.ts';
import { ServiceError } from './failure.ts';
import { isPrivateAddress } from './private-network.ts';

/**
 * Private address of this machine, if any. Excludes link-local IPv6 addresses, because a URL with such an address needs
 * a zone id.
 */
const ownAddress = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ address }) => isPrivateAddress(address) && !address.startsWith('fe80'))?.address;
const getFamily = (address: string): number => (address.includes(':') ? 6 : 4);

/** Requests a URL with a resolver that returns the given addresses. */
async function requestUrl(url: string, ...addresses: readonly string[]) {
  const resolvedHosts: string[] = [];
  const transport = createDirectTransport({
    proxy: { url: 'http://127.0.0.1:9' },
    resolve: async (hostname) => {
      resolvedHosts.push(hostname);
      return addresses.map((address) => ({ address, family: getFamily(address) }));
    },
  });
  try {
    const { status } = await transport.send({
      method: 'GET',
      url: new URL(url),
      headers: {},
      signal: new AbortController().signal,
      timeouts: { connectMs: 1_000, headersMs: 5_000, idleMs: 5_000 },
    });
    return { status, resolvedHosts };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { code: error.failure.code, resolvedHosts };
  } finally {
    await transport.close();
  }
}

async function withLoopbackServer(use: (port: number) => Promise<void>): Promise<void> {
  const server = http.createServer((_, response) => response.end('ok'));
  await new Promise<void>((resolve) => server.listen(0, resolve));
  try {
    await use((server.address() as AddressInfo).port);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

test.each([
  ['a public address', ['8.8.8.8', '2001:4860:4860::8888']],
  ['a loopback address', ['127.0.0.1', '::1']],
  ['a metadata address', ['169.254.169.254', 'fd00:ec2::254', '::ffff:169.254.169.254']],
  ['a private and a public address', ['192.168.1.20', '8.8.8.8']],
  ['a private and a loopback address', ['127.0.0.1', '192.168.1.20']],
  ['a private and a metadata address', ['10.0.0.7', 'fd00:ec2::254']],
  ['no address', []],
])(
  'createServiceConnector refuses a name of the local network that resolves to %s',
  async (_description, addresses) => {
    await withLoopbackServer(async (port) => {
      expect(await requestUrl(`http://gpu.local:${port}/`, ...addresses)).toEqual({
        code: 'invalid-address',
        resolvedHosts: ['gpu.local'],
      });
    });
  },
);

test('createServiceConnector resolves a name of the local network only once, and connects to its private address', async () => {
  await withLoopbackServer(async (port) => {
    const url = `http://gpu.local:${port}/`;
    // Without a network, the transport tries to connect to this unassigned address.
    const address = ownAddress ?? '10.255.255.1';
    const result = await requestUrl(url, address, 'fe80::1');
    expect(result.resolvedHosts).toEqual(['gpu.local']);
    if (ownAddress === undefined) expect(result.code).not.toBe('invalid-address');
    else expect(result.status).toBe(200);
  });
});

test('createServiceConnector resolves a local name for each connection, so that a changed address is checked', async () => {
  const addressLists = [['127.0.0.1'], ['8.8.8.8']];
  for (const addresses of addressLists) {
    const { code } = await requestUrl('http://gpu.local:9/', ...addresses);
    expect(code).toBe('invalid-address');
  }
});

test.each(['http://169.254.169.254/', 'http://[fd00:ec2::254]/', 'http://[::ffff:a9fe:a9fe]/'])(
  'createServiceConnector never connects to %s',
  async (url) => {
    expect(await requestUrl(url)).toEqual({ code: 'invalid-address', resolvedHosts: [] });
  },
);

test('createServiceConnector resolves neither IP addresses nor names of this machine with the resolver for .local names', async () => {
  await withLoopbackServer(async (port) => {
    expect(await requestUrl(`http://127.0.0.1:${port}/`)).toEqual({
      status: 200,
      resolvedHosts: [],
    });
    expect(await requestUrl(`http://localhost:${port}/`)).toEqual({
      status: 200,
      resolvedHosts: [],
    });
  });
});
