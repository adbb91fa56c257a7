import { expect, test } from 'vitest';
import { CitationMarks } from './citation-marks.ts';

function written(...pieces: readonly string[]): string {
  const out: string[] = [];
  const marks = new CitationMarks((text) => out.push(text));
  for (const piece of pieces) marks.push(piece);
  marks.end();
  return out.join('');
}

test.each([
  ['High water ^1^ and low ^2,3^.', 'High water [1] and low [2,3].'],
  ['2^10 is 1024', '2^10 is 1024'],
  ['x^2', 'x^2'],
  ['x^2 + y^2', 'x^2 + y^2'],
  ['^^', '^^'],
  ['', ''],
])('%j becomes %j, whole and in pieces', (text, expected) => {
  expect(written(text)).toBe(expected);
  expect(written(...text.split(''))).toBe(expected);
});

test('what cannot become a mark is not held back', () => {
  const out: string[] = [];
  const marks = new CitationMarks((text) => out.push(text));
  marks.push('all of it');
  expect(out).toEqual(['all of it']);
  marks.push(` ^${'1'.repeat(50)}`);
  expect(out.join('')).toBe(`all of it ^${'1'.repeat(50)}`);
});
