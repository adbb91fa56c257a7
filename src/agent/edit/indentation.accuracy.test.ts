import { expect, test } from 'vitest';
import { readSources } from '../../../test/support/edit-cases/edit-cases.ts';
import { createIndentCases } from '../../../test/support/edit-cases/indent-cases.ts';
import { measureEdits } from '../../../test/support/edit-cases/measure.ts';

const indentFigures = measureEdits(createIndentCases(readSources(), { seed: 20, count: 12_000 }));

test.each([
  ['none', 1, 0],
  ['search dedented', 0.98, 0.002],
  ['replacement dedented', 0.6, 0.005],
  ['both dedented', 0.96, 0.01],
  ['both dedented partly', 0.96, 0.02],
  ['search dedented partly', 0.98, 0.003],
  ['first line of the search', 0.97, 0.002],
  ['first line of the replacement', 0.75, 0.002],
  ['first lines of both', 0.97, 0.005],
  ['search dedented, first line of the replacement', 0.9, 0.03],
])(
  'applyHunks restores lost indentation in edits of the kind "%s"',
  (kind, minCorrectRatio, maxWrongRatio) => {
    const { correctCount, wrongCount, refusedCount } = indentFigures.get(kind) ?? {
      correctCount: 0,
      wrongCount: 0,
      refusedCount: 0,
    };
    const total = correctCount + wrongCount + refusedCount;
    expect(correctCount / total).toBeGreaterThanOrEqual(minCorrectRatio);
    expect(wrongCount / total).toBeLessThanOrEqual(maxWrongRatio);
  },
);
