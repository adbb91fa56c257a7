import { expect, test } from 'vitest';
import { createUnifiedDiff } from './edit-report.ts';

const listNumbers = (first: number, last: number): string[] =>
  Array.from({ length: last - first + 1 }, (_, i) => String(first + i));
const joinLines = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

test.each<[string, string, string, string[]]>([
  ['equal texts', 'a\n', 'a\n', []],
  ['a new file', '', 'a\nb\n', ['@@ -0,0 +1,2 @@', '+a', '+b']],
  ['a changed line', 'a\nb\nc\n', 'a\nB\nc\n', ['@@ -1,3 +1,3 @@', ' a', '-b', '+B', ' c']],
  ['CRLF line endings', 'a\r\nb\r\n', 'a\r\nc\r\n', ['@@ -1,2 +1,2 @@', ' a', '-b', '+c']],
  [
    'a missing final newline',
    'a',
    'b',
    ['@@ -1 +1 @@', '-a', '\\ No newline at end of file', '+b', '\\ No newline at end of file'],
  ],
  [
    'an added final newline',
    'a',
    'a\n',
    ['@@ -1 +1 @@', '-a', '\\ No newline at end of file', '+a'],
  ],
  [
    'two separate changes',
    joinLines(listNumbers(1, 20)),
    joinLines(listNumbers(1, 20).filter((line) => line !== '5' && line !== '15')),
    [
      '@@ -2,7 +2,6 @@',
      ' 2',
      ' 3',
      ' 4',
      '-5',
      ' 6',
      ' 7',
      ' 8',
      '@@ -12,7 +11,6 @@',
      ' 12',
      ' 13',
      ' 14',
      '-15',
      ' 16',
      ' 17',
      ' 18',
    ],
  ],
])('createUnifiedDiff formats %s', (_, before, after, expected) => {
  expect(createUnifiedDiff(before, after)).toBe(expected.join('\n'));
});
