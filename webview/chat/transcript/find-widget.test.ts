// @vitest-environment happy-dom
import { expect, test } from 'vitest';
import { findText, maxMatches } from './find-widget.ts';

function element(...children: (string | Node)[]): HTMLElement {
  const result = document.createElement('p');
  result.append(...children);
  return result;
}

const found = (words: string, ...roots: Element[]): string[] =>
  findText(roots, words).map(
    ({ startContainer, startOffset, endContainer, endOffset }) =>
      `${startContainer.textContent}:${startOffset}–${endContainer.textContent}:${endOffset}`,
  );

test('matches keep the document order and ignore case', () => {
  expect(found('ab', element('xAB'), element('abab'))).toEqual([
    'xAB:1–xAB:3',
    'abab:0–abab:2',
    'abab:2–abab:4',
  ]);
});

test('a match may span elements', () => {
  expect(found('end of', element('the en', element('d'), ' of it'))).toEqual(['the en:4– of it:3']);
});

test('what is searched for is no pattern', () => {
  expect(found('a.c(', element('abc( a.c('))).toEqual(['abc( a.c(:5–abc( a.c(:9']);
});

test('letters whose lower case is longer do not shift what follows', () => {
  expect(found('x', element('İİx'))).toEqual(['İİx:2–İİx:3']);
});

test('nothing is found for nothing, and not more than can be shown', () => {
  expect(found('', element('a'))).toEqual([]);
  expect(findText([element('a'.repeat(maxMatches + 1))], 'a')).toHaveLength(maxMatches);
});
