import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import type { CompletionContext } from './suggestion-state.ts';
import { turnOnSuggestions } from './turn-on.ts';

const executedCommands = vi.hoisted(
  (): { command: string; uri: { path: string; fragment: string } }[] => [],
);
vi.mock('vscode', async () => ({
  ...(await import('../../../test/support/vscode-stub.ts')),
  Uri: {
    joinPath: (base: { path: string }, ...names: string[]) => ({
      with: ({ fragment }: { fragment: string }) => ({
        path: [base.path, ...names].join('/'),
        fragment,
      }),
    }),
  },
  commands: {
    executeCommand: async (command: string, uri: (typeof executedCommands)[0]['uri']) =>
      void executedCommands.push({ command, uri }),
  },
}));
vi.mock('../../platform/notifications.ts', () => ({
  confirm: async (_: unknown, ...buttons: string[]) =>
    buttons.find((label) => label === 'Learn More'),
}));
vi.mock('./completion-settings.ts', () => ({
  getConfiguredModel: () => undefined,
  getConfiguredModelPrice: () => undefined,
  setCompletionEnabled: () => Promise.reject(new Error('not agreed')),
}));

test('the Learn More button opens an existing section of the guide and does not turn suggestions on', async () => {
  const host = {
    account: { profile: { baseUrl: 'https://api.example/v1' } },
    models: { refresh: async () => {} },
    context: { extensionUri: { path: '/extension' } },
  };
  const context = { host, suggestions: { isSignedIn: true } } as unknown as CompletionContext;
  expect(await turnOnSuggestions(context)).toBe(false);
  const [{ command, uri } = { command: '', uri: undefined }] = executedCommands;
  expect([command, uri?.path]).toEqual([
    'markdown.showPreview',
    '/extension/docs/inline-suggestions.md',
  ]);
  const guideText = readFileSync(
    new URL('../../../docs/inline-suggestions.md', import.meta.url),
    'utf8',
  );
  const anchors = [...guideText.matchAll(/^#+ (.+)$/gmu)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w -]/gu, '')
      .replaceAll(' ', '-'),
  );
  expect(anchors).toContain(uri?.fragment);
});
