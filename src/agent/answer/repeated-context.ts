import type { SurroundedLines } from './answer-hunks.ts';
import { diffLines } from '../../base/line-diff.ts';

/**
 * Removes lines before and after the selection that an answer repeats, ignoring indentation and blank lines. Returns
 * `unclear` if repeated lines may be new lines, and `outside` if the answer also contains other lines around the
 * selection.
 */
export function removeRepeatedContext(
  answer: readonly string[],
  target: SurroundedLines,
): readonly string[] | 'unclear' | 'outside' {
  const lines = toNonBlankLines(answer);
  const [before, original, after] = [target.before, target.original, target.after].map((side) =>
    toNonBlankLines(side).map(({ text }) => text),
  ) as [string[], string[], string[]];
  const texts = lines.map(({ text }) => text);
  const heads = overlapLengths(texts, before);
  const tails = overlapLengths(texts.toReversed(), after.toReversed());
  const best = findBestOverlap({ texts, original, heads, tails });
  if (best === 'unclear') return 'unclear';
  const { head, tail } = best;
  const rest = texts.slice(head, texts.length - tail);
  if (repeatsBlock(rest, before, original) || repeatsBlock(rest, after, original)) return 'outside';
  if (head === 0 && tail === 0) return answer;
  const start = head === 0 ? 0 : (lines[head - 1]?.index ?? -1) + 1;
  const end = tail === 0 ? answer.length : (lines[lines.length - tail]?.index ?? answer.length);
  return answer.slice(start, end);
}

interface NonBlankLine {
  readonly text: string;
  readonly index: number;
}

const toNonBlankLines = (lines: readonly string[]): readonly NonBlankLine[] =>
  lines.map((line, index) => ({ text: line.trim(), index })).filter(({ text }) => text !== '');

/** Returns the numbers of lines for which the start of `lines` equals the end of `context`, longest first. */
export function overlapLengths(
  lines: readonly string[],
  context: readonly string[],
): readonly number[] {
  const lengths: number[] = [];
  for (let length = Math.min(lines.length, context.length); length > 0; length -= 1) {
    const offset = context.length - length;
    if (lines[0] !== context[offset] || lines[length - 1] !== context.at(-1)) continue;
    if (lines.slice(0, length).every((line, index) => line === context[offset + index]))
      lengths.push(length);
  }
  return lengths;
}

interface Overlaps {
  readonly texts: readonly string[];
  readonly original: readonly string[];
  readonly heads: readonly number[];
  readonly tails: readonly number[];
}

/** Maximum number of overlap lengths to compare on each side of the selection. Only very repetitive files have more. */
const maxOverlaps = 4;

function findBestOverlap({
  texts,
  original,
  heads,
  tails,
}: Overlaps): { readonly head: number; readonly tail: number } | 'unclear' {
  const none = { head: 0, tail: 0 };
  if (heads.length === 0 && tails.length === 0) return none;
  const distance = countChangedLines(original, texts);
  const originalTexts = new Set(original);
  const candidates = [...heads.slice(0, maxOverlaps), 0]
    .flatMap((head) => [...tails.slice(0, maxOverlaps), 0].map((tail) => ({ head, tail })))
    .filter(({ head, tail }) => head + tail > 0 && head + tail <= texts.length)
    .toSorted((a, b) => b.head + b.tail - a.head - a.tail);
  for (const { head, tail } of candidates) {
    const removed = [...texts.slice(0, head), ...texts.slice(texts.length - tail)];
    const rest = texts.slice(head, texts.length - tail);
    if (rest.length === 0 && original.length > 0) continue;
    // Lines that also belong to the original are no addition, so the answer does not repeat them.
    const spared = distance - countChangedLines(original, rest);
    if (spared < removed.length) {
      if (spared > -removed.length && removed.some((line) => isDistinctive(line))) return 'unclear';
      continue;
    }
    const unclear = [texts.slice(0, head), texts.slice(texts.length - tail)]
      .filter((side) => !side.some((line) => isDistinctive(line) && !originalTexts.has(line)))
      .flat();
    if (unclear.length === 0) return { head, tail };
    if (unclear.some((line) => isDistinctive(line))) return 'unclear';
    // Brackets and similar lines can be repeated or new, unless only one reading balances them.
    const balance = computeBracketBalance(original);
    const removedBalance = computeBracketBalance(rest);
    const keptBalance = removedBalance + computeBracketBalance(unclear);
    if (removedBalance === keptBalance) return 'unclear';
    if (removedBalance === balance) return { head, tail };
    if (keptBalance !== balance) return 'unclear';
  }
  return none;
}

function countChangedLines(a: readonly string[], b: readonly string[]): number {
  return diffLines(a, b).reduce(
    (sum, { from, to }) => sum + from.end - from.start + to.end - to.start,
    0,
  );
}

const commonLines: ReadonlySet<string> = new Set([
  'end',
  'else:',
  'else',
  'fi',
  'done',
  'esac',
  'break;',
  'pass',
  'then',
  'do',
  'begin',
  'try:',
]);

const isDistinctive = (line: string): boolean =>
  /[\p{L}\p{N}].*[\p{L}\p{N}]/u.test(line) && !commonLines.has(line);

function computeBracketBalance(lines: readonly string[]): number {
  let balance = 0;
  for (const bracket of lines.join('').match(/[()[\]{}]/gu) ?? [])
    balance += '([{'.includes(bracket) ? 1 : -1;
  return balance;
}

/** Minimum number of consecutive context lines in an answer that show that it covers more lines than the selection. */
const minBlockLength = 3;

/** Checks whether lines contain a run of consecutive context lines that the original does not contain. */
function repeatsBlock(
  lines: readonly string[],
  context: readonly string[],
  original: readonly string[],
): boolean {
  const known = new Set(original);
  const starts = new Map<string, number[]>();
  for (const [index, line] of context.entries())
    if (isDistinctive(line) && !known.has(line))
      starts.set(line, [...(starts.get(line) ?? []).slice(-20), index]);
  return lines.some((line, index) =>
    (starts.get(line) ?? []).some((start) => {
      const block = context.slice(start, start + minBlockLength);
      return (
        block.length === minBlockLength &&
        block.every((text, offset) => text === lines[index + offset] && !known.has(text))
      );
    }),
  );
}
