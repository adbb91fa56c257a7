import { expect, test, vi } from 'vitest';
import { useInVsCodeChat } from './use-in-vscode-chat.ts';

const warnings = vi.hoisted((): string[] => []);

vi.mock('vscode', () => ({
  l10n: { t: (text: string) => text },
  lm: { selectChatModels: () => Promise.reject(new Error('no chat')) },
  window: {
    showWarningMessage: (text: string) => {
      warnings.push(text);
      return Promise.resolve();
    },
  },
}));

test('useInVsCodeChat reports which of its two steps failed', async () => {
  const models = { refresh: () => Promise.reject(new Error('no models')) };
  await useInVsCodeChat({ models, log: { error: () => {} } } as never);
  expect(warnings).toEqual([
    'That did not work. See the log for details.',
    'That did not work. See the log for details.',
  ]);
});
