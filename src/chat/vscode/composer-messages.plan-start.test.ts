import { expect, test, vi } from 'vitest';
import { createSendHandlers } from './composer-messages.ts';

vi.mock('vscode', () => import('../../../test/support/vscode-stub.ts'));

test.each([
  ['default mode', undefined, ['agent', 'plan']],
  ['stored mode "ask"', 'ask', ['agent', 'ask']],
] as const)(
  'the page message `plan-start` restores the %s of the chat if the plan is not sent',
  async (_, mode, modes) => {
    const storedModes: string[] = [];
    const session = {
      conversation: { mode, head: { id: 'a1' } },
      setMode: async (value: string) => void storedModes.push(value),
      send: async () => false,
    };
    const chat = { session };
    const context = { agents: { mode: 'plan' }, getCurrentChat: () => chat, post: () => {} };
    const message = { type: 'plan-start', messageId: 'a1', text: 'Read' } as const;
    await createSendHandlers(context as never)['plan-start'](message, chat as never);
    expect(storedModes).toEqual(modes);
  },
);

test('the page message `plan-start` sends a chat message of one sentence with the plan as an attachment', async () => {
  const sendCalls: unknown[] = [];
  const session = {
    conversation: { mode: 'plan', head: { id: 'a1' } },
    setMode: async () => {},
    send: async (...values: unknown[]) => sendCalls.push(values) > 0,
  };
  const message = { type: 'plan-start', messageId: 'a1', text: '1. **Read**' } as const;
  await createSendHandlers({} as never)['plan-start'](message, { session } as never);
  const attachment = { kind: 'file', label: 'Plan', language: 'markdown', text: '1. **Read**' };
  expect(sendCalls).toMatchObject([['Carry out this plan.', [attachment], undefined]]);
});
