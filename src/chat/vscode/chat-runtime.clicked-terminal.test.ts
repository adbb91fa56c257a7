import { expect, test, vi } from 'vitest';
import { ChatRuntime } from './chat-runtime.ts';

const active = vi.hoisted(() => ({ name: 'active' }));
const attached = vi.hoisted(() => [] as unknown[]);

vi.mock('vscode', async () => ({
  ...(await import('../../../test/support/vscode-stub.ts')),
  window: { activeTerminal: active, terminals: [active] },
}));

vi.mock('../../agent/vscode/agents.ts', () => ({
  Agents: class {
    dispose(): void {}
  },
}));

vi.mock('./chats.ts', () => ({
  Chats: class {
    readonly onDidAnswer = () => ({ dispose: () => {} });
    dispose(): void {}
  },
}));

vi.mock('./panels.ts', () => {
  class Panels {
    readonly active = { chat: {}, notice: () => {}, focusComposer: () => {} };
    dispose(): void {}
  }
  return { ChatView: Panels, ChatEditors: Panels, ChatNotifier: Panels };
});

vi.mock('./attach.ts', () => ({ Attach: vi.fn() }));

vi.mock('../context/vscode/chat-context.ts', () => ({
  ChatContext: class {
    readonly attach = {
      attachTerminal: async (_: unknown, terminal: unknown) => void attached.push(terminal),
    };
    dispose(): void {}
  },
}));

test.each<[what: string, clicked: unknown, expected: unknown]>([
  ['the active terminal without a click', undefined, active],
  ['a clicked terminal', active, active],
  ['a clicked terminal that VS Code no longer lists', { name: 'closed' }, { name: 'closed' }],
])('attachTerminal attaches only the output of %s', async (_, clicked, expected) => {
  attached.length = 0;
  await new ChatRuntime({ host: {}, tools: [] } as never).attachTerminal(clicked);
  expect(attached).toEqual([expected]);
});
