import { describe, expect, test } from 'vitest';
import { ToolError } from './tool-error.ts';
import { compileGlob, expandBraces, splitGlobs } from './glob.ts';

describe('compileGlob', () => {
  test.each<readonly [glob: string, path: string, expected: boolean]>([
    ['*.ts', 'a.ts', true],
    ['*.ts', 'src/deep/a.ts', true],
    ['*.ts', 'a.tsx', false],
    ['a', 'b/a', true],
    ['a', 'b/ab', false],
    ['/a', 'a', true],
    ['/a', 'b/a', false],
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/b/a.ts', false],
    ['src/*.ts', 'x/src/a.ts', false],
    ['src/**/*.ts', 'src/a.ts', true],
    ['src/**/*.ts', 'src/b/c/a.ts', true],
    ['**/a.ts', 'a.ts', true],
    ['**/b/**', 'x/b/c', true],
    ['src/**', 'src', false],
    ['src/**', 'src/a', true],
    ['a?c', 'abc', true],
    ['a?c', 'ac', false],
    ['[a-c]x', 'bx', true],
    ['[!a-c]x', 'bx', false],
    ['[]]x', ']x', true],
    ['[x', '[x', true],
    ['[x[y', '[x[y', true],
    [String.raw`[a\-c]`, 'b', false],
    [String.raw`[\]]`, ']', true],
    ['***/a', 'b/c/a', true],
    [String.raw`\*`, '*', true],
    [String.raw`\*`, 'a', false],
    ['*.{ts,js}', 'a.js', true],
    ['{src,test}/*.ts', 'test/a.ts', true],
    ['{a', '{a', true],
    ['a**b', 'axxb', true],
    ['a**b', 'a/b', false],
    ['*', '', true],
  ])('checks whether the pattern %j matches the path %j: %s', (glob, path, expected) => {
    expect(compileGlob(glob)(path)).toBe(expected);
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
