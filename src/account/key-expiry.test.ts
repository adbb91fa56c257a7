import { expect, test } from 'vitest';
import { countDaysLeft } from './key-expiry.ts';

const nowMs = Date.parse('2026-11-21T12:00:00.000Z');

test.each([
  ['2026-11-26T12:00:00.000Z', 5],
  ['2026-11-26T12:00:00.001Z', 6],
  ['2026-11-21T12:00:00.001Z', 1],
  ['2026-11-21T12:00:00.000Z', 0],
  ['2020-01-01T00:00:00.000Z', 0],
])(
  'countDaysLeft at noon UTC on 2026-11-21 returns $1 days for a key that expires at $0',
  (expiresAt, days) => {
    expect(countDaysLeft(expiresAt, nowMs)).toBe(days);
  },
);

test.each([
  ['an invalid expiration date', 'soon'],
  ['no expiration date', undefined],
])('countDaysLeft returns undefined for a key with %s', (_, expiresAt) => {
  expect(countDaysLeft(expiresAt, nowMs)).toBeUndefined();
});
