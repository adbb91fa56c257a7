import { expect, test } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { createSnapshotOf } from './snapshot.fixture.ts';
import { TypingRhythm } from './request-timing.ts';

async function observeTexts(steps: readonly string[], intervalMs = 150): Promise<TypingRhythm> {
  const clock = new ManualClock();
  const rhythm = new TypingRhythm(clock);
  for (const step of steps) {
    await clock.advance(intervalMs);
    rhythm.observe(createSnapshotOf(step));
  }
  return rhythm;
}

test.each([
  ['the first snapshot of a document', ['const a|'], 'other'],
  ['a character', ['const a|', 'const ab|'], 'typing'],
  ['several characters at once', ['con|', 'const a = |'], 'typing'],
  ['an auto-closed bracket', ['call|', 'call(|)'], 'typing'],
  ['a line feed', ['if (a) {|}', 'if (a) {\n  |\n}'], 'typing'],
  ['a deletion', ['const ab|', 'const a|'], 'deleting'],
  ['a deletion before text', ['ab|c', 'a|c'], 'deleting'],
  ['a deletion, then the same position', ['ab|', 'a|', 'a|'], 'deleting'],
  ['typing after a deletion', ['ab|', 'a|', 'ac|'], 'typing'],
  ['a cursor move to the left', ['ab|c', 'a|bc'], 'other'],
  ['a cursor move to the right', ['a|bc', 'ab|c'], 'other'],
  ['a cursor move to another line', ['a\nb|\nc', 'a|\nb\nc'], 'other'],
])('TypingRhythm classifies %s (snapshots %j) as %s', async (_, steps, activity) => {
  expect((await observeTexts(steps)).activity).toBe(activity);
});

test('TypingRhythm classifies a switch to another document as the activity "other"', async () => {
  const rhythm = await observeTexts(['a|', 'ab|']);
  rhythm.observe(createSnapshotOf('abc|', 'typescript', { documentUri: 'file:///other.ts' }));
  expect(rhythm.activity).toBe('other');
});

test.each([
  [['tides|', 'tide|', 'ti|'], 'des'],
  [['tides|', 'tide|', 'tid|', 'tidy|'], 'es'],
  [['tides|', 'tide|', 'tide\n|'], ''],
  [['tides|'], ''],
])('TypingRhythm returns the deleted text after the snapshots %j', async (steps, deletedText) => {
  expect((await observeTexts(steps)).deletedText).toBe(deletedText);
});

test('TypingRhythm measures the typing interval, and ignores pauses', async () => {
  const keys = Array.from({ length: 30 }, (_, index) => `${'a'.repeat(index + 1)}|`);
  const [fastRhythm, slowRhythm, rhythmWithPauses] = [
    await observeTexts(keys, 60),
    await observeTexts(keys, 400),
    await observeTexts(keys, 5_000),
  ];
  expect(Math.round(fastRhythm.intervalMs)).toBeLessThan(80);
  expect(Math.round(slowRhythm.intervalMs)).toBeGreaterThan(380);
  expect(rhythmWithPauses.intervalMs).toBe((await observeTexts([])).intervalMs);
});
