import { expect, test } from 'vitest';
import { trimPrefix, trimSuffix } from './prompt-budget.ts';

/** Creates lines of ten characters. Each line contains its number, starting at `firstNumber`. */
const createLines = (count: number, firstNumber = 0): string =>
  Array.from(
    { length: count },
    (_, index) => `line ${String(firstNumber + index).padStart(4, '0')}\n`,
  ).join('');

test.each<[string, number, number, string]>([
  ['all', 10, 0, 'all'],
  ['all', 3, 0, 'all'],
  ['one\ntwo', 6, 1, 'two'],
  ['one\ntwo', 3, 1, 'two'],
  ['one\ntwo', 4, 1, 'two'],
  ['one\ntwo\n', 4, 2, 'two\n'],
  ['a long line', 4, 0, 'line'],
  ['one\na long line', 4, 1, 'line'],
  ['😀😀', 3, 0, '😀'],
  ['x😀y', 2, 0, 'y'],
  ['all', 0, 0, ''],
  ['all\n', 0, 1, ''],
  ['', 5, 0, ''],
])('trimPrefix trims %j to at most %i characters', (prefix, maxLength, line, expected) =>
  expect(trimPrefix(prefix, maxLength, line)).toBe(expected),
);

test.each<[string, number, string]>([
  ['all', 10, 'all'],
  ['all', 3, 'all'],
  ['one\ntwo', 6, 'one\n'],
  ['one\ntwo', 4, 'one\n'],
  ['one\ntwo', 3, 'one'],
  ['a long line', 6, 'a long'],
  ['a long line\nb', 6, 'a long'],
  ['😀😀', 3, '😀'],
  ['\ntwo', 2, '\n'],
  ['all', 0, ''],
  ['all', -5, ''],
])('trimSuffix trims %j to at most %i characters', (suffix, maxLength, expected) =>
  expect(trimSuffix(suffix, maxLength)).toBe(expected),
);

test('trimPrefix starts at a line number that is a multiple of 16', () => {
  // The first line of the text is line 101 of the document. The last line is empty and is line 201.
  expect(trimPrefix(createLines(100, 101), 500, 201)).toBe(createLines(41, 160));
  expect(trimPrefix(createLines(99, 102), 500, 201)).toBe(createLines(41, 160));
});

test('trimPrefix changes the start at most once per 16 added lines', () => {
  const textStarts = Array.from({ length: 64 }, (_, addedLineCount) =>
    trimPrefix(createLines(200 + addedLineCount), 500, 200 + addedLineCount).slice(0, 9),
  );
  expect(new Set(textStarts).size).toBeLessThanOrEqual(5);
});

test('trimPrefix starts at another line number if 16 lines are too long', () => {
  const longText = Array.from({ length: 20 }, (_, index) => `${index}${'x'.repeat(100)}\n`).join(
    '',
  );
  const expected = trimPrefix(longText, 520, 30);
  expect(expected).toMatch(/^15x/);
  expect(expected.length).toBeLessThanOrEqual(520);
});

test.each(['\n'.repeat(1_000_000), 'x'.repeat(10_000_000), '\uD83D'.repeat(1_000_000)])(
  'trimPrefix and trimSuffix trim huge texts',
  (text) => {
    expect(trimPrefix(text, 3_000, 1_000_000).length).toBeLessThanOrEqual(3_000);
    expect(trimSuffix(text, 3_000).length).toBeLessThanOrEqual(3_000);
  },
);
