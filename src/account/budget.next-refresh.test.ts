import { expect, test } from 'vitest';
import { getMsUntilRefresh } from './budget.ts';

const minuteMs = 60_000;

test.each([
  ['2026-11-21T20:48:00.000Z', 192 * minuteMs],
  ['2026-11-21T20:48:00.001Z', 192 * minuteMs - 1],
  ['2026-11-21T00:00:00.000Z', 24 * 60 * minuteMs],
  ['2026-11-21T23:59:59.999Z', 1],
  ['2026-12-31T12:00:00.000Z', 12 * 60 * minuteMs],
])(
  'getMsUntilRefresh, called at %s, returns the time until the next DIEM refresh: %d ms',
  (now, expectedMs) => expect(getMsUntilRefresh(Date.parse(now))).toBe(expectedMs),
);
