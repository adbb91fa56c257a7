// @vitest-environment happy-dom
import { expect, test } from 'vitest';
import { findText, maxMatches } from './find-widget.ts';

function createElement(...children: (string | Node)[]): HTMLElement {
  const result = document.createElement('p');
  result.append(...children);
  return result;
}

const findMatches = (query: string, ...roots: Element[]): string[] =>
  findText(roots, query).map(
    ({ startContainer, startOffset, endContainer, endOffset }) =>
      `${startContainer.textContent}:${startOffset}–${endContainer.textContent}:${endOffset}`,
  );

test('findText finds matches in document order, ignoring case', () => {
  expect(findMatches('ab', createElement('xAB'), createElement('abab'))).toEqual([
    'xAB:1–xAB:3',
    'abab:0–abab:2',
    'abab:2–abab:4',
  ]);
});

test('findText finds a match that spans several elements', () => {
  expect(findMatches('end of', createElement('the en', createElement('d'), ' of it'))).toEqual([
    'the en:4– of it:3',
  ]);
});

test('findText treats the query as literal text instead of a pattern', () => {
  expect(findMatches('a.c(', createElement('abc( a.c('))).toEqual(['abc( a.c(:5–abc( a.c(:9']);
});

test('findText computes correct offsets after letters whose lower case is longer', () => {
  expect(findMatches('x', createElement('İİx'))).toEqual(['İİx:2–İİx:3']);
});

test('findText finds nothing for an empty query, and limits the number of matches', () => {
  expect(findMatches('', createElement('a'))).toEqual([]);
  expect(findText([createElement('a'.repeat(maxMatches + 1))], 'a')).toHaveLength(maxMatches);
});
