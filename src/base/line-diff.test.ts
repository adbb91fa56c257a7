import { fc } from '../../test/support/property.ts';
import { describe, expect, test } from 'vitest';
import { diffLines, type LineChange } from './line-diff.ts';

const splitCharacters = (text: string): string[] => Array.from(text);

/** Applies the changes to the lines `a`. Takes the added lines from `b`. */
function applyChanges(
  a: readonly string[],
  b: readonly string[],
  changes: readonly LineChange[],
): string[] {
  const result: string[] = [];
  let index = 0;
  for (const { from, to } of changes) {
    result.push(...a.slice(index, from.start), ...b.slice(to.start, to.end));
    index = from.end;
  }
  return [...result, ...a.slice(index)];
}

const countChangedLines = ({ from, to }: LineChange): number =>
  from.end - from.start + to.end - to.start;
const sumChangeSizes = (changes: readonly LineChange[]): number =>
  changes.reduce((sum, change) => sum + countChangedLines(change), 0);

/**
 * Returns the number of lines that a minimal diff removes and adds, computed from the longest
 * common subsequence.
 */
function computeMinimalDiffSize(a: readonly string[], b: readonly string[]): number {
  let row = Array.from({ length: b.length + 1 }, () => 0);
  for (const line of a) {
    const nextRow = [0];
    for (const [index, secondLine] of b.entries())
      nextRow.push(
        line === secondLine
          ? (row[index] ?? 0) + 1
          : Math.max(row[index + 1] ?? 0, nextRow[index] ?? 0),
      );
    row = nextRow;
  }
  return a.length + b.length - 2 * (row.at(-1) ?? 0);
}

describe('diffLines', () => {
  test.each(['abc', ''])('returns no changes between two copies of the text "%s"', (text) => {
    expect(diffLines(splitCharacters(text), splitCharacters(text))).toEqual([]);
  });

  test.each([
    ['', 'ab', ['0,0>0,2']],
    ['ab', '', ['0,2>0,0']],
    ['abc', 'axc', ['1,2>1,2']],
    ['abcdef', 'aXbcdYf', ['1,1>1,2', '4,5>5,6']],
    ['abc', 'xyz', ['0,3>0,3']],
  ])('returns the changes between %j and %j', (a, b, expected) => {
    const changeTexts = diffLines(splitCharacters(a), splitCharacters(b)).map(
      ({ from, to }) => `${from.start},${from.end}>${to.start},${to.end}`,
    );
    expect(changeTexts).toEqual(expected);
  });

  const anyLines = fc.array(fc.constantFrom('a', 'b', 'c', 'd', ''), { maxLength: 40 });

  test('returns a minimal list of separate changes that turns the first text into the second', () => {
    fc.assert(
      fc.property(anyLines, anyLines, (a, b) => {
        const changes = diffLines(a, b);
        expect(applyChanges(a, b, changes)).toEqual(b);
        expect(sumChangeSizes(changes)).toBe(computeMinimalDiffSize(a, b));
        for (const [index, { from, to }] of changes.entries()) {
          const nextChange = changes[index + 1];
          if (nextChange === undefined) continue;
          expect(nextChange.from.start - from.end).toBe(nextChange.to.start - to.end);
          expect(nextChange.from.start).toBeGreaterThan(from.end);
        }
      }),
    );
  });

  test('takes linear time for unrelated texts and for shuffled texts', () => {
    const count = 100_000;
    const uniqueLines = Array.from({ length: count }, (_, i) => `left ${i}`);
    const otherUniqueLines = Array.from({ length: count }, (_, i) => `right ${i}`);
    expect(diffLines(uniqueLines, otherUniqueLines)).toEqual([
      { from: { start: 0, end: count }, to: { start: 0, end: count } },
    ]);
    const shuffledLines = uniqueLines.map((_, i) => uniqueLines[(i * 7919) % count] ?? '');
    expect(applyChanges(uniqueLines, shuffledLines, diffLines(uniqueLines, shuffledLines))).toEqual(
      shuffledLines,
    );
  });

  test('aligns very different texts at lines that occur exactly once in each text', () => {
    const createBlock = (side: string, i: number): string[] => [
      `anchor ${i}`,
      ...Array.from({ length: 40 }, (_, j) => `${side} ${i} ${j}`),
    ];
    const createSide = (name: string): string[] =>
      Array.from({ length: 200 }, (_, i) => createBlock(name, i)).flat();
    const changes = diffLines(createSide('left'), createSide('right'));
    expect(changes).toHaveLength(200);
    expect(applyChanges(createSide('left'), createSide('right'), changes)).toEqual(
      createSide('right'),
    );
  });
});
