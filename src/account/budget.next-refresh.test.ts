import { expect, test } from 'vitest';
import { msUntilRefresh } from './budget.ts';

const hour = 3_600_000;

test.each([
  ['2026-11-21T20:48:00.000Z', 3.2 * hour],
  ['2026-11-21T20:48:00.001Z', 3.2 * hour - 1],
  ['2026-11-21T00:00:00.000Z', 24 * hour],
  ['2026-11-21T23:59:59.999Z', 1],
  ['2026-12-31T12:00:00.000Z', 12 * hour],
])('at %s, the DIEM allocation renews in %i ms', (now, ms) => {
  expect(msUntilRefresh(Date.parse(now))).toBe(ms);
});
