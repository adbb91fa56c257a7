import * as l10n from '@vscode/l10n';
import { afterEach, expect, test, vi } from 'vitest';

afterEach(() => l10n.config({ contents: {} }));

async function wordsIn(contents: { readonly [key: string]: string }, names: readonly string[]) {
  vi.resetModules();
  l10n.config({ contents });
  const { modelWord } = await import('./format.ts');
  return names.map(modelWord);
}

const names = ['reasoning', 'private', 'default_code', 'most_uncensored', 'eliza-default', ''];

test('what the service calls a thing is said in words, what is not known as it stands', async () => {
  expect(await wordsIn({}, names)).toEqual([
    'reasoning',
    'private',
    'default for code',
    'fewest content limits',
    'eliza default',
    '',
  ]);
});

test('in the language of the page, and in English without a translation', async () => {
  const german = {
    reasoning: 'Denken',
    private: 'privat',
    'default for code': 'Standard für Code',
  };
  expect(await wordsIn(german, names)).toEqual([
    'Denken',
    'privat',
    'Standard für Code',
    'fewest content limits',
    'eliza default',
    '',
  ]);
});
