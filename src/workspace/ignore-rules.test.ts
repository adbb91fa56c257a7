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

test.each<readonly [rules: string, path: string, folder: boolean, ignored: boolean]>([
  ['dist', 'dist', true, true],
  ['dist', 'a/dist', false, true],
  ['dist/', 'dist', false, false],
  ['dist/', 'a/dist', true, true],
  ['/dist', 'a/dist', true, false],
  ['a/b', 'a/b', false, true],
  ['a/b', 'x/a/b', false, false],
  ['*.log\n!keep.log', 'keep.log', false, false],
  ['*.log\n!keep.log', 'other.log', false, true],
  ['!keep.log\n*.log', 'keep.log', false, true],
  ['# a', '# a', false, false],
  [String.raw`\#a`, '#a', false, true],
  ['a  ', 'a', false, true],
  ['a\r', 'a', false, true],
  ['{a,b}', 'a', false, false],
  ['{a,b}', '{a,b}', false, true],
  ['', 'a', false, false],
])(
  'isIgnored checks whether the rules %j ignore the path %s (folder: %s): %s',
  (rules, path, isFolder, expected) => {
    expect(isIgnored(createScope(rules), path, isFolder)).toBe(expected);
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
