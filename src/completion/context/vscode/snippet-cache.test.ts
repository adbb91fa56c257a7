import { beforeEach, expect, test } from 'vitest';
import { ManualClock } from '../../../../test/support/manual-clock.ts';
import { SnippetCache, type SourcedSnippet } from './snippet-cache.ts';

const here = 'file:///here.ts';
const there = 'file:///there.ts';
const piece = {
  uri: { toString: () => there },
  snippet: { kind: 'definition', path: 'there.ts', text: 'text' },
} as SourcedSnippet;

let clock: ManualClock;
let known: SnippetCache;
beforeEach(() => {
  clock = new ManualClock();
  known = new SnippetCache(clock);
});

const set = (found: SourcedSnippet | undefined, name = 'a', document = here): void =>
  known.set(document, name, { piece: found, startedAt: known.now() });

test('returns a stored snippet, which is not due again', () => {
  expect([known.isDue(here, 'a'), known.get(here, 'a')]).toEqual([true, undefined]);
  set(piece);
  expect([known.isDue(here, 'a'), known.get(here, 'a')]).toEqual([false, piece]);
  expect([known.isDue(here, 'b'), known.get(there, 'a')]).toEqual([true, undefined]);
});

test('keeps a snippet when its document changes, drops it when the declaring file changes', () => {
  set(piece);
  known.changed(here);
  expect(known.get(here, 'a')).toBe(piece);
  known.changed(there);
  expect([known.isDue(here, 'a'), known.get(here, 'a')]).toEqual([true, undefined]);
  set(piece);
  expect(known.get(here, 'a')).toBe(piece);
});

test('discards a result when the file changed during the request', () => {
  const startedAt = known.now();
  known.changed(there);
  known.set(here, 'a', { piece, startedAt });
  expect(known.get(here, 'a')).toBe(undefined);
});

test.each([
  [piece, 60_000],
  [undefined, 20_000],
] as const)('is due again after the cache time', async (found, ms) => {
  set(found);
  await clock.advance(ms);
  expect(known.isDue(here, 'a')).toBe(false);
  await clock.advance(1);
  expect(known.isDue(here, 'a')).toBe(true);
  expect(known.get(here, 'a')).toBe(found);
});

test('removes the snippets for and from a closed document', () => {
  set(piece);
  known.closed(there);
  expect([known.isDue(here, 'a'), known.get(here, 'a')]).toEqual([true, undefined]);
  set(piece);
  known.closed(here);
  expect(known.has(here)).toBe(false);
});

test('keeps only the documents used last', () => {
  for (let count = 0; count < 20; count += 1) set(piece, 'a', `file:///${count}`);
  expect([known.has('file:///9'), known.has('file:///10')]).toEqual([false, true]);
});
