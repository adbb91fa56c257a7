import { expect, test } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { snapshotOf } from './completion.fixture.ts';
import { TypingRhythm } from './typing-rhythm.ts';

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
  ['the first sight of a document', ['const a|'], 'elsewhere'],
  ['a character', ['const a|', 'const ab|'], 'typing'],
  ['several at once', ['con|', 'const a = |'], 'typing'],
  ['a bracket that closes itself', ['call|', 'call(|)'], 'typing'],
  ['a line feed', ['if (a) {|}', 'if (a) {\n  |\n}'], 'typing'],
  ['a deletion', ['const ab|', 'const a|'], 'erasing'],
  ['a deletion before text', ['ab|c', 'a|c'], 'erasing'],
  ['a deletion, and the same place again', ['ab|', 'a|', 'a|'], 'erasing'],
  ['typing after a deletion', ['ab|', 'a|', 'ac|'], 'typing'],
  ['the cursor to the left', ['ab|c', 'a|bc'], 'elsewhere'],
  ['the cursor to the right', ['a|bc', 'ab|c'], 'elsewhere'],
  ['another line', ['a\nb|\nc', 'a|\nb\nc'], 'elsewhere'],
])('%s', async (_, steps, motion) => {
  expect((await after(steps)).motion).toBe(motion);
});

test('another document is elsewhere', async () => {
  const rhythm = await after(['a|', 'ab|']);
  rhythm.saw(snapshotOf('abc|', { document: 'file:///other.ts' }));
  expect(rhythm.motion).toBe('elsewhere');
});

test.each([
  [['tides|', 'tide|', 'ti|'], 'des'],
  [['tides|', 'tide|', 'tid|', 'tidy|'], 'es'],
  [['tides|', 'tide|', 'tide\n|'], ''],
  [['tides|'], ''],
])('what was erased is known: %j', async (steps, erased) => {
  expect((await after(steps)).erased).toBe(erased);
});

test.each([
  ['at the start of a line', 'if (a) {\n  |\n}', 0, 0],
  ['where a word begins', 'const a = |', 1, 25],
  ['behind a bracket', 'call(|)', 1, 25],
  ['within a word', 'cons|', 60, 300],
])('the wait %s', async (_, at, least, most) => {
  const rhythm = await after([at.replace('|', 'x|'), at]);
  rhythm.saw(snapshotOf(at.replace('|', 'y|')));
  rhythm.saw(snapshotOf('elsewhere|', { document: 'file:///other.ts' }));
  const ms = rhythm.waitAt(snapshotOf(at));
  expect(ms).toBeGreaterThanOrEqual(least);
  expect(ms).toBeLessThanOrEqual(most);
});

test('who types slowly is waited for longer within a word, up to a limit', async () => {
  const keys = Array.from({ length: 30 }, (_, index) => `${'a'.repeat(index + 1)}|`);
  const fast = await after(keys, 60);
  const slow = await after(keys, 400);
  const at = snapshotOf(`${'a'.repeat(31)}|`);
  expect(fast.waitAt(at)).toBeLessThan(slow.waitAt(at));
  expect(slow.waitAt(at)).toBeLessThanOrEqual(300);
});

test('a pause is no rhythm', async () => {
  const keys = Array.from({ length: 30 }, (_, index) => `${'a'.repeat(index + 1)}|`);
  const rhythm = await after(keys, 5_000);
  const fresh = await after([]);
  const at = snapshotOf(`${'a'.repeat(31)}|`);
  expect(rhythm.waitAt(at)).toBe(fresh.waitAt(at));
});

test('answers that come too late to fit make the wait longer, others shorter', async () => {
  const at = snapshotOf('cons|');
  const [unlucky, lucky] = [await after([]), await after([])];
  for (let count = 0; count < 10; count += 1) {
    unlucky.learn(false);
    lucky.learn(true);
  }
  expect(unlucky.waitAt(at)).toBeGreaterThan(lucky.waitAt(at));
});
