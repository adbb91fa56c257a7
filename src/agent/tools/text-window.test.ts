import { expect, test } from 'vitest';
import { truncateLine, formatContinuationNote, numberLines } from './text-window.ts';

test('numberLines numbers the lines, and formatContinuationNote reports the number of remaining lines', () => {
  const window = numberLines(['b', 'c'], 2);
  expect(window).toEqual({ text: '2\tb\n3\tc', firstLine: 2, lastLine: 3 });
  expect(formatContinuationNote(window, 3)).toBe('');
  expect(formatContinuationNote(window, 1_003)).toBe(
    '[1,000 more lines: go on with start_line 4.]',
  );
  expect(formatContinuationNote(window, undefined)).toBe('[More lines: go on with start_line 4.]');
});

test('numberLines limits the number of lines and characters, and truncates long lines', () => {
  expect(
    numberLines(
      Array.from({ length: 5_000 }, () => 'x'),
      1,
    ).lastLine,
  ).toBe(2_000);
  const wideWindow = numberLines(
    Array.from({ length: 100 }, () => 'x'.repeat(1_500)),
    1,
  );
  expect(wideWindow.text.length).toBeLessThanOrEqual(50_000);
  expect(wideWindow.lastLine).toBe(33);
  expect(numberLines(['x'.repeat(1e6)], 1).text).toMatch(
    /^1\tx{2000} \[… 998,000 more characters\]$/u,
  );
});

test('truncateLine does not split a surrogate pair', () => {
  expect(truncateLine('a😀b', 2)).toBe('a [… 3 more characters]');
});
