import { expect, onTestFinished, test } from 'vitest';
import { type PlainServerKind, startPlainServer } from '../../test/foreign/plain-server.mjs';
import { findLocalServers } from './local-servers.ts';

const ports = { ollama: '11434', llamacpp: '8080', lmstudio: '1234' } as const;

/** Searches for local servers. Requests to `port` reach a server of `kind`; all other requests fail. */
async function findServers(kind: PlainServerKind, port: string) {
  const server = await startPlainServer({ kind });
  onTestFinished(() => server.close());
  const urls: string[] = [];
  const foundServers = await findLocalServers(async (url) => {
    urls.push(url.href);
    if (url.port !== port) throw new Error('refused');
    const reply = await fetch(new URL(url.pathname, server.origin));
    return reply.json();
  });
  return { foundServers, urls };
}

test.each([
  ['ollama', 'Ollama', 'http://127.0.0.1:11434/v1'],
  ['llamacpp', 'llama.cpp', 'http://127.0.0.1:8080/v1'],
  ['lmstudio', 'LM Studio', 'http://127.0.0.1:1234/v1'],
] as const)(
  'findLocalServers recognizes %s by the reply on its default port',
  async (kind, name, baseUrl) => {
    expect((await findServers(kind, ports[kind])).foundServers).toEqual([{ name, baseUrl }]);
  },
);

test('findLocalServers sends one request to each port', async () => {
  const { urls } = await findServers('ollama', ports.ollama);
  expect(urls.map((url) => new URL(url).port)).toEqual(['11434', '8080', '1234']);
  expect(new Set(urls.map((url) => new URL(url).hostname))).toEqual(new Set(['127.0.0.1']));
});

test.each([
  ['ollama', '8080'],
  ['vllm', '8080'],
  ['lmstudio', '11434'],
  ['llamacpp', '1234'],
] as const)(
  'findLocalServers does not recognize %s on port %s, the default port of another server',
  async (kind, port) => {
    expect((await findServers(kind, port)).foundServers).toEqual([]);
  },
);

test.each([
  undefined,
  null,
  [],
  {},
  '<html>',
  { models: [] },
  { data: null },
  { data: [null] },
  { models: 'x' },
])('findLocalServers ignores the reply %j', async (reply) =>
  expect(await findLocalServers(async () => reply)).toEqual([]),
);
