import { expect, test } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { createAnchor, type Completion, CompletionCache } from './completion-cache.ts';
import { createSnapshotOf } from './snapshot.fixture.ts';

let lastId = 0;
const createCompletion = (
  markedText: string,
  text: string,
  overrides: Partial<Completion> = {},
): Completion => ({
  id: (lastId += 1),
  anchor: createAnchor(createSnapshotOf(markedText)),
  text,
  ...overrides,
});

const findRemainingTexts = (cache: CompletionCache, markedText: string): string[] =>
  cache.find(createSnapshotOf(markedText)).map(({ remainingText }) => remainingText);

test('CompletionCache finds a completion after the user types a part of the completion, and after the user deletes some typed text', () => {
  const cache = new CompletionCache(new ManualClock());
  cache.add(createCompletion('const a = |', 'tides();\nsail();'));
  expect(findRemainingTexts(cache, 'const a = |')).toEqual(['tides();\nsail();']);
  expect(findRemainingTexts(cache, 'const a = tid|')).toEqual(['es();\nsail();']);
  expect(findRemainingTexts(cache, 'const a = tides();\nsa|')).toEqual(['il();']);
  expect(findRemainingTexts(cache, 'const a = t|')).toEqual(['ides();\nsail();']);
});

test('CompletionCache finds no completion if the user types a different text', () => {
  const cache = new CompletionCache(new ManualClock());
  cache.add(createCompletion('const a = |', 'tides();'));
  expect(findRemainingTexts(cache, 'const a = tip|')).toEqual([]);
  expect(findRemainingTexts(cache, 'const b = |')).toEqual([]);
  expect(findRemainingTexts(cache, 'const a = tides(); |')).toEqual([]);
});

test('CompletionCache returns the newest completion first, and replaces a completion that has the same id', () => {
  const cache = new CompletionCache(new ManualClock());
  const firstCompletion = createCompletion('a|', 'one');
  cache.add(firstCompletion);
  cache.add(createCompletion('a|', 'two'));
  expect(findRemainingTexts(cache, 'a|')).toEqual(['two', 'one']);
  cache.add({ ...firstCompletion, text: 'one more' });
  expect(findRemainingTexts(cache, 'a|')).toEqual(['one more', 'two']);
});

test('CompletionCache expires an empty completion after one minute', async () => {
  const clock = new ManualClock();
  const cache = new CompletionCache(clock);
  cache.add(createCompletion('a|', '', { filter: 'blank' }));
  expect(cache.find(createSnapshotOf('a|'))[0]?.completion.filter).toBe('blank');
  expect(findRemainingTexts(cache, 'ab|')).toEqual([]);
  await clock.advance(60_001);
  expect(findRemainingTexts(cache, 'a|')).toEqual([]);
});

test('CompletionCache reports that the last answer on the line of the cursor was empty', () => {
  const cache = new CompletionCache(new ManualClock());
  const isLastAnswerEmptyAt = (text: string): boolean =>
    cache.isLastAnswerEmpty(createSnapshotOf(text));
  expect(isLastAnswerEmptyAt('a|')).toBe(false);
  cache.add(createCompletion('a|', '', { filter: 'blank' }));
  expect([isLastAnswerEmptyAt('abc|'), isLastAnswerEmptyAt('a\n|')]).toEqual([true, false]);
  cache.add(createCompletion('ab|', 'c'));
  expect(isLastAnswerEmptyAt('abc|')).toBe(false);
});

test('CompletionCache evicts the least recently used completion if a document has too many completions, and the least recently used document if there are too many documents', () => {
  const cache = new CompletionCache(new ManualClock());
  for (let index = 0; index < 60; index += 1) cache.add(createCompletion('a|', `text ${index}`));
  expect(findRemainingTexts(cache, 'a|')).toHaveLength(32);
  expect(findRemainingTexts(cache, 'a|')[0]).toBe('text 59');
  for (let index = 0; index < 24; index += 1) {
    const snapshot = createSnapshotOf('b|', 'typescript', { documentUri: `file:///${index}.ts` });
    cache.add({ id: 1_000 + index, anchor: createAnchor(snapshot), text: 'x' });
  }
  expect(findRemainingTexts(cache, 'a|')).toEqual([]);
});

test('CompletionCache does not evict a completion that is used repeatedly', () => {
  const cache = new CompletionCache(new ManualClock());
  cache.add(createCompletion('kept|', 'this'));
  for (let index = 0; index < 40; index += 1) {
    cache.add(createCompletion('a|', `text ${index}`));
    expect(findRemainingTexts(cache, 'kept|')).toEqual(['this']);
  }
  for (let index = 0; index < 30; index += 1) {
    const snapshot = createSnapshotOf('b|', 'typescript', { documentUri: `file:///${index}.ts` });
    cache.add({ id: 2_000 + index, anchor: createAnchor(snapshot), text: 'x' });
    expect(findRemainingTexts(cache, 'kept|')).toEqual(['this']);
  }
});

test.each([10, 100, 300, 900, 1_900])(
  'CompletionCache finds no completion if text %i characters before the position changed',
  (distance) => {
    const cache = new CompletionCache(new ManualClock());
    const filler = 'x'
      .repeat(99)
      .concat('\n')
      .repeat(Math.ceil(distance / 100))
      .slice(-distance);
    cache.add(createCompletion(`use(stone);\n${filler}return |`, 'stone;'));
    expect(findRemainingTexts(cache, `use(stone);\n${filler}return |`)).toEqual(['stone;']);
    expect(findRemainingTexts(cache, `use(brick);\n${filler}return |`)).toEqual([]);
  },
);

test('CompletionCache finds no completion if the closing bracket after the cursor was deleted', () => {
  const cache = new CompletionCache(new ManualClock());
  cache.add(createCompletion('call(|)\nend', 'a, b'));
  expect(findRemainingTexts(cache, 'call(a|)\nend')).toEqual([', b']);
  expect(findRemainingTexts(cache, 'call(a|\nend')).toEqual([]);
});

test('CompletionCache finds no completion after a call of `clear`', () => {
  const cache = new CompletionCache(new ManualClock());
  cache.add(createCompletion('a|', 'b'));
  cache.clear();
  expect(findRemainingTexts(cache, 'a|')).toEqual([]);
});
