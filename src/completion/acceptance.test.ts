import { expect, test } from 'vitest';
import { snapshotOf } from './snapshot.fixture.ts';
import { type Place, placeOf, Usefulness } from './acceptance.ts';

test.each<[string, Place]>([
  ['|', 'line-start'],
  ['if (a) {\n  |\n}', 'line-start'],
  ['const a = |', 'word-start'],
  ['call(|)', 'word-start'],
  ['tides.|', 'word-start'],
  ['cons|', 'word'],
  ['call();|', 'word'],
])('%j is a %s', (text, place) => expect(placeOf(snapshotOf(text))).toBe(place));

test('answers that are used leave no doubt, and those that are not raise it', () => {
  const usefulness = new Usefulness({ 'line-start': 0.3, 'word-start': 0.3, word: 0.1 });
  const first = usefulness.doubt('word');
  usefulness.asked(1, 'word');
  usefulness.used(1);
  expect(usefulness.doubt('word')).toBeLessThan(first);
  for (let id = 2; id < 40; id += 1) {
    usefulness.asked(id, 'word-start');
    usefulness.retain(new Set());
  }
  expect(usefulness.doubt('word-start')).toBeGreaterThan(0.99);
  for (let id = 40; id < 43; id += 1) {
    usefulness.asked(id, 'word-start');
    usefulness.used(id);
  }
  expect(usefulness.doubt('word-start')).toBe(0);
});

test('one place says nothing of another', () => {
  const usefulness = new Usefulness();
  const { word } = usefulness.shares;
  usefulness.asked(1, 'line-start');
  usefulness.used(1);
  expect(usefulness.shares.word).toBe(word);
});

test('an answer counts once, and not before its place was left', () => {
  const usefulness = new Usefulness();
  const first = usefulness.shares.word;
  usefulness.asked(1, 'word');
  usefulness.retain(new Set([1]));
  expect(usefulness.shares.word).toBe(first);
  usefulness.used(1);
  const used = usefulness.shares.word;
  expect(used).toBeGreaterThan(first);
  usefulness.used(1);
  usefulness.retain(new Set());
  expect(usefulness.shares.word).toBe(used);
});

test('what failed is ignored', () => {
  const usefulness = new Usefulness();
  const first = usefulness.shares.word;
  usefulness.asked(1, 'word');
  usefulness.ignore(1);
  usefulness.retain(new Set());
  expect(usefulness.shares.word).toBe(first);
});

test('lines in vain are counted until one is of use', () => {
  const usefulness = new Usefulness();
  for (const [id, place] of [
    [1, 'line-start'],
    [2, 'word'],
    [3, 'line-start'],
  ] as const) {
    usefulness.asked(id, place);
    usefulness.retain(new Set());
  }
  expect(usefulness.missedLines).toBe(2);
  usefulness.asked(4, 'line-start');
  usefulness.used(4);
  expect(usefulness.missedLines).toBe(0);
});

test('what an earlier window learnt is gone on from', () => {
  const usefulness = new Usefulness({ 'line-start': 0.2, 'word-start': 0, word: 0.5 });
  expect(usefulness.doubt('word-start')).toBe(1);
  expect(usefulness.doubt('word')).toBe(0);
  expect(usefulness.shares).toEqual({ 'line-start': 0.2, 'word-start': 0, word: 0.5 });
});
