import { expect, test } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { snapshotOf } from './snapshot.fixture.ts';
import { TypingRhythm } from './request-timing.ts';

async function after(steps: readonly string[], ms = 150): Promise<TypingRhythm> {
  const clock = new ManualClock();
  const rhythm = new TypingRhythm(clock);
  for (const step of steps) {
    await clock.advance(ms);
    rhythm.saw(snapshotOf(step));
  }
  return rhythm;
}

test.each([
  ['the first sight of a document', ['const a|'], 'other'],
  ['a character', ['const a|', 'const ab|'], 'typing'],
  ['several at once', ['con|', 'const a = |'], 'typing'],
  ['a bracket that closes itself', ['call|', 'call(|)'], 'typing'],
  ['a line feed', ['if (a) {|}', 'if (a) {\n  |\n}'], 'typing'],
  ['a deletion', ['const ab|', 'const a|'], 'deleting'],
  ['a deletion before text', ['ab|c', 'a|c'], 'deleting'],
  ['a deletion, and the same place again', ['ab|', 'a|', 'a|'], 'deleting'],
  ['typing after a deletion', ['ab|', 'a|', 'ac|'], 'typing'],
  ['the cursor to the left', ['ab|c', 'a|bc'], 'other'],
  ['the cursor to the right', ['a|bc', 'ab|c'], 'other'],
  ['another line', ['a\nb|\nc', 'a|\nb\nc'], 'other'],
])('%s', async (_, steps, motion) => {
  expect((await after(steps)).motion).toBe(motion);
});

test('another document is elsewhere', async () => {
  const rhythm = await after(['a|', 'ab|']);
  rhythm.saw(snapshotOf('abc|', 'typescript', { document: 'file:///other.ts' }));
  expect(rhythm.motion).toBe('other');
});

test.each([
  [['tides|', 'tide|', 'ti|'], 'des'],
  [['tides|', 'tide|', 'tid|', 'tidy|'], 'es'],
  [['tides|', 'tide|', 'tide\n|'], ''],
  [['tides|'], ''],
])('what was erased is known: %j', async (steps, erased) => {
  expect((await after(steps)).erased).toBe(erased);
});

test('the time between keys follows the person; a pause is none', async () => {
  const keys = Array.from({ length: 30 }, (_, index) => `${'a'.repeat(index + 1)}|`);
  const [fast, slow, pausing] = [
    await after(keys, 60),
    await after(keys, 400),
    await after(keys, 5_000),
  ];
  expect(Math.round(fast.interval)).toBeLessThan(80);
  expect(Math.round(slow.interval)).toBeGreaterThan(380);
  expect(pausing.interval).toBe((await after([])).interval);
});
