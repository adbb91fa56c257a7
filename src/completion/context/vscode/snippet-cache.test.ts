import { beforeEach, expect, test } from 'vitest';
import { ManualClock } from '../../../../test/support/manual-clock.ts';
import { SnippetCache, type SourcedSnippet } from './snippet-cache.ts';

const documentUri = 'file:///here.ts';
const declarationUri = 'file:///there.ts';
const sourcedSnippet = {
  uri: { toString: () => declarationUri },
  snippet: { kind: 'definition', path: 'there.ts', text: 'text' },
} as SourcedSnippet;

let clock: ManualClock;
let snippetCache: SnippetCache;
beforeEach(() => {
  clock = new ManualClock();
  snippetCache = new SnippetCache(clock);
});

const storeSnippet = (
  found: SourcedSnippet | undefined,
  name = 'a',
  document = documentUri,
): void => snippetCache.set(document, name, { source: found, startedAt: snippetCache.getNow() });

test('SnippetCache returns a stored snippet, and reports that no lookup is due for the snippet', () => {
  expect([snippetCache.isDue(documentUri, 'a'), snippetCache.get(documentUri, 'a')]).toEqual([
    true,
    undefined,
  ]);
  storeSnippet(sourcedSnippet);
  expect([snippetCache.isDue(documentUri, 'a'), snippetCache.get(documentUri, 'a')]).toEqual([
    false,
    sourcedSnippet,
  ]);
  expect([snippetCache.isDue(documentUri, 'b'), snippetCache.get(declarationUri, 'a')]).toEqual([
    true,
    undefined,
  ]);
});

test('SnippetCache returns a snippet after a change of the document, but not after a change of the declaring file', () => {
  storeSnippet(sourcedSnippet);
  snippetCache.handleDocumentChange(documentUri);
  expect(snippetCache.get(documentUri, 'a')).toBe(sourcedSnippet);
  snippetCache.handleDocumentChange(declarationUri);
  expect([snippetCache.isDue(documentUri, 'a'), snippetCache.get(documentUri, 'a')]).toEqual([
    true,
    undefined,
  ]);
  storeSnippet(sourcedSnippet);
  expect(snippetCache.get(documentUri, 'a')).toBe(sourcedSnippet);
});

test('SnippetCache discards a snippet if the declaring file changed during the lookup', () => {
  const startedAt = snippetCache.getNow();
  snippetCache.handleDocumentChange(declarationUri);
  snippetCache.set(documentUri, 'a', { source: sourcedSnippet, startedAt });
  expect(snippetCache.get(documentUri, 'a')).toBe(undefined);
});

test.each([
  [sourcedSnippet, 60_000],
  [undefined, 20_000],
] as const)(
  'SnippetCache reports that a lookup is due after its result has expired',
  async (found, ms) => {
    storeSnippet(found);
    await clock.advance(ms);
    expect(snippetCache.isDue(documentUri, 'a')).toBe(false);
    await clock.advance(1);
    expect(snippetCache.isDue(documentUri, 'a')).toBe(true);
    expect(snippetCache.get(documentUri, 'a')).toBe(found);
  },
);

test('SnippetCache removes a snippet when the user closes the document or the file that declares the name', () => {
  storeSnippet(sourcedSnippet);
  snippetCache.handleDocumentClose(declarationUri);
  expect([snippetCache.isDue(documentUri, 'a'), snippetCache.get(documentUri, 'a')]).toEqual([
    true,
    undefined,
  ]);
  storeSnippet(sourcedSnippet);
  snippetCache.handleDocumentClose(documentUri);
  expect(snippetCache.has(documentUri)).toBe(false);
});

test('SnippetCache stores only the results of the most recently used documents', () => {
  for (let count = 0; count < 20; count += 1) storeSnippet(sourcedSnippet, 'a', `file:///${count}`);
  expect([snippetCache.has('file:///9'), snippetCache.has('file:///10')]).toEqual([false, true]);
});
