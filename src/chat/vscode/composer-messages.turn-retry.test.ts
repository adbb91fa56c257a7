import { expect, test, vi } from 'vitest';
import { createSendHandlers } from './composer-messages.ts';

const { executeCommand } = vi.hoisted(() => ({ executeCommand: vi.fn(async () => {}) }));

vi.mock('vscode', async () => ({
  ...(await import('../../../test/support/vscode-stub.ts')),
  commands: { executeCommand },
}));

test.each([
  ['answers with an offered model that still protects as well', 'model-2', true, ['model-2'], 0],
  ['opens the list of models if the offered model now protects less', 'model-2', false, [], 1],
  ['answers with a model that the user chose from the list', 'model-3', false, ['model-3'], 0],
] as const)(
  'the page message `turn-retry` %s',
  async (_title, id, canReplace, retriedIds, openCount) => {
    executeCommand.mockClear();
    const modelIds: string[] = [];
    const result = { fallback: { id: 'model-2', name: 'Model Two' } };
    const answer = { role: 'assistant', model: { id: 'model-1', name: 'Model One' }, result };
    const session = {
      conversation: { findMessage: () => answer },
      retry: async (_id: string, model: { readonly id: string }) => void modelIds.push(model.id),
    };
    const context = {
      findModel: (modelId: string) => ({ id: modelId, name: modelId }),
      canReplace: () => canReplace,
    };
    const message = { type: 'turn-retry', messageId: 'a1', model: id } as const;
    await createSendHandlers(context as never)['turn-retry'](message, { session } as never);
    expect(modelIds).toEqual(retriedIds);
    expect(executeCommand).toHaveBeenCalledTimes(openCount);
  },
);
