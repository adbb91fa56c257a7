import { expect, test, vi } from 'vitest';
import { showEditResult } from './edit-command.ts';

const shownMessages = vi.hoisted((): string[] => []);
vi.mock('vscode', () => import('../../../test/support/vscode-stub.ts'));
vi.mock('../../account/vscode/show-failure.ts', () => ({}));
vi.mock('./edited-lines.ts', () => ({}));
vi.mock('./editor-target.ts', () => ({}));
vi.mock('../../platform/notifications.ts', () => ({
  showInformation: async (message: string) => void shownMessages.push(message),
}));

test('showEditResult explains that an answer has several code blocks, instead of reporting lines that do not match', async () => {
  const result = { kind: 'refused', reason: 'several-blocks' } as const;
  await showEditResult({} as never, result, {} as never);
  expect(shownMessages).toEqual([
    'The answer has several code blocks, so the lines stay unchanged: select fewer lines.',
  ]);
});

test('showEditResult names the text in an answer that caused the refusal', async () => {
  shownMessages.length = 0;
  const cause = { kind: 'tokens', rule: 'token of a chat template' } as const;
  const result = { kind: 'refused', reason: 'unclear', cause } as const;
  await showEditResult({} as never, result, {} as never);
  expect(shownMessages).toEqual([
    'The answer contains special tokens of the model. The lines stay unchanged: try again.',
  ]);
});
