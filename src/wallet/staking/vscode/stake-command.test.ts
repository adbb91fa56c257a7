import { expect, test } from 'vitest';
import { formatStakeTerms } from './stake-command.ts';

const nowMs = Date.parse('2026-11-23T20:54:30Z');

test('formatStakeTerms states in two sentences what a stake buys and how long unstaking takes', () => {
  const text = formatStakeTerms(7 * 86_400, nowMs);
  expect(text.match(/\.(?= |$)/gu)).toHaveLength(2);
  expect(text).toContain('your share of the pool');
  expect(text).toContain('first at 00:00 UTC (in 3 h 5 min)');
  expect(text).toContain('at least 0.1 DIEM is staked');
  expect(text).toContain('Unstaking takes 7 days.');
});

test('formatStakeTerms states that the contract does not report the unstaking duration', () => {
  expect(formatStakeTerms(undefined, nowMs)).toMatch(
    /does not report how long unstaking takes\.$/u,
  );
});
