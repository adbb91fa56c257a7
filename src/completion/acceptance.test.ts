import { expect, test } from 'vitest';
import { createAnchor } from './completion-cache.ts';
import { createSnapshotOf } from './snapshot.fixture.ts';
import { type PositionKind, getPositionKind, AcceptanceStatistics } from './acceptance.ts';

test.each<[string, PositionKind]>([
  ['|', 'line-start'],
  ['if (a) {\n  |\n}', 'line-start'],
  ['const a = |', 'word-start'],
  ['call(|)', 'word-start'],
  ['tides.|', 'word-start'],
  ['cons|', 'word'],
  ['call();|', 'word'],
])('getPositionKind classifies the cursor position in %j as %s', (text, kind) =>
  expect(getPositionKind(createSnapshotOf(text))).toBe(kind),
);

test('AcceptanceStatistics lowers the acceptance shortfall after an accepted suggestion and raises the shortfall after rejected suggestions', () => {
  const statistics = new AcceptanceStatistics({ 'line-start': 0.3, 'word-start': 0.3, word: 0.1 });
  const firstShortfall = statistics.getAcceptanceShortfall('word');
  statistics.recordRequest(1, 'word');
  statistics.recordAcceptance(1);
  expect(statistics.getAcceptanceShortfall('word')).toBeLessThan(firstShortfall);
  for (let id = 2; id < 40; id += 1) {
    statistics.recordRequest(id, 'word-start');
    statistics.rejectAllExcept(new Set());
  }
  expect(statistics.getAcceptanceShortfall('word-start')).toBeGreaterThan(0.99);
  for (let id = 40; id < 43; id += 1) {
    statistics.recordRequest(id, 'word-start');
    statistics.recordAcceptance(id);
  }
  expect(statistics.getAcceptanceShortfall('word-start')).toBe(0);
});

test('AcceptanceStatistics changes only the rate at line starts after an accepted suggestion at a line start', () => {
  const statistics = new AcceptanceStatistics();
  const { word: wordRate } = statistics.rates;
  statistics.recordRequest(1, 'line-start');
  statistics.recordAcceptance(1);
  expect(statistics.rates.word).toBe(wordRate);
});

test('AcceptanceStatistics counts each suggestion at most once, and does not count a suggestion as rejected while it matches the document', () => {
  const statistics = new AcceptanceStatistics();
  const firstRate = statistics.rates.word;
  statistics.recordRequest(1, 'word');
  statistics.rejectAllExcept(new Set([1]));
  expect(statistics.rates.word).toBe(firstRate);
  statistics.recordAcceptance(1);
  const acceptedRate = statistics.rates.word;
  expect(acceptedRate).toBeGreaterThan(firstRate);
  statistics.recordAcceptance(1);
  statistics.rejectAllExcept(new Set());
  expect(statistics.rates.word).toBe(acceptedRate);
});

test('AcceptanceStatistics does not count a discarded suggestion', () => {
  const statistics = new AcceptanceStatistics();
  const firstRate = statistics.rates.word;
  statistics.recordRequest(1, 'word');
  statistics.discardSuggestion(1);
  statistics.rejectAllExcept(new Set());
  expect(statistics.rates.word).toBe(firstRate);
});

test('AcceptanceStatistics counts consecutive rejected suggestions at line starts, and resets the count after acceptance', () => {
  const statistics = new AcceptanceStatistics();
  for (const [id, kind] of [
    [1, 'line-start'],
    [2, 'word'],
    [3, 'line-start'],
  ] as const) {
    statistics.recordRequest(id, kind);
    statistics.rejectAllExcept(new Set());
  }
  expect(statistics.consecutiveRejectionCount).toBe(2);
  statistics.recordRequest(4, 'line-start');
  statistics.recordAcceptance(4);
  expect(statistics.consecutiveRejectionCount).toBe(0);
});

test('AcceptanceStatistics uses the rates of the previous session', () => {
  const statistics = new AcceptanceStatistics({ 'line-start': 0.2, 'word-start': 0, word: 0.5 });
  expect(statistics.getAcceptanceShortfall('word-start')).toBe(1);
  expect(statistics.getAcceptanceShortfall('word')).toBe(0);
  expect(statistics.rates).toEqual({ 'line-start': 0.2, 'word-start': 0, word: 0.5 });
});

test('AcceptanceStatistics counts a suggestion as accepted after the user typed 4 characters of the suggestion, and as rejected after the user typed a different text', () => {
  const statistics = new AcceptanceStatistics();
  const anchor = createAnchor(createSnapshotOf('const a = |'));
  const completion = { id: 1, anchor, text: 'tides();' };
  const initialRate = statistics.rates.word;
  for (const id of [1, 2]) statistics.recordRequest(id, 'word');
  statistics.updateRates([{ completion, remainingText: 'es();', autoClosedText: '' }], [2]);
  expect(statistics.rates.word).toBe(initialRate);
  statistics.updateRates([{ completion, remainingText: 's();', autoClosedText: '' }], [2]);
  const acceptedRate = statistics.rates.word;
  expect(acceptedRate).toBeGreaterThan(initialRate);
  statistics.updateRates([], []);
  expect(statistics.rates.word).toBeLessThan(acceptedRate);
});
