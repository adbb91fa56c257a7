import { expect, test } from 'vitest';
import { applyHunks } from './apply-hunks.ts';
import { mergeWords } from './find-similar.ts';
import { toHunkLines } from './hunk.ts';

test('applyHunks rejects a search if fewer than half of its lines occur unchanged in the file', () => {
  const file =
    'start();\nconst firstValue = computeFirst(alpha, 1);\nconst secondValue = computeSecond(beta, 2);\nconst thirdValue = computeThird(gamma, 3);\nprintAll(firstValue, secondValue);\nend();\n';
  const search =
    'const firstValu = computeFirst(alpha, 1);\nconst secondValue = computeSecond(betta, 2);\nconst thirdValue = computeThrd(gamma, 3);\nprintAll(firstValue, secondValue);';
  const replace = search.replace('printAll(', 'showAll(');
  expect(applyHunks(file, [{ search, replace }])).toMatchObject({
    type: 'refused',
    code: 'no-match',
  });
});

test('mergeWords merges changes to words that are not adjacent', () => {
  const currentText = 'open(file, mode)';
  expect(
    mergeWords({ base: 'load(file, mode)', current: currentText, target: 'load(file, flag)' }),
  ).toBe('open(file, flag)');
});

test('mergeWords returns undefined if a changed word is adjacent to a word that differs in the file', () => {
  const currentText = 'open(file, mode)';
  expect(
    mergeWords({ base: 'load(file, mode)', current: currentText, target: 'load[file, mode)' }),
  ).toBe(undefined);
});

test('toHunkLines removes blank lines at the start only if both search and replacement begin with a blank line', () => {
  expect(toHunkLines({ search: '\na\nb', replace: '\nc' })).toEqual({
    search: ['a', 'b'],
    replace: ['c'],
  });
  expect(toHunkLines({ search: '\na\nb', replace: 'c\n\na' })).toEqual({
    search: ['', 'a', 'b'],
    replace: ['c', '', 'a'],
  });
});
