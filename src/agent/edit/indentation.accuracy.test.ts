import { expect, test } from 'vitest';
import { readSources } from '../../../test/support/edit-cases/edit-cases.ts';
import { createIndentCases } from '../../../test/support/edit-cases/indent-cases.ts';
import { measureEdits } from '../../../test/support/edit-cases/measure.ts';

const indentFigures = measureEdits(createIndentCases(readSources(), { seed: 20, count: 12_000 }));

test('applyHunks applies each edit of a real file that lost no indentation', () => {
  expectAccuracy('none', 1);
});

test.each([
  ['search dedented', 0.98],
  ['replacement dedented', 0.7],
  ['both dedented', 0.97],
  ['both dedented partly', 0.97],
  ['search dedented partly', 0.98],
  ['first line of the search', 0.97],
  ['first line of the replacement', 0.79],
  ['first lines of both', 0.97],
  ['search dedented, first line of the replacement', 0.94],
])(
  'applyHunks restores lost indentation in edits of the kind "%s", or refuses the edit',
  expectAccuracy,
);

function expectAccuracy(kind: string, minCorrectRatio: number): void {
  const { correctCount, wrongCount, refusedCount } = indentFigures.get(kind) ?? {
    correctCount: 0,
    wrongCount: 0,
    refusedCount: 0,
  };
  const totalCount = correctCount + wrongCount + refusedCount;
  expect(wrongCount).toBe(0);
  expect(correctCount / totalCount).toBeGreaterThanOrEqual(minCorrectRatio);
}
