import { expect, test, vi } from 'vitest';
import { ChatRuntime } from './chat-runtime.ts';

const clickedTerminal = vi.hoisted(() => ({ name: 'active' }));
const attachedItems = vi.hoisted(() => [] as unknown[]);

vi.mock('vscode', async () => ({
  ...(await import('../../../test/support/vscode-stub.ts')),
  window: { activeTerminal: clickedTerminal, terminals: [clickedTerminal] },
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
    readonly activeChat = { chat: {}, showNotice: () => {}, focusComposer: () => {} };
    readonly onDidChangeVisible = () => ({ dispose: () => {} });
    dispose(): void {}
  }
  return { ChatView: Panels, ChatEditors: Panels, ChatNotifier: Panels };
});

vi.mock('./attach.ts', () => ({ AttachmentCommands: vi.fn() }));

vi.mock('../context/vscode/chat-context.ts', () => ({
  ChatContext: class {
    readonly contextAttacher = {
      attachTerminal: async (_: unknown, terminal: unknown) => void attachedItems.push(terminal),
    };
    dispose(): void {}
  },
}));

test.each<[what: string, clicked: unknown, expected: unknown]>([
  ['the active terminal if the user clicked no terminal', undefined, clickedTerminal],
  ['a clicked terminal', clickedTerminal, clickedTerminal],
  ['a clicked terminal that VS Code no longer lists', { name: 'closed' }, { name: 'closed' }],
])('attachTerminal attaches only the output of %s', async (_, clickedItem, expected) => {
  attachedItems.length = 0;
  await new ChatRuntime({ host: {}, tools: [] } as never).attachTerminal(clickedItem);
  expect(attachedItems).toEqual([expected]);
});
