import { expect, test } from 'vitest';
import { findUnusedExports } from './exports.ts';
import { productSources } from './sources.ts';

/** Modules whose exports VS Code calls. */
const entries = ['src/extension.ts'];

test('each export of the product is used outside tests', () => {
  const sources = productSources();
  expect(sources.size).toBeGreaterThan(50);
  expect(findUnusedExports(sources, entries)).toEqual([]);
});

const planted = 'export const planted = (): number => 1;';

test.each([
  ['an import', "import { other, planted } from './planted.ts';"],
  ['an import with another name', "import { planted as renamed } from './planted.ts';"],
  ['a type import', "import type { planted } from './planted.ts';"],
  ['a dynamic import', "const { planted } = await import('./planted.ts');"],
  ['a member of a dynamic import', "(await import('./planted.ts')).planted();"],
  ['an import of the whole module', "import * as all from './planted.ts';"],
])('%s is a caller', (_, text) => {
  const sources = new Map([
    ['src/chat/planted.ts', planted],
    ['src/chat/caller.ts', text],
  ]);
  expect(findUnusedExports(sources, entries)).toEqual([]);
});

test.each([
  ['no other source', ''],
  ['an import of another name', "import { other } from './planted.ts';"],
  ['an import from another module', "import { planted } from '../agent/planted.ts';"],
  ['another member of a dynamic import', "(await import('./planted.ts')).other();"],
  ['a comment', "// import { planted } from './planted.ts';"],
])('%s is no caller', (_, text) => {
  const sources = new Map([
    ['src/chat/planted.ts', `/** Describes planted. */\n${planted}`],
    ['src/chat/caller.ts', text],
  ]);
  expect(findUnusedExports(sources, entries)).toEqual(['src/chat/planted.ts planted']);
});

test('interfaces and classes count as exports', () => {
  const text = 'export interface A {}\nexport class B {}';
  const sources = new Map([['src/chat/planted.ts', text]]);
  expect(findUnusedExports(sources, [])).toEqual([
    'src/chat/planted.ts A',
    'src/chat/planted.ts B',
  ]);
});

test('a use inside the exporting module counts as a use', () => {
  const sources = new Map([['src/chat/planted.ts', `${planted}\nplanted();`]]);
  expect(findUnusedExports(sources, [])).toEqual([]);
});
