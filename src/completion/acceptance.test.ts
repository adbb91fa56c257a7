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
])('classifies %j as %s', (text, kind) => expect(positionKind(snapshotOf(text))).toBe(kind));

test('raises the rejection rate with each rejected suggestion only', () => {
  const statistics = new AcceptanceStatistics({ 'line-start': 0.3, 'word-start': 0.3, word: 0.1 });
  const first = statistics.rejectionRate('word');
  statistics.recordRequest(1, 'word');
  statistics.recordAccepted(1);
  expect(statistics.rejectionRate('word')).toBeLessThan(first);
  for (let id = 2; id < 40; id += 1) {
    statistics.recordRequest(id, 'word-start');
    statistics.rejectAllExcept(new Set());
  }
  expect(statistics.rejectionRate('word-start')).toBeGreaterThan(0.99);
  for (let id = 40; id < 43; id += 1) {
    statistics.recordRequest(id, 'word-start');
    statistics.recordAccepted(id);
  }
  expect(statistics.rejectionRate('word-start')).toBe(0);
});

test('keeps separate rates per position kind', () => {
  const statistics = new AcceptanceStatistics();
  const { word } = statistics.rates;
  statistics.recordRequest(1, 'line-start');
  statistics.recordAccepted(1);
  expect(statistics.rates.word).toBe(word);
});

test('counts each suggestion once, after the position is left', () => {
  const statistics = new AcceptanceStatistics();
  const first = statistics.rates.word;
  statistics.recordRequest(1, 'word');
  statistics.rejectAllExcept(new Set([1]));
  expect(statistics.rates.word).toBe(first);
  statistics.recordAccepted(1);
  const acceptedRate = statistics.rates.word;
  expect(acceptedRate).toBeGreaterThan(first);
  statistics.recordAccepted(1);
  statistics.rejectAllExcept(new Set());
  expect(statistics.rates.word).toBe(acceptedRate);
});

test('ignores discarded suggestions', () => {
  const statistics = new AcceptanceStatistics();
  const first = statistics.rates.word;
  statistics.recordRequest(1, 'word');
  statistics.discard(1);
  statistics.rejectAllExcept(new Set());
  expect(statistics.rates.word).toBe(first);
});

test('counts rejected lines until one is accepted', () => {
  const statistics = new AcceptanceStatistics();
  for (const [id, kind] of [
    [1, 'line-start'],
    [2, 'word'],
    [3, 'line-start'],
  ] as const) {
    statistics.recordRequest(id, kind);
    statistics.rejectAllExcept(new Set());
  }
  expect(statistics.rejectedLines).toBe(2);
  statistics.recordRequest(4, 'line-start');
  statistics.recordAccepted(4);
  expect(statistics.rejectedLines).toBe(0);
});

test('starts from the stored rates', () => {
  const statistics = new AcceptanceStatistics({ 'line-start': 0.2, 'word-start': 0, word: 0.5 });
  expect(statistics.rejectionRate('word-start')).toBe(1);
  expect(statistics.rejectionRate('word')).toBe(0);
  expect(statistics.rates).toEqual({ 'line-start': 0.2, 'word-start': 0, word: 0.5 });
});
