import { expect, test } from 'vitest';
import { formatDuration, formatWait } from './format.ts';

test.each([
  [40, '0 s'],
  [412, '0.4 s'],
  [9_940, '9.9 s'],
  [9_960, '10 s'],
  [59_600, '1 min 0 s'],
  [125_000, '2 min 5 s'],
])('formatDuration formats %d ms as %s', (ms, text) => expect(formatDuration(ms)).toBe(text));

test.each([
  [12, '12 s'],
  [125, '2 min 5 s'],
  [3_600, '1 hr'],
  [5_401, '2 hr'],
  [47 * 3_600, '47 hr'],
  [60 * 3_600, '3 days'],
])('formatWait formats %d seconds as %s', (seconds, text) =>
  expect(formatWait(seconds)).toBe(text),
);
