import { expect, test } from 'vitest';
import { type IgnoreScope, isIgnored, readIgnoreFile } from './ignore-rules.ts';

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
