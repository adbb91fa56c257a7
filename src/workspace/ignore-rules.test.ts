import { expect, test } from 'vitest';
import {
  type IgnoreScope,
  decodeIgnoreFile,
  isIgnored,
  parseIgnoreFile,
  parseIgnoreFileStrictly,
} from './ignore-rules.ts';

const createScope = (text: string, base = '', parent?: IgnoreScope): IgnoreScope => ({
  base,
  rules: parseIgnoreFile(text),
  parent,
});

test.each<
  readonly [rules: string, path: string, kind: 'file' | 'folder', result: 'ignored' | 'not ignored']
>([
  ['dist', 'dist', 'folder', 'ignored'],
  ['dist', 'a/dist', 'file', 'ignored'],
  ['dist/', 'dist', 'file', 'not ignored'],
  ['dist/', 'a/dist', 'folder', 'ignored'],
  ['/dist', 'a/dist', 'folder', 'not ignored'],
  ['a/b', 'a/b', 'file', 'ignored'],
  ['a/b', 'x/a/b', 'file', 'not ignored'],
  ['*.log\n!keep.log', 'keep.log', 'file', 'not ignored'],
  ['*.log\n!keep.log', 'other.log', 'file', 'ignored'],
  ['!keep.log\n*.log', 'keep.log', 'file', 'ignored'],
  ['# a', '# a', 'file', 'not ignored'],
  [String.raw`\#a`, '#a', 'file', 'ignored'],
  ['a  ', 'a', 'file', 'ignored'],
  ['a\r', 'a', 'file', 'ignored'],
  ['{a,b}', 'a', 'file', 'not ignored'],
  ['{a,b}', '{a,b}', 'file', 'ignored'],
  ['', 'a', 'file', 'not ignored'],
])(
  'isIgnored, for the rules %j, reports the path %j of a %s as %s',
  (rules, path, kind, result) => {
    expect(isIgnored(createScope(rules), path, kind === 'folder')).toBe(result === 'ignored');
  },
);

test('isIgnored gives precedence to the ignore file nearest to the path', () => {
  const outerScope = createScope('*.log\n');
  expect(isIgnored(createScope('!*.log\n', 'a/', outerScope), 'a/x.log', false)).toBe(false);
  expect(isIgnored(createScope('/b\n', 'a/', outerScope), 'a/b', false)).toBe(true);
  expect(isIgnored(createScope('x\n', 'a/', outerScope), 'a/y.log', false)).toBe(true);
});

test.each([
  ['5,001 rules', 'a\n'.repeat(5_001)],
  ['an overlong pattern', `a\n${'b'.repeat(2_000)}`],
  ['a pattern with replacement characters', 'a\nb\uFFFD'],
])('parseIgnoreFileStrictly returns undefined for %s', (_, text) => {
  expect(parseIgnoreFileStrictly(text)).toBeUndefined();
});

test.each([
  ['', 0],
  ['# \uFFFD\n\n!\n/\n!/\r\n', 0],
  ['a\n'.repeat(5_000), 5_000],
  [`a\n${'# and why\n'.repeat(5_000)}`, 1],
])('parseIgnoreFileStrictly ignores comments, blank lines and empty patterns', (text, count) => {
  expect(parseIgnoreFileStrictly(text)).toHaveLength(count);
});

test.each([
  ['UTF-8', Buffer.from('a/é\n')],
  ['UTF-8 with a byte order mark', Buffer.from('\uFEFFa/é\n')],
  ['UTF-16, little-endian', Buffer.from('\uFEFFa/é\n', 'utf16le')],
  ['UTF-16, big-endian', Buffer.from('\uFEFFa/é\n', 'utf16le').swap16()],
])('decodeIgnoreFile decodes %s', (_, bytes) => {
  expect(decodeIgnoreFile(bytes)).toBe('a/é\n');
});

test('decodeIgnoreFile returns undefined for text that contains null characters', () => {
  expect(decodeIgnoreFile(Buffer.from('a\n', 'utf16le'))).toBeUndefined();
  expect(decodeIgnoreFile(Buffer.from('a\0\n'))).toBeUndefined();
});
