import { expect, test, vi } from 'vitest';
import { changeTodos } from './agent-messages.ts';

const dialog = vi.hoisted(() => ({ answer: undefined as string | undefined }));

vi.mock('vscode', async () => ({
  ...(await import('../../../test/support/vscode-stub.ts')),
  window: { showWarningMessage: async () => dialog.answer },
}));

test.each([
  ['clear', undefined, 0],
  ['clear', 'Delete All', 1],
  ['remove', undefined, 1],
] as const)(
  'the change %s of the todo list after the answer %s applies %i times',
  async (action, answer, count) => {
    dialog.answer = answer;
    const changes: unknown[] = [];
    const session = { changeTodos: async (change: unknown) => void changes.push(change) };
    await changeTodos(session, { id: null, action, text: '' });
    expect(changes).toHaveLength(count);
  },
);
