import { beforeEach, expect, test, vi } from 'vitest';
import { isElision } from '../edit/elision.ts';
import { removeCommentRemarks } from './comment-remarks.ts';

vi.mock('../edit/elision.ts', { spy: true });

beforeEach(() => void vi.mocked(isElision).mockClear());

const createLines = (count: number, createLine: (index: number) => string): readonly string[] =>
  Array.from({ length: count }, (_, index) => createLine(index));

const originalLines = createLines(500, (index) => `function f${index}() {}`);

const removeRemarks = (lines: readonly string[]) =>
  removeCommentRemarks(lines, {
    original: originalLines,
    before: [],
    after: [],
    language: 'typescript',
  });

test('removeCommentRemarks checks each distinct comment at most once for a placeholder, however long the document is', () => {
  const comments = createLines(40, (index) => `// Compute the total of year ${index % 20}.`);
  expect(removeRemarks([...comments, 'total();', ...comments])).toHaveLength(81);
  expect(vi.mocked(isElision).mock.calls.length).toBeLessThanOrEqual(20);
});

test('removeCommentRemarks checks only comments for placeholders, not lines of code', () => {
  expect(removeRemarks(createLines(40, (index) => `compute(${index});`))).toHaveLength(40);
  expect(isElision).not.toHaveBeenCalled();
});

test('removeCommentRemarks keeps a comment that contains code if the document already contains this comment', () => {
  const lines = ['// function f1() {}', 'function f1(year) {}'];
  const document = { original: [...originalLines, '// function f1() {}'], before: [], after: [] };
  expect(removeCommentRemarks(lines, { ...document, language: 'typescript' })).toEqual(lines);
});

test('removeCommentRemarks refuses an answer that repeats an original line as a comment before the new version of the line', () => {
  expect(removeRemarks(['// function f1() {}', 'function f1(year) {}'])).toBe('unclear');
});
