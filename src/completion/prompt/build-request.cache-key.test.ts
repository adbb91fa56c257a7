import { expect, test } from 'vitest';
import { DocumentCacheKeys } from './build-request.ts';

const [a, b] = ['file:///home/alice/a.ts', 'file:///home/alice/b.ts'];

test('DocumentCacheKeys returns the same key for the same document, and different keys for different documents', () => {
  const keys = new DocumentCacheKeys();
  const key = keys.getCacheKey(a);
  expect(keys.getCacheKey(b)).not.toBe(key);
  expect(keys.getCacheKey(a)).toBe(key);
});

test('two DocumentCacheKeys instances return different keys for the same document', () => {
  expect(new DocumentCacheKeys().getCacheKey(a)).not.toBe(new DocumentCacheKeys().getCacheKey(a));
});

test('DocumentCacheKeys creates a key for the first request of a document and reuses it for later requests', () => {
  let createdCount = 0;
  const keys = new DocumentCacheKeys(() => String(++createdCount));
  expect([a, b, a].map((document) => keys.getCacheKey(document))).toEqual([
    'completion-1',
    'completion-2',
    'completion-1',
  ]);
});

test('DocumentCacheKeys stores the keys of the most recently used documents only', () => {
  let createdCount = 0;
  const keys = new DocumentCacheKeys(() => String(++createdCount));
  for (let document = 0; document < 1_000; document += 1) {
    keys.getCacheKey(a);
    keys.getCacheKey(`file:///${document}.ts`);
  }
  expect(keys.getCacheKey(a)).toBe('completion-1');
  expect(keys.getCacheKey('file:///0.ts')).toBe('completion-1002');
});
