import { expect, test } from 'vitest';
import { countDaysLeft } from './key-expiry.ts';

const nowMs = Date.parse('2026-11-21T12:00:00.000Z');

test.each([
  ['2026-11-26T12:00:00.000Z', 5],
  ['2026-11-26T12:00:00.001Z', 6],
  ['2026-11-21T12:00:00.001Z', 1],
  ['2026-11-21T12:00:00.000Z', 0],
  ['2020-01-01T00:00:00.000Z', 0],
  ['soon', undefined],
  [undefined, undefined],
])('countDaysLeft returns the number of days until %s: %s', (expiresAt, days) => {
  expect(countDaysLeft(expiresAt, nowMs)).toBe(days);
});
