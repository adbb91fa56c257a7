import { applyHunks } from '../../../src/agent/edit/apply-hunks.ts';
import { formatRefusalMessage } from '../../../src/agent/edit/edit-report.ts';
import type { EditCase } from './edit-cases.ts';

/** Number of edits per result. */
export interface EditFigures {
  correctCount: number;
  /** Number of edits that produced a text other than the intended text. */
  wrongCount: number;
  refusedCount: number;
  /**
   * Number of refused edits whose error message contains a line that the edit was intended to change, with its line
   * number.
   */
  refusedWithLinesCount: number;
}

/** Applies each case. Returns the number of cases per result, grouped by kind of case. */
export function measureEdits(
  cases: readonly EditCase[],
  onResult?: (editCase: EditCase, result: 'correct' | 'wrong' | 'refused' | 'unnamed') => void,
): Map<string, EditFigures> {
  const figures = new Map<string, EditFigures>();
  for (const editCase of cases) {
    const sums = figures.get(editCase.kind) ?? {
      correctCount: 0,
      wrongCount: 0,
      refusedCount: 0,
      refusedWithLinesCount: 0,
    };
    figures.set(editCase.kind, sums);
    const result = applyHunks(editCase.fileText, [editCase.hunk]);
    if (result.type === 'applied') {
      const outcome = result.text === editCase.expectedText ? 'correct' : 'wrong';
      sums[`${outcome}Count`] += 1;
      onResult?.(editCase, outcome);
      continue;
    }
    sums.refusedCount += 1;
    const isNamed = containsIntendedLine(formatRefusalMessage(result, 'a.ts'), editCase);
    if (isNamed) sums.refusedWithLinesCount += 1;
    onResult?.(editCase, isNamed ? 'refused' : 'unnamed');
  }
  return figures;
}

/** Checks whether the message contains one of the intended lines together with its line number. */
function containsIntendedLine(
  message: string,
  { fileText, intendedLineRange: [first, last] }: EditCase,
): boolean {
  const lines = fileText.split('\n').slice(first - 1, last);
  return lines.some(
    (line, index) =>
      line.trim() !== '' && `${message}\n`.includes(`\n${first + index}\t${line.slice(0, 200)}`),
  );
}

/** Adds up the numbers of all kinds of cases. */
export function sumFigures(figures: Iterable<EditFigures>): EditFigures {
  const sums = { correctCount: 0, wrongCount: 0, refusedCount: 0, refusedWithLinesCount: 0 };
  for (const { correctCount, wrongCount, refusedCount, refusedWithLinesCount } of figures) {
    sums.correctCount += correctCount;
    sums.wrongCount += wrongCount;
    sums.refusedCount += refusedCount;
    sums.refusedWithLinesCount += refusedWithLinesCount;
  }
  return sums;
}
