// @vitest-environment happy-dom
import { expect, test } from 'vitest';
import { findTextRanges, maxMatches } from './find-widget.ts';

function createElement(...children: (string | Node)[]): HTMLElement {
  const result = document.createElement('p');
  result.append(...children);
  return result;
}

const findMatches = (query: string, ...roots: Element[]): string[] =>
  findTextRanges(roots, query).map(
    ({ startContainer, startOffset, endContainer, endOffset }) =>
      `${startContainer.textContent}:${startOffset}–${endContainer.textContent}:${endOffset}`,
  );

test('findTextRanges finds matches in document order, ignoring case', () => {
  expect(findMatches('ab', createElement('xAB'), createElement('abab'))).toEqual([
    'xAB:1–xAB:3',
    'abab:0–abab:2',
    'abab:2–abab:4',
  ]);
});

test('findTextRanges finds a match that spans several elements', () => {
  expect(findMatches('end of', createElement('the en', createElement('d'), ' of it'))).toEqual([
    'the en:4– of it:3',
  ]);
});

test('findTextRanges treats the query as literal text instead of a pattern', () => {
  expect(findMatches('a.c(', createElement('abc( a.c('))).toEqual(['abc( a.c(:5–abc( a.c(:9']);
});

test('findTextRanges computes correct offsets after letters whose lower case is longer', () => {
  expect(findMatches('x', createElement('İİx'))).toEqual(['İİx:2–İİx:3']);
});

test('findTextRanges finds nothing for an empty query, and limits the number of matches', () => {
  expect(findMatches('', createElement('a'))).toEqual([]);
  expect(findTextRanges([createElement('a'.repeat(maxMatches + 1))], 'a')).toHaveLength(maxMatches);
});
