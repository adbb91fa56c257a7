import { expect, test } from 'vitest';
import { DocumentCacheKeys } from './build-request.ts';

const [a, b] = ['file:///home/alice/a.ts', 'file:///home/alice/b.ts'];

test('returns a stable and unique key per document', () => {
  const keys = new DocumentCacheKeys();
  const key = keys.of(a);
  expect(keys.of(b)).not.toBe(key);
  expect(keys.of(a)).toBe(key);
});

test('returns another key in another process', () => {
  expect(new DocumentCacheKeys().of(a)).not.toBe(new DocumentCacheKeys().of(a));
});

test('uses the created id', () => {
  let drawn = 0;
  const keys = new DocumentCacheKeys(() => String(++drawn));
  expect([a, b, a].map((each) => keys.of(each))).toEqual([
    'completion-1',
    'completion-2',
    'completion-1',
  ]);
});

test('keeps only the documents used last', () => {
  let drawn = 0;
  const keys = new DocumentCacheKeys(() => String(++drawn));
  for (let each = 0; each < 1_000; each += 1) {
    keys.of(a);
    keys.of(`file:///${each}.ts`);
  }
  expect(keys.of(a)).toBe('completion-1');
  expect(keys.of('file:///0.ts')).toBe('completion-1002');
});
