import * as l10n from '@vscode/l10n';
import { afterEach, expect, test, vi } from 'vitest';

afterEach(() => l10n.config({ contents: {} }));

async function loadLabels(
  translations: { readonly [key: string]: string },
  names: readonly string[],
) {
  vi.resetModules();
  l10n.config({ contents: translations });
  const { getModelTermLabel } = await import('./format.ts');
  return names.map(getModelTermLabel);
}

const termNames = ['reasoning', 'private', 'default_code', 'most_uncensored', 'eliza-default', ''];

test('getModelTermLabel translates known model terms, and separates the words of unknown terms with spaces', async () => {
  expect(await loadLabels({}, termNames)).toEqual([
    'reasoning',
    'private',
    'default code',
    'most uncensored',
    'eliza default',
    '',
  ]);
});

test('getModelTermLabel returns labels in the language of the page, or in English if the translation is missing', async () => {
  const germanTexts = {
    reasoning: 'Denken',
    private: 'privat',
  };
  expect(await loadLabels(germanTexts, termNames)).toEqual([
    'Denken',
    'privat',
    'default code',
    'most uncensored',
    'eliza default',
    '',
  ]);
});
