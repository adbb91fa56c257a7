import { expect, test } from 'vitest';
import { snapshotOf } from './snapshot.fixture.ts';
import { type PositionKind, positionKind, AcceptanceStatistics } from './acceptance.ts';

test.each<[string, PositionKind]>([
  ['|', 'line-start'],
  ['if (a) {\n  |\n}', 'line-start'],
  ['const a = |', 'word-start'],
  ['call(|)', 'word-start'],
  ['tides.|', 'word-start'],
  ['cons|', 'word'],
  ['call();|', 'word'],
])('classifies %j as %s', (text, place) => expect(positionKind(snapshotOf(text))).toBe(place));

test('raises the rejection rate with each rejected suggestion only', () => {
  const usefulness = new AcceptanceStatistics({ 'line-start': 0.3, 'word-start': 0.3, word: 0.1 });
  const first = usefulness.rejectionRate('word');
  usefulness.recordRequest(1, 'word');
  usefulness.recordAccepted(1);
  expect(usefulness.rejectionRate('word')).toBeLessThan(first);
  for (let id = 2; id < 40; id += 1) {
    usefulness.recordRequest(id, 'word-start');
    usefulness.rejectAllExcept(new Set());
  }
  expect(usefulness.rejectionRate('word-start')).toBeGreaterThan(0.99);
  for (let id = 40; id < 43; id += 1) {
    usefulness.recordRequest(id, 'word-start');
    usefulness.recordAccepted(id);
  }
  expect(usefulness.rejectionRate('word-start')).toBe(0);
});

test('keeps separate rates per position kind', () => {
  const usefulness = new AcceptanceStatistics();
  const { word } = usefulness.rates;
  usefulness.recordRequest(1, 'line-start');
  usefulness.recordAccepted(1);
  expect(usefulness.rates.word).toBe(word);
});

test('counts each suggestion once, after the position is left', () => {
  const usefulness = new AcceptanceStatistics();
  const first = usefulness.rates.word;
  usefulness.recordRequest(1, 'word');
  usefulness.rejectAllExcept(new Set([1]));
  expect(usefulness.rates.word).toBe(first);
  usefulness.recordAccepted(1);
  const used = usefulness.rates.word;
  expect(used).toBeGreaterThan(first);
  usefulness.recordAccepted(1);
  usefulness.rejectAllExcept(new Set());
  expect(usefulness.rates.word).toBe(used);
});

test('ignores discarded suggestions', () => {
  const usefulness = new AcceptanceStatistics();
  const first = usefulness.rates.word;
  usefulness.recordRequest(1, 'word');
  usefulness.discard(1);
  usefulness.rejectAllExcept(new Set());
  expect(usefulness.rates.word).toBe(first);
});

test('counts rejected lines until one is accepted', () => {
  const usefulness = new AcceptanceStatistics();
  for (const [id, place] of [
    [1, 'line-start'],
    [2, 'word'],
    [3, 'line-start'],
  ] as const) {
    usefulness.recordRequest(id, place);
    usefulness.rejectAllExcept(new Set());
  }
  expect(usefulness.rejectedLines).toBe(2);
  usefulness.recordRequest(4, 'line-start');
  usefulness.recordAccepted(4);
  expect(usefulness.rejectedLines).toBe(0);
});

test('starts from the stored rates', () => {
  const usefulness = new AcceptanceStatistics({ 'line-start': 0.2, 'word-start': 0, word: 0.5 });
  expect(usefulness.rejectionRate('word-start')).toBe(1);
  expect(usefulness.rejectionRate('word')).toBe(0);
  expect(usefulness.rates).toEqual({ 'line-start': 0.2, 'word-start': 0, word: 0.5 });
});
