import { expect, test, vi } from 'vitest';
import { startStrictDeployment } from '../../test/support/deployment-context.ts';
import { type Account, Connections } from '../account/vscode/account.ts';
import type { ChatRequest } from '../service/chat/chat-types.ts';
import { streamChat } from '../service/chat/stream-chat.ts';
import { AccountSource, GroupSource, type SourceHost } from './model-source.ts';

vi.mock('vscode', async (importOriginal) => ({
  ...(await importOriginal<object>()),
  workspace: { getConfiguration: () => ({ inspect: () => ({}), get: () => undefined }) },
}));

const notifications = vi.hoisted(() => ({ messages: [] as string[], pressed: '' }));
vi.mock('../platform/notifications.ts', () => ({
  showError: () => {},
  showCancellable: () => {},
  showStatusMessage: (message: string) => void notifications.messages.push(message),
  showWithActions: async (
    _show: unknown,
    message: string,
    actions: readonly { label: string; run: () => unknown }[],
  ) => {
    notifications.messages.push(message);
    await actions.find(({ label }) => label === notifications.pressed)?.run();
  },
}));

const { signal } = new AbortController();

/** Sends three chats to a group in the same way as VS Code. Returns the statuses of the chats. */
async function sendThreeChats(
  shape: 'minimal' | 'full',
  word: string,
  options: Partial<ChatRequest> = {},
): Promise<readonly number[]> {
  await using server = await startStrictDeployment({ shape, word });
  const state = new Map<string, unknown>();
  const memento = {
    get: (key: string, fallback?: unknown) => state.get(key) ?? fallback,
    update: async (key: string, value: unknown) => void state.set(key, value),
  } as never;
  const connections = new Connections(memento);
  const account: Partial<Account> = {
    // Vendor prefix of another service, which requests to the group must not contain.
    profile: { id: 'default', baseUrl: 'https://other.example/api/v1', vendorPrefix: 'other' },
    state: memento,
    getConnection: (baseUrl) => connections.get(baseUrl),
  };
  const group = { apiKey: server.deployment.keys.inference, baseUrl: server.deployment.baseUrl };
  const source = new GroupSource(
    { service: server.context, account } as unknown as SourceHost,
    group,
    'group-1',
  );
  await source.listModels(signal);
  for (let count = 0; count < 3; count += 1) {
    const request = {
      model: 'maple-70b',
      messages: [{ role: 'user', content: 'Hello' }],
      parameters: { include_system_prompt: false },
      ...options,
    } as const;
    const report = source.createReporter();
    const chatOptions = { signal, areOptionsChosen: true };
    for await (const events of streamChat(source.service, request, chatOptions)) {
      const endEvent = events.at(-1);
      if (endEvent?.type === 'stream-end' && endEvent.outcome.kind === 'failed')
        report(endEvent.outcome.failure);
    }
  }
  return server.listRequests('/chat/completions').map(({ status }) => status);
}

test.each(['acme', 'zephyr'])(
  'a model group uses the vendor prefix that its service sends: %s',
  async (word) => {
    expect(await sendThreeChats('full', word)).toEqual([200, 200, 200]);
  },
);

test('a model group takes the vendor prefix from its API key if the service sends no vendor prefix', async () => {
  expect(await sendThreeChats('minimal', 'acme')).toEqual([200, 200, 200]);
});

test('a model group omits a field from all requests after the service has rejected the field', async () => {
  const options = { prompt_cache_key: 'chat-1' };
  expect(await sendThreeChats('minimal', 'acme', options)).toEqual([400, 200, 200, 200]);
});

test.each([
  [{ verbosity: 'low' } as const, 'Length of answers'],
  [{ extraFields: { top_k: 40 } }, 'top_k'],
])('a model group offers to omit an option that the service rejects: %j', async (options, name) => {
  notifications.messages.length = 0;
  notifications.pressed = 'Send without it';
  const statuses = await sendThreeChats('minimal', 'acme', options);
  // The first message fails, and later messages leave the option out.
  expect(statuses).toEqual([400, 200, 200]);
  expect(notifications.messages).toEqual([
    expect.stringContaining(`This service does not support this option: ${name}.`),
    'The option is left out from now on. Send the message again.',
  ]);
});

test.each([
  ['resolves', () => Promise.resolve()],
  ['rejects', () => Promise.reject(new Error('The list cannot be read.'))],
])('AccountSource stops observing the models when the refresh %s', async (_, refresh) => {
  const listeners = new Set<() => void>();
  const onDidChange = (listener: () => void) => {
    listeners.add(listener);
    return { dispose: () => listeners.delete(listener) };
  };
  const source = new AccountSource({ models: { models: [], refresh, onDidChange } } as never);
  await source.listModels(signal).catch(() => []);
  expect(listeners.size).toBe(0);
});
