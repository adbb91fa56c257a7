import { expect, test } from 'vitest';
import { countDaysLeft, getNextWarning } from './key-expiry.ts';

const now = Date.parse('2026-11-21T12:00:00.000Z');

test.each([
  ['2026-11-26T12:00:00.000Z', 5],
  ['2026-11-26T12:00:00.001Z', 6],
  ['2026-11-21T12:00:00.001Z', 1],
  ['2026-11-21T12:00:00.000Z', 0],
  ['2020-01-01T00:00:00.000Z', 0],
  ['soon', undefined],
  [undefined, undefined],
])('countDaysLeft returns the number of days until %s: %s', (expiresAt, days) => {
  expect(countDaysLeft(expiresAt, now)).toBe(days);
});

test.each([
  [90, undefined, undefined],
  [15, undefined, undefined],
  [14, undefined, 14],
  [14, 14, undefined],
  [4, 14, undefined],
  [3, 14, 3],
  [2, 3, undefined],
  [1, 3, 1],
  [1, 14, 1],
  [1, undefined, 1],
  [1, 1, undefined],
  [0, 1, undefined],
  [0, undefined, 1],
])(
  'getNextWarning returns the warning threshold for %s remaining days after the last warning at %s days: %s',
  (days, lastShown, warning) => {
    expect(getNextWarning(days, lastShown)).toBe(warning);
  },
);
