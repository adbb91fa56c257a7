import { fc } from '../../../test/support/property.ts';
import { describe, expect, test } from 'vitest';
import { splitLines, mergeLines, compareVersions } from './three-way.ts';

const splitAtSpaces = (text: string): readonly string[] => (text === '' ? [] : text.split(' '));

describe('mergeLines', () => {
  test.each([
    ['no change', 'a b c', 'a b c', 'a b c', 'a b c'],
    ['a change in theirs only', 'a b c', 'a b c', 'a X c', 'a X c'],
    ['a change in mine only', 'a b c', 'a X c', 'a b c', 'a X c'],
    ['the same change in both', 'a b c', 'a X c', 'a X c', 'a X c'],
    ['separate changes in both', 'a b c d', 'M b c d', 'a b c T', 'M b c T'],
    ['a change in mine directly above theirs', 'a b c', 'M b c', 'a T c', 'M T c'],
    ['a change in mine directly below theirs', 'a b c', 'a b M', 'a T c', 'a T M'],
    ['an insertion in mine before a removal in theirs', 'a b c', 'a M b c', 'a c', 'a M c'],
    ['an insertion in mine after a removal in theirs', 'a b c', 'a b M c', 'a c', 'a M c'],
    ['one change that the diff reports as two', 'a x a x b', 'a x b', 'a x b', 'a x b'],
    ['the removal of all lines', 'a', 'a', '', ''],
  ])('merges texts with %s', (_, base, mine, theirs, mergedText) => {
    const versions = {
      base: splitAtSpaces(base),
      mine: splitAtSpaces(mine),
      theirs: splitAtSpaces(theirs),
    };
    expect(mergeLines(versions, 'refuse')).toEqual(
      mergedText === '' ? [''] : splitAtSpaces(mergedText),
    );
  });

  test.each([
    ['different changes to a line', 'a b c', 'a M c', 'a T c'],
    ['insertions at the same position', 'a c', 'a M c', 'a T c'],
    ['an insertion inside lines that theirs removes', 'a b c d', 'a b M c d', 'a d'],
    ['a change to a line that theirs removes', 'a b c', 'a M c', 'a c'],
  ])(
    'reports a conflict with the option "refuse", and keeps the user’s lines with the option "mine", for %s',
    (_, base, mine, theirs) => {
      const versions = {
        base: splitAtSpaces(base),
        mine: splitAtSpaces(mine),
        theirs: splitAtSpaces(theirs),
      };
      expect(mergeLines(versions, 'refuse')).toBeUndefined();
      expect(mergeLines(versions, 'mine')).toEqual(splitAtSpaces(mine));
    },
  );
});

test.each([
  ['a text with a final line break', 'a\nb\n', ['a', 'b', '']],
  ['a text with mixed line breaks', 'a\r\nb\rc', ['a', 'b', 'c']],
  ['a text with a byte order mark', '\uFEFFa', ['a']],
  ['an empty text', '', ['']],
])('splitLines splits %s into lines', (_, text, expected) => {
  expect(splitLines(text)).toEqual(expected);
});

/** Generates texts that contain few different lines, so that a diff can describe the same change in several ways. */
const linesArbitrary = fc.array(fc.constantFrom('a', 'b', 'c', '', '}'), {
  minLength: 1,
  maxLength: 30,
});

/** Simulates edits by the user: adds lines that occur nowhere else, and removes other lines. */
const applyUserEdits = (
  before: readonly string[],
  insertionIndexes: readonly number[],
  removedIndexes: readonly number[],
): { now: string[]; typedLines: string[] } => {
  const typedLines = insertionIndexes.map((_, index) => `typed ${index}`);
  const now = before.filter((_, index) => !removedIndexes.includes(index));
  for (const [index, insertionIndex] of insertionIndexes.entries()) {
    now.splice(insertionIndex % (now.length + 1), 0, typedLines[index] ?? '');
  }
  return { now, typedLines };
};

const userEditArbitraries = {
  insertionIndexes: fc.array(fc.nat(40), { maxLength: 6 }),
  removedIndexes: fc.array(fc.nat(40), { maxLength: 4 }),
};

describe('the merge of arbitrary texts', () => {
  test('restores the original text on undo, and the changed text on redo', () => {
    fc.assert(
      fc.property(linesArbitrary, linesArbitrary, (before, after) => {
        const undoneLines = mergeLines({ base: after, mine: after, theirs: before }, 'refuse');
        expect(undoneLines).toEqual(before);
        const redoneLines = mergeLines(
          { base: before, mine: undoneLines ?? [], theirs: after },
          'refuse',
        );
        expect(redoneLines).toEqual(after);
      }),
    );
  });

  test('keeps every line that the user typed if there is no conflict', () => {
    let mergeCount = 0;
    fc.assert(
      fc.property(
        linesArbitrary,
        linesArbitrary,
        userEditArbitraries.insertionIndexes,
        userEditArbitraries.removedIndexes,
        (before, after, insertionIndexes, removedIndexes) => {
          const { now, typedLines } = applyUserEdits(after, insertionIndexes, removedIndexes);
          const undoneLines = mergeLines({ base: after, mine: now, theirs: before }, 'refuse');
          if (undoneLines === undefined) return;
          mergeCount += 1;
          expect(undoneLines.filter((line) => line.startsWith('typed'))).toEqual(
            now.filter((line) => line.startsWith('typed')),
          );
          expect(undoneLines).toEqual(expect.arrayContaining(typedLines));
        },
      ),
      { numRuns: 500 },
    );
    expect(mergeCount).toBeGreaterThan(50);
  });

  test('keeps every line that the user typed, even if the option "mine" resolves conflicts', () => {
    fc.assert(
      fc.property(
        linesArbitrary,
        linesArbitrary,
        userEditArbitraries.insertionIndexes,
        userEditArbitraries.removedIndexes,
        (before, after, insertionIndexes, removedIndexes) => {
          const { now, typedLines } = applyUserEdits(after, insertionIndexes, removedIndexes);
          const merged = mergeLines({ base: after, mine: now, theirs: before }, 'mine');
          expect(merged).toEqual(expect.arrayContaining(typedLines));
        },
      ),
    );
  });

  test('consists of ordered, separate regions that cover every difference', () => {
    fc.assert(
      fc.property(linesArbitrary, linesArbitrary, linesArbitrary, (base, mine, theirs) => {
        let previousEnds = { base: 0, mine: 0, theirs: 0 };
        for (const region of [...compareVersions({ base, mine, theirs }), undefined]) {
          const nextStarts = {
            base: region?.base.start ?? base.length,
            mine: region?.mine.start ?? mine.length,
            theirs: region?.theirs.start ?? theirs.length,
          };
          expect(mine.slice(previousEnds.mine, nextStarts.mine)).toEqual(
            base.slice(previousEnds.base, nextStarts.base),
          );
          expect(theirs.slice(previousEnds.theirs, nextStarts.theirs)).toEqual(
            base.slice(previousEnds.base, nextStarts.base),
          );
          if (region === undefined) continue;
          previousEnds = {
            base: region.base.end,
            mine: region.mine.end,
            theirs: region.theirs.end,
          };
          if (region.changedBy === 'theirs')
            expect(mine.slice(region.mine.start, region.mine.end)).toEqual(
              base.slice(region.base.start, region.base.end),
            );
        }
      }),
    );
  });
});
