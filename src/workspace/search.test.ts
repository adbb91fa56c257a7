import { expect, test } from 'vitest';
import { truncateAroundColumn, SearchResult } from './search.ts';

test('SearchResult sorts files by name and lines by number, and marks context lines with a dash', () => {
  const result = new SearchResult(10);
  result.addLine('b.ts', { line: 2, text: 'two', column: 0 });
  result.addLine('a.ts', { line: 5, text: 'five', column: undefined });
  result.addLine('a.ts', { line: 4, text: 'four', column: 1 });
  expect(String(result)).toBe('a.ts\n4: four\n5- five\n\nb.ts\n2: two');
  expect(result.matchCount).toBe(2);
});

test('SearchResult rejects matches beyond the limit, but accepts the context lines of the last match', () => {
  const result = new SearchResult(1);
  expect(result.addLine('a', { line: 1, text: 'x', column: 0 })).toBe(true);
  expect(result.addLine('a', { line: 2, text: 'y', column: undefined })).toBe(true);
  expect([result.hasMoreMatches, result.addLine('a', { line: 3, text: 'x', column: 0 })]).toEqual([
    false,
    false,
  ]);
  expect([result.hasMoreMatches, result.matchCount]).toEqual([true, 1]);
});

test('SearchResult shortens a long line around its match and reports the number of omitted files', () => {
  const result = new SearchResult(1_000);
  const text = `${'x'.repeat(1e6)}here${'y'.repeat(1e6)}`;
  result.addLine('a', { line: 1, text, column: 1e6 });
  expect(String(result)).toMatch(/^a\n1: … x+herey+ …$/u);
  for (let index = 0; index < 500; index++)
    result.addLine(`f${String(index).padStart(3, '0')}`, {
      line: 1,
      text: 'z'.repeat(300),
      column: 0,
    });
  expect(String(result).length).toBeLessThan(60_000);
  expect(String(result)).toMatch(/\[… \d+ more files with matches are not shown …\]$/u);
});

test('truncateAroundColumn never splits a surrogate pair', () => {
  expect(truncateAroundColumn('😀😀😀😀', 3, 3).isWellFormed()).toBe(true);
  expect(truncateAroundColumn('short', 0, 10)).toBe('short');
});
