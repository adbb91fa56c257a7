import { expect, test, vi } from 'vitest';
import type { Transport, TransportRequest } from '../service/http/client.ts';
import { withDirectLocalNetwork } from './network.ts';

vi.mock('vscode', () => ({}));

function createRecordingTransport(name: string, log: string[]): Transport {
  return {
    send: async ({ url }) => {
      log.push(`${name} ${url.host}`);
      return { status: 200, headers: {}, body: (async function* () {})() };
    },
    close: async () => void log.push(`${name} closed`),
  };
}

test.each([
  ['http://192.168.1.5:8080/v1/models', 'directly', 'direct 192.168.1.5:8080'],
  ['http://gpu.local/v1/models', 'directly', 'direct gpu.local'],
  ['http://127.0.0.1:8080/v1/models', 'through VS Code’s network stack', 'editor 127.0.0.1:8080'],
  ['https://192.168.1.5/v1/models', 'through VS Code’s network stack', 'editor 192.168.1.5'],
  ['https://gpu.local/v1/models', 'through VS Code’s network stack', 'editor gpu.local'],
  [
    'https://service.example/v1/models',
    'through VS Code’s network stack',
    'editor service.example',
  ],
])('withDirectLocalNetwork sends a request to %s %s', async (url, _route, expected) => {
  const log: string[] = [];
  const transport = withDirectLocalNetwork(createRecordingTransport('editor', log), async () =>
    createRecordingTransport('direct', log),
  );
  await transport.send({ url: new URL(url) } as TransportRequest);
  await transport.close();
  expect(log[0]).toBe(expected);
  expect(log).toContain('editor closed');
  expect(log.includes('direct closed')).toBe(expected.startsWith('direct'));
});
