import { expect, test, vi } from 'vitest';
import type { TransportRequest } from '../../service/http/client.ts';
import type { HostMessage } from '../protocol/host-message.ts';
import { createActionHandlers } from './page-actions.ts';

const workspace = vi.hoisted(() => ({ isTrusted: true }));
vi.mock('vscode', async () => ({
  ...(await import('../../../test/support/vscode-stub.ts')),
  workspace,
}));

/**
 * Handles the request for local servers that the page sends when it shows the connect form. No server answers.
 * Returns the sent requests and the posted messages.
 */
async function requestLocalServers(status: 'signed-in' | 'signed-out', isTrusted: boolean) {
  workspace.isTrusted = isTrusted;
  const sentRequests: TransportRequest[] = [];
  const postedMessages: HostMessage[] = [];
  const transport = {
    send: async (request: TransportRequest) => {
      sentRequests.push(request);
      throw new Error('refused');
    },
  };
  const account = { view: { status }, transports: { openTransport: async () => transport } };
  const post = (message: HostMessage): number => postedMessages.push(message);
  const handlers = createActionHandlers({ host: { account }, post } as never);
  await handlers['local-servers-request']({ type: 'local-servers-request' }, {} as never);
  return { sentRequests, postedMessages };
}

test('the chat host sends one request to each of three default ports in a trusted window, with a time limit of 300 ms', async () => {
  const { sentRequests, postedMessages } = await requestLocalServers('signed-out', true);
  expect(sentRequests.map(({ method, url }) => `${method} ${url.host}`)).toEqual([
    'GET 127.0.0.1:11434',
    'GET 127.0.0.1:8080',
    'GET 127.0.0.1:1234',
  ]);
  for (const { timeouts, headers, signal } of sentRequests) {
    expect(timeouts).toEqual({ connectMs: 300, headersMs: 300, idleMs: 300 });
    expect(headers).toEqual({ accept: 'application/json' });
    expect(signal).toBeInstanceOf(AbortSignal);
  }
  expect(postedMessages).toEqual([{ type: 'local-servers', servers: [] }]);
});

test.each([
  ['in an untrusted window', 'signed-out', false],
  ['if the account is signed in', 'signed-in', true],
] as const)('the chat host sends no request to local ports %s', async (_case, status, isTrusted) =>
  expect(await requestLocalServers(status, isTrusted)).toEqual({
    sentRequests: [],
    postedMessages: [],
  }),
);
