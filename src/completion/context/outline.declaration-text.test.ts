import { expect, test } from 'vitest';
import { readDeclaration } from './outline.ts';

test.each([
  ['a single line', 'const a = 1;\nconst b = 2;', 0, 'const a = 1;'],
  [
    'a block',
    'function f() {\n  a();\n\n  b();\n}\ng();',
    0,
    'function f() {\n  a();\n\n  b();\n}',
  ],
  ['an indented block', 'def f(a):\n    return a\n\ndef g():', 0, 'def f(a):\n    return a'],
  ['a method', 'class A {\n  f() {\n    a();\n  }\n  g() {}\n}', 1, 'f() {\n  a();\n}'],
  [
    'a block with its brace on the next line',
    'void f()\n{\n  a();\n}\nb',
    0,
    'void f()\n{\n  a();\n}',
  ],
  ['parameters on several lines', 'f(\n  a,\n): b {\n  c\n}', 0, 'f(\n  a,\n): b {'],
  ['no text for a blank line', '\nx', 0, ''],
  ['no text for a line beyond the end', 'x', 5, ''],
])('readDeclaration returns %s', (_, text, line, expected) => {
  expect(readDeclaration(text.split('\n'), line)).toBe(expected);
});

test.each([
  ['a block with many lines', `f\n${'  a\n'.repeat(100_000)}`],
  ['an overlong line', `f${'('.repeat(1_000_000)}`],
  ['a block of overlong lines', `f\n${`  ${'a'.repeat(10_000)}\n`.repeat(50)}`],
])('readDeclaration truncates %s', (_, text) => {
  const declaration = readDeclaration(text.split('\n'), 0);
  expect(declaration.length).toBeLessThanOrEqual(1_000);
  expect(declaration.split('\n').length).toBeLessThanOrEqual(15);
});
