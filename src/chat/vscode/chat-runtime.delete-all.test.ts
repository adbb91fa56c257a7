import { expect, test, vi } from 'vitest';
import { ChatRuntime } from './chat-runtime.ts';

const openChats = vi.hoisted(() => ({ chats: [] as unknown[] }));

vi.mock('vscode', async () => ({
  ...(await import('../../../test/support/vscode-stub.ts')),
  Uri: class {
    readonly scheme = 'file';
  },
  window: { showWarningMessage: async () => 'Delete All' },
}));

vi.mock('../../agent/vscode/agents.ts', () => ({
  Agents: class {
    dispose(): void {}
  },
}));

vi.mock('./chats.ts', () => ({
  Chats: class {
    readonly onDidAnswer = () => ({ dispose: () => {} });
    async listIds(): Promise<readonly string[]> {
      return ['c1'];
    }
    create(): string {
      return 'new chat';
    }
    async removeAll(): Promise<void> {
      throw new Error('Not all chats could be removed');
    }
    dispose(): void {}
  },
}));

vi.mock('./panels.ts', () => {
  class Panels {
    readonly chat = { show: (chat: unknown) => openChats.chats.push(chat) };
    readonly chats = [this.chat];
    readonly onDidChangeVisible = () => ({ dispose: () => {} });
    dispose(): void {}
  }
  return { ChatView: Panels, ChatEditors: Panels, ChatNotifier: Panels };
});

test('deleteAll replaces all open chats with new chats even if a chat could not be deleted', async () => {
  const runtime = new ChatRuntime({ host: {}, tools: [] } as never);
  await expect(runtime.deleteAll()).rejects.toThrow('Not all chats could be removed');
  expect(openChats.chats).toEqual(['new chat', 'new chat']);
});
