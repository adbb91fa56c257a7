import { describe, expect, test } from 'vitest';
import { ToolError } from './tool-error.ts';
import { compileGlob, expandBraces, splitGlobs } from './glob.ts';

describe('compileGlob', () => {
  test.each<readonly [glob: string, path: string, result: 'accepts' | 'rejects']>([
    ['*.ts', 'a.ts', 'accepts'],
    ['*.ts', 'src/deep/a.ts', 'accepts'],
    ['*.ts', 'a.tsx', 'rejects'],
    ['a', 'b/a', 'accepts'],
    ['a', 'b/ab', 'rejects'],
    ['/a', 'a', 'accepts'],
    ['/a', 'b/a', 'rejects'],
    ['src/*.ts', 'src/a.ts', 'accepts'],
    ['src/*.ts', 'src/b/a.ts', 'rejects'],
    ['src/*.ts', 'x/src/a.ts', 'rejects'],
    ['src/**/*.ts', 'src/a.ts', 'accepts'],
    ['src/**/*.ts', 'src/b/c/a.ts', 'accepts'],
    ['**/a.ts', 'a.ts', 'accepts'],
    ['**/b/**', 'x/b/c', 'accepts'],
    ['src/**', 'src', 'rejects'],
    ['src/**', 'src/a', 'accepts'],
    ['a?c', 'abc', 'accepts'],
    ['a?c', 'ac', 'rejects'],
    ['[a-c]x', 'bx', 'accepts'],
    ['[!a-c]x', 'bx', 'rejects'],
    ['[]]x', ']x', 'accepts'],
    ['[x', '[x', 'accepts'],
    ['[x[y', '[x[y', 'accepts'],
    [String.raw`[a\-c]`, 'b', 'rejects'],
    [String.raw`[\]]`, ']', 'accepts'],
    ['***/a', 'b/c/a', 'accepts'],
    [String.raw`\*`, '*', 'accepts'],
    [String.raw`\*`, 'a', 'rejects'],
    ['*.{ts,js}', 'a.js', 'accepts'],
    ['{src,test}/*.ts', 'test/a.ts', 'accepts'],
    ['{a', '{a', 'accepts'],
    ['a**b', 'axxb', 'accepts'],
    ['a**b', 'a/b', 'rejects'],
    ['*', '', 'accepts'],
  ])('converts the pattern "$0" to a function that $2 the path "$1"', (glob, path, result) => {
    expect(compileGlob(glob)(path)).toBe(result === 'accepts');
  });

  // A backtracking matcher would take exponential time here.
  test('matches a pattern of many stars against a long name in linear time', () => {
    expect(compileGlob(`${'*a'.repeat(200)}b`)('a'.repeat(5_000))).toBe(false);
    expect(compileGlob(`${'**/a/'.repeat(100)}b`)('a/'.repeat(2_000))).toBe(false);
  });

  test.each(['{a,b}'.repeat(20), 'x'.repeat(2_000), `{${'a,'.repeat(200)}}`])(
    'rejects a pattern that is too long or has too many alternatives (case %#)',
    (glob) => {
      expect(() => expandBraces(glob)).toThrow(ToolError);
    },
  );

  test('expands nested braces to every alternative', () => {
    expect(expandBraces('a{b,{c,d}e}')).toEqual(['ab', 'ace', 'ade']);
  });
});

test('splitGlobs splits a list at commas outside braces', () => {
  expect(splitGlobs('*.ts, ./src/{a,b}.js ,,')).toEqual(['*.ts', 'src/{a,b}.js']);
});
