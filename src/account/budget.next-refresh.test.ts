import { expect, test } from 'vitest';
import { hoursAndMinutes, msUntilRefresh } from './budget.ts';

test.each([
  ['2026-11-21T20:48:00.000Z', [3, 12]],
  ['2026-11-21T20:48:00.001Z', [3, 12]],
  ['2026-11-21T00:00:00.000Z', [24, 0]],
  ['2026-11-21T23:59:59.999Z', [0, 1]],
  ['2026-11-21T23:00:00.000Z', [1, 0]],
  ['2026-12-31T12:00:00.000Z', [12, 0]],
])(
  'at %s, the time until the DIEM allocation renews is %j in hours and minutes',
  (now, [...wait]) => {
    expect(hoursAndMinutes(msUntilRefresh(Date.parse(now)))).toEqual(wait);
  },
);
