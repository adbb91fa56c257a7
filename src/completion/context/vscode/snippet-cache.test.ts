import { beforeEach, expect, test } from 'vitest';
import { ManualClock } from '../../../../test/support/manual-clock.ts';
import { SnippetCache, type FileSnippet } from './snippet-cache.ts';

const documentUri = 'file:///here.ts';
const declarationUri = 'file:///there.ts';
const fileSnippet = {
  uri: { toString: () => declarationUri },
  snippet: { kind: 'definition', path: 'there.ts', text: 'text' },
} as FileSnippet;

let clock: ManualClock;
let snippetCache: SnippetCache;
beforeEach(() => {
  clock = new ManualClock();
  snippetCache = new SnippetCache(clock);
});

const storeSnippet = (snippet: FileSnippet | undefined, name = 'a', uri = documentUri): void =>
  snippetCache.set(uri, name, { fileSnippet: snippet, startedAt: snippetCache.getNow() });

test('SnippetCache returns a stored snippet, and reports that no lookup is due for the snippet', () => {
  expect([snippetCache.isDue(documentUri, 'a'), snippetCache.get(documentUri, 'a')]).toEqual([
    true,
    undefined,
  ]);
  storeSnippet(fileSnippet);
  expect([snippetCache.isDue(documentUri, 'a'), snippetCache.get(documentUri, 'a')]).toEqual([
    false,
    fileSnippet,
  ]);
  expect([snippetCache.isDue(documentUri, 'b'), snippetCache.get(declarationUri, 'a')]).toEqual([
    true,
    undefined,
  ]);
});

test('SnippetCache returns a snippet after a change of the document, but not after a change of the declaring file', () => {
  storeSnippet(fileSnippet);
  snippetCache.handleDocumentChange(documentUri);
  expect(snippetCache.get(documentUri, 'a')).toBe(fileSnippet);
  snippetCache.handleDocumentChange(declarationUri);
  expect([snippetCache.isDue(documentUri, 'a'), snippetCache.get(documentUri, 'a')]).toEqual([
    true,
    undefined,
  ]);
  storeSnippet(fileSnippet);
  expect(snippetCache.get(documentUri, 'a')).toBe(fileSnippet);
});

test('SnippetCache discards a snippet if the declaring file changed during the lookup', () => {
  const startedAt = snippetCache.getNow();
  snippetCache.handleDocumentChange(declarationUri);
  snippetCache.set(documentUri, 'a', { fileSnippet, startedAt });
  expect(snippetCache.get(documentUri, 'a')).toBe(undefined);
});

test.each([
  [fileSnippet, 60_000],
  [undefined, 20_000],
] as const)(
  'SnippetCache reports that a lookup is due after its result has expired',
  async (snippet, lifetimeMs) => {
    storeSnippet(snippet);
    await clock.advance(lifetimeMs);
    expect(snippetCache.isDue(documentUri, 'a')).toBe(false);
    await clock.advance(1);
    expect(snippetCache.isDue(documentUri, 'a')).toBe(true);
    expect(snippetCache.get(documentUri, 'a')).toBe(snippet);
  },
);

test('SnippetCache removes the snippet of a name when the user closes the document that uses the name, or the file that declares it', () => {
  storeSnippet(fileSnippet);
  snippetCache.handleDocumentClose(declarationUri);
  expect([snippetCache.isDue(documentUri, 'a'), snippetCache.get(documentUri, 'a')]).toEqual([
    true,
    undefined,
  ]);
  storeSnippet(fileSnippet);
  snippetCache.handleDocumentClose(documentUri);
  expect(snippetCache.has(documentUri)).toBe(false);
});

test('SnippetCache stores only the results of the most recently used documents', () => {
  for (let count = 0; count < 20; count += 1) storeSnippet(fileSnippet, 'a', `file:///${count}`);
  expect([snippetCache.has('file:///9'), snippetCache.has('file:///10')]).toEqual([false, true]);
});
