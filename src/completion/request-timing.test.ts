import { expect, test } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { snapshotOf } from './snapshot.fixture.ts';
import { debounceMs, TypingRhythm } from './request-timing.ts';
import { type PositionKind, AcceptanceStatistics } from './acceptance.ts';

function waitAt(
  text: string,
  {
    used = true,
    erasing = false,
    asked = 20,
    place = 'word',
  }: { used?: boolean; erasing?: boolean; asked?: number; place?: PositionKind } = {},
): number {
  const usefulness = new AcceptanceStatistics();
  for (let id = 0; id < asked; id += 1) {
    usefulness.recordRequest(id, place);
    if (used) usefulness.recordAccepted(id);
    else usefulness.rejectAllExcept(new Set());
  }
  const rhythm = new TypingRhythm(new ManualClock());
  if (erasing) rhythm.saw(snapshotOf(text.replace('|', 'x|')));
  rhythm.saw(snapshotOf(text));
  return debounceMs(snapshotOf(text), { rhythm, usefulness, firstTextMs: 200 });
}

test('nothing is waited for at the start of a line, but after several in vain', () => {
  expect(waitAt('if (a) {\n  |\n}', { place: 'line-start' })).toBe(0);
  expect(waitAt('if (a) {\n  |\n}', { place: 'line-start', used: false, asked: 1 })).toBe(0);
  expect(waitAt('if (a) {\n  |\n}', { place: 'line-start', used: false, asked: 2 })).toBe(300);
  expect(waitAt('if (a) {\n  |\n}', { place: 'line-start', used: false, asked: 20 })).toBe(900);
});

test('hardly anything where a word begins, longer within one', () => {
  expect(waitAt('const a = |', { place: 'word-start' })).toBeLessThanOrEqual(25);
  expect(waitAt('cons|')).toBeGreaterThan(100);
  expect(waitAt('cons|')).toBeLessThanOrEqual(300);
});

test('a rest is waited for where answers are seldom used, and after erasing', () => {
  expect(waitAt('const a = |', { place: 'word-start', used: false })).toBeGreaterThan(2_500);
  expect(waitAt('cons|', { used: false })).toBeGreaterThan(2_500);
  expect(waitAt('const a = |', { place: 'word-start', erasing: true })).toBe(300);
});
