import { fc } from '../../../test/support/property.ts';
import { describe, expect, test } from 'vitest';
import {
  acceptHunks,
  computeRejectionEdits,
  replaceLines,
  listReviewHunks,
  sliceLines,
} from './three-way.ts';

const splitAtSpaces = (text: string): readonly string[] => text.split(' ');

/** Formats each hunk as `old>new`, with the lines before the turn and the current lines. */
const formatHunks = (before: string, after: string, now: string): string[] => {
  const texts = {
    before: splitAtSpaces(before),
    after: splitAtSpaces(after),
    now: splitAtSpaces(now),
  };
  return listReviewHunks(texts).map((hunk) => {
    const oldText = sliceLines(texts.before, hunk.before).join();
    return `${oldText}>${sliceLines(texts.now, hunk.now).join()}${hunk.hasUserEdits ? '!' : ''}`;
  });
};

test.each([
  ['no change', 'a b c', 'a b c', 'a b c', []],
  ['a changed line', 'a b c', 'a X c', 'a X c', ['b>X']],
  ['two changes', 'a b c d e', 'X b c d Y', 'X b c d Y', ['a>X', 'e>Y']],
  ['added lines', 'a c', 'a X Y c', 'a X Y c', ['>X,Y']],
  ['removed lines', 'a b c', 'a c', 'a c', ['b>']],
  ['user text above the change', 'a b c', 'a X c', 'p q a X c', ['b>X']],
  ['user text directly below the change', 'a b c', 'a X c', 'a X p c', ['b>X']],
  ['only user text', 'a b c', 'a b c', 'a p c', []],
  ['user text inside the change', 'a b c', 'a X Y c', 'a X p Y c', ['b>X,p,Y!']],
  ['a change that the user reverted', 'a b c', 'a X c', 'a b c', []],
])('listReviewHunks returns the hunks for %s', (_, before, after, now, expected) => {
  expect(formatHunks(before, after, now)).toEqual(expected);
});

const linesArbitrary = fc.array(fc.constantFrom('a', 'b', 'c', '', '}'), {
  minLength: 1,
  maxLength: 20,
});

describe('the review of arbitrary changes', () => {
  test('restores the original text after the user rejects all hunks', () => {
    fc.assert(
      fc.property(linesArbitrary, linesArbitrary, (before, after) => {
        const hunks = listReviewHunks({ before, after, now: after });
        expect(replaceLines(after, computeRejectionEdits(before, hunks))).toEqual(before);
      }),
    );
  });

  test('leaves no hunk after the user accepts all hunks, for any current text', () => {
    fc.assert(
      fc.property(linesArbitrary, linesArbitrary, linesArbitrary, (before, after, now) => {
        const hunks = listReviewHunks({ before, after, now });
        const acceptedLines = acceptHunks({ before, after }, hunks);
        expect(listReviewHunks({ before: acceptedLines, after, now })).toEqual([]);
      }),
    );
  });

  test('leaves only one accepted hunk after the user rejects all other hunks', () => {
    fc.assert(
      fc.property(linesArbitrary, linesArbitrary, fc.nat(), (before, after, seed) => {
        const hunks = listReviewHunks({ before, after, now: after });
        const hunk = hunks[seed % Math.max(1, hunks.length)];
        if (hunk === undefined) return;
        const acceptedLines = acceptHunks({ before, after }, [hunk]);
        const remainingHunks = listReviewHunks({ before: acceptedLines, after, now: after });
        expect(replaceLines(after, computeRejectionEdits(acceptedLines, remainingHunks))).toEqual(
          acceptedLines,
        );
      }),
    );
  });
});
