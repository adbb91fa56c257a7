import { expect, test, vi } from 'vitest';
import { createSendHandlers } from './composer-messages.ts';

const { executeCommand } = vi.hoisted(() => ({ executeCommand: vi.fn(async () => {}) }));

vi.mock('vscode', async () => ({
  ...(await import('../../../test/support/vscode-stub.ts')),
  commands: { executeCommand },
}));

test.each([
  ['offered model with the same protection', 'model-2', true, ['model-2'], 0],
  ['offered model that now protects less', 'model-2', false, [], 1],
  ['model that the user chose from the list', 'model-3', false, ['model-3'], 0],
] as const)(
  'the page message `turn-retry` retries with the given model, or opens the model list if an offered model protects less: %s',
  async (_title, id, canUseFallback, retriedIds, openCount) => {
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
      canUseFallback: () => canUseFallback,
    };
    const message = { type: 'turn-retry', messageId: 'a1', model: id } as const;
    await createSendHandlers(context as never)['turn-retry'](message, { session } as never);
    expect(modelIds).toEqual(retriedIds);
    expect(executeCommand).toHaveBeenCalledTimes(openCount);
  },
);
