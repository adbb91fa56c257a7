import { expect, test } from 'vitest';
import {
  type IgnoreScope,
  ignoreText,
  isIgnored,
  readIgnoreFile,
  readWholeIgnoreFile,
} from './ignore-rules.ts';

const scope = (text: string, base = '', parent?: IgnoreScope): IgnoreScope => ({
  base,
  rules: readIgnoreFile(text),
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
])('of the rules %j, %s', (rules, path, folder, ignored) => {
  expect(isIgnored(scope(rules), path, folder)).toBe(ignored);
});

test('the file nearest to an entry has the last word', () => {
  const outer = scope('*.log\n');
  expect(isIgnored(scope('!*.log\n', 'a/', outer), 'a/x.log', false)).toBe(false);
  expect(isIgnored(scope('/b\n', 'a/', outer), 'a/b', false)).toBe(true);
  expect(isIgnored(scope('x\n', 'a/', outer), 'a/y.log', false)).toBe(true);
});

test.each([
  ['5,001 rules', 'a\n'.repeat(5_001)],
  ['a pattern that is too long', `a\n${'b'.repeat(2_000)}`],
  ['a pattern with characters that were lost', 'a\nb\uFFFD'],
])('nothing is known of rules with %s', (_, text) => {
  expect(readWholeIgnoreFile(text)).toBeUndefined();
});

test.each([
  ['', 0],
  ['# \uFFFD\n\n!\n/\n!/\r\n', 0],
  ['a\n'.repeat(5_000), 5_000],
  [`a\n${'# and why\n'.repeat(5_000)}`, 1],
])('what says nothing does not count as a rule', (text, count) => {
  expect(readWholeIgnoreFile(text)).toHaveLength(count);
});

test.each([
  ['UTF-8', Buffer.from('a/é\n')],
  ['UTF-8 with a mark', Buffer.from('\uFEFFa/é\n')],
  ['UTF-16', Buffer.from('\uFEFFa/é\n', 'utf16le')],
  ['UTF-16, big ends first', Buffer.from('\uFEFFa/é\n', 'utf16le').swap16()],
])('the text of an ignore file in %s', (_, bytes) => {
  expect(ignoreText(bytes)).toBe('a/é\n');
});

test('what holds zeros is no text', () => {
  expect(ignoreText(Buffer.from('a\n', 'utf16le'))).toBeUndefined();
  expect(ignoreText(Buffer.from('a\0\n'))).toBeUndefined();
});
