import { expect, test } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { snapshotOf } from './snapshot.fixture.ts';
import { debounceMs, TypingRhythm } from './request-timing.ts';
import { type PositionKind, AcceptanceStatistics } from './acceptance.ts';

function delayAt(
  text: string,
  {
    accepted = true,
    isDeleting = false,
    requestCount = 20,
    kind = 'word',
  }: { accepted?: boolean; isDeleting?: boolean; requestCount?: number; kind?: PositionKind } = {},
): number {
  const acceptance = new AcceptanceStatistics();
  for (let id = 0; id < requestCount; id += 1) {
    acceptance.recordRequest(id, kind);
    if (accepted) acceptance.recordAccepted(id);
    else acceptance.rejectAllExcept(new Set());
  }
  const rhythm = new TypingRhythm(new ManualClock());
  if (isDeleting) rhythm.observe(snapshotOf(text.replace('|', 'x|')));
  rhythm.observe(snapshotOf(text));
  return debounceMs(snapshotOf(text), { rhythm, acceptance, timeToFirstTextMs: 200 });
}

test('debounceMs delays a request at a line start only after several rejected suggestions', () => {
  expect(delayAt('if (a) {\n  |\n}', { kind: 'line-start' })).toBe(0);
  expect(
    delayAt('if (a) {\n  |\n}', { kind: 'line-start', accepted: false, requestCount: 1 }),
  ).toBe(0);
  expect(
    delayAt('if (a) {\n  |\n}', { kind: 'line-start', accepted: false, requestCount: 2 }),
  ).toBe(300);
  expect(
    delayAt('if (a) {\n  |\n}', { kind: 'line-start', accepted: false, requestCount: 20 }),
  ).toBe(900);
});

test('debounceMs delays a request by at most 25 ms at a word start, and longer inside a word', () => {
  expect(delayAt('const a = |', { kind: 'word-start' })).toBeLessThanOrEqual(25);
  expect(delayAt('cons|')).toBeGreaterThan(100);
  expect(delayAt('cons|')).toBeLessThanOrEqual(300);
});

test('debounceMs delays a request longer if the acceptance rate is low or the user deleted text', () => {
  expect(delayAt('const a = |', { kind: 'word-start', accepted: false })).toBeGreaterThan(2_500);
  expect(delayAt('cons|', { accepted: false })).toBeGreaterThan(2_500);
  expect(delayAt('const a = |', { kind: 'word-start', isDeleting: true })).toBe(300);
});
