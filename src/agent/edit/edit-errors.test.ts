import { expect, test } from 'vitest';
import { applyHunks } from './apply-hunks.ts';
import type { Hunk } from './hunk.ts';
import { createRefusalError } from './edit-errors.ts';

function refuseHunk(text: string, hunk: Hunk): [string, string] {
  const result = applyHunks(text, [hunk]);
  if (result.type === 'applied') throw new Error('applied');
  const { code, message } = createRefusalError(result, 'src/a.ts');
  return [code, message];
}

test('reports the file, the number of the edit, the reason and the lines around each match', () => {
  expect(refuseHunk('one\ntwo\none\n', { search: 'one', replace: '1' })).toEqual([
    'ambiguous',
    'src/a.ts was not changed. Edit 1: The search occurs in 2 places. Add lines around the right one, or set "occurrence" or "all".\nThe nearest lines:\n1\tone\n2\ttwo\n[…]\n2\ttwo\n3\tone\n4\t',
  ]);
});

test('reports the lines nearest to a search that does not match', () => {
  const [code, message] = refuseHunk('const first = 1;\nconst second = 2;\n', {
    search: 'const second = 3;',
    replace: 'x',
  });
  expect(code).toBe('not-found');
  expect(message).toContain('2\tconst second = 2;');
});

test('reports the numbers of lines with hidden characters', () => {
  const hunk = { search: 'const a = 1;', replace: 'x', all: true };
  expect(refuseHunk('const\u200B a = 1;\nb\n', hunk)[1]).toContain(
    'Line 1 holds invisible characters, which are not shown to you.',
  );
  expect(refuseHunk('const a  = 1;\nb\n', hunk)[1]).not.toContain('invisible');
});
