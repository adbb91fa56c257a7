import { expect, test } from 'vitest';
import { isPortableName } from './image-folder.ts';

test.each([
  ['images'],
  ['.assets'],
  ['a b'],
  ['a.b.c'],
  ['笔记：第一章'],
  ['console'],
  ['com10'],
  ['a~b'],
])('isPortableName accepts the file name %j, which is valid on every operating system', (name) =>
  expect(isPortableName(name)).toBe(true),
);

test.each([
  [''],
  ['.'],
  ['..'],
  ['a.'],
  ['a '],
  [' a'],
  ['a/b'],
  ['a\\b'],
  ['a:b'],
  ['a?'],
  ['NUL'],
  ['nul.txt'],
  ['aux .x'],
  ['lpt\u00B9'],
  ['CONOUT$'],
  ['LONGNA~1'],
])(
  'isPortableName rejects the file name %j, which is not valid on every operating system',
  (name) => expect(isPortableName(name)).toBe(false),
);

test.each([
  ['a control character', 'a\u0007'],
  ['a zero-width space', 'a\u200B'],
  ['a variation selector', 'a\uFE0F'],
  ['a lone surrogate', 'a\uD800'],
  ['a one dot leader', 'a\u2024b'],
  ['a fullwidth slash', 'a\uFF0Fb'],
])('isPortableName rejects a file name with %s', (_, name) =>
  expect(isPortableName(name)).toBe(false),
);

test('isPortableName accepts a file name of 254 bytes', () => {
  expect(isPortableName('é'.repeat(127))).toBe(true);
});

test('isPortableName rejects a file name of 256 bytes', () => {
  expect(isPortableName('é'.repeat(128))).toBe(false);
});
