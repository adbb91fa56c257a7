import { expect, test } from 'vitest';
import { DocumentCacheKeys } from './build-request.ts';

const [a, b] = ['file:///home/alice/a.ts', 'file:///home/alice/b.ts'];

test('a document keeps its key, and no other has it', () => {
  const keys = new DocumentCacheKeys();
  const key = keys.of(a);
  expect(keys.of(b)).not.toBe(key);
  expect(keys.of(a)).toBe(key);
});

test('who guesses a path cannot confirm it: another process names it otherwise', () => {
  expect(new DocumentCacheKeys().of(a)).not.toBe(new DocumentCacheKeys().of(a));
});

test('a key is what was drawn', () => {
  let drawn = 0;
  const keys = new DocumentCacheKeys(() => String(++drawn));
  expect([a, b, a].map((each) => keys.of(each))).toEqual([
    'completion-1',
    'completion-2',
    'completion-1',
  ]);
});

test('the documents used last are remembered, not all', () => {
  let drawn = 0;
  const keys = new DocumentCacheKeys(() => String(++drawn));
  for (let each = 0; each < 1_000; each += 1) {
    keys.of(a);
    keys.of(`file:///${each}.ts`);
  }
  expect(keys.of(a)).toBe('completion-1');
  expect(keys.of('file:///0.ts')).toBe('completion-1002');
});
