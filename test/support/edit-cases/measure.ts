import { applyBlock } from '../../../src/agent/answer/apply-block.ts';
import { applyHunks } from '../../../src/agent/edit/apply-hunks.ts';
import { formatRefusalMessage } from '../../../src/agent/edit/edit-report.ts';
import type { EditCase } from './edit-cases.ts';

/** Numbers of edits, by the result of applying them. */
export interface EditFigures {
  correctCount: number;
  /** Number of edits that produced a text other than the intended text. */
  wrongCount: number;
  refusedCount: number;
  /**
   * Number of refused edits whose error message contains the first non-blank line that the edit was intended to match,
   * with its line number.
   */
  refusedWithLinesCount: number;
}

/** Applies the edit of each case. Returns the numbers of correct, wrong and refused edits for each kind of case. */
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
    const isNamed = containsFirstLine(formatRefusalMessage(result, 'a.ts'), editCase);
    if (isNamed) sums.refusedWithLinesCount += 1;
    onResult?.(editCase, isNamed ? 'refused' : 'unnamed');
  }
  return figures;
}

/**
 * Checks whether the error message contains the first non-blank line that the edit was intended to match, with its line
 * number.
 */
function containsFirstLine(message: string, editCase: EditCase): boolean {
  const { line, text } = findFirstLine(editCase);
  return `${message}\n`.includes(`\n${line}\t${text.slice(0, 200)}`);
}

function findFirstLine({ fileText, intendedLineRange: [firstLine, lastLine] }: EditCase): {
  readonly line: number;
  readonly text: string;
} {
  const lines = fileText.split('\n').slice(firstLine - 1, lastLine);
  const index = lines.findIndex((line) => line.trim() !== '');
  return { line: firstLine + index, text: lines[index] ?? '' };
}

/**
 * Applies each case as a code block with SEARCH/REPLACE markers. A refused edit counts in `refusedWithLinesCount` if
 * its first reported difference is in the intended lines or directly after them. If no difference is reported, it
 * counts if one of the suggested matches starts at the first non-blank intended line.
 */
export function measureBlocks(cases: readonly EditCase[]): EditFigures {
  const sums = { correctCount: 0, wrongCount: 0, refusedCount: 0, refusedWithLinesCount: 0 };
  for (const editCase of cases) {
    const { fileText, hunk, expectedText, intendedLineRange } = editCase;
    const code = `<<<<<<< SEARCH\n${hunk.search}\n=======\n${hunk.replace}\n>>>>>>> REPLACE`;
    const result = applyBlock(fileText, { code, info: '', lineBefore: '' }, 'a.ts');
    if (result.kind === 'applied') {
      sums[result.text === expectedText ? 'correctCount' : 'wrongCount'] += 1;
      continue;
    }
    sums.refusedCount += 1;
    const [first, last] = intendedLineRange;
    const line = result.difference?.file.line;
    const isNamed =
      line === undefined
        ? result.candidates?.some((candidate) => candidate.line === findFirstLine(editCase).line)
        : first <= line && line <= last + 1;
    if (isNamed === true) sums.refusedWithLinesCount += 1;
  }
  return sums;
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
