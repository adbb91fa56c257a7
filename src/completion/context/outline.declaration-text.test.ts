import { expect, test } from 'vitest';
import { declarationText } from './outline.ts';

test.each([
  ['one line', 'const a = 1;\nconst b = 2;', 0, 'const a = 1;'],
  [
    'a block',
    'function f() {\n  a();\n\n  b();\n}\ng();',
    0,
    'function f() {\n  a();\n\n  b();\n}',
  ],
  ['by indentation', 'def f(a):\n    return a\n\ndef g():', 0, 'def f(a):\n    return a'],
  ['a method', 'class A {\n  f() {\n    a();\n  }\n  g() {}\n}', 1, 'f() {\n  a();\n}'],
  ['a brace below', 'void f()\n{\n  a();\n}\nb', 0, 'void f()\n{\n  a();\n}'],
  ['several lines of parameters', 'f(\n  a,\n): b {\n  c\n}', 0, 'f(\n  a,\n): b {'],
  ['nothing', '\nx', 0, ''],
  ['beyond the end', 'x', 5, ''],
])('%s', (_, text, line, expected) => {
  expect(declarationText(text.split('\n'), line)).toBe(expected);
});

test.each([
  ['many lines', `f\n${'  a\n'.repeat(100_000)}`],
  ['a long line', `f${'('.repeat(1_000_000)}`],
  ['long lines', `f\n${`  ${'a'.repeat(10_000)}\n`.repeat(50)}`],
])('cuts %s', (_, text) => {
  const declaration = declarationText(text.split('\n'), 0);
  expect(declaration.length).toBeLessThanOrEqual(1_000);
  expect(declaration.split('\n').length).toBeLessThanOrEqual(15);
});
