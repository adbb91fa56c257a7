import { expect, test } from 'vitest';
import { findTokenAt } from './suggest-menu.ts';

/** Returns the token at the caret. The character `|` in `markedText` is the caret. */
function findTokenAtMark(markedText: string) {
  const caret = markedText.indexOf('|');
  return findTokenAt(markedText.replace('|', ''), caret);
}

test.each([
  ['#|', 'any', '', 0],
  ['see #fi|', 'any', 'fi', 4],
  ['see #file:|', 'file', '', 4],
  ['see #file:app.ts|', 'file', 'app.ts', 4],
  ['(#folder:src|', 'folder', 'src', 1],
  ['a\n#symbol:run|', 'symbol', 'run', 2],
  ['#app| and more', 'any', 'app', 0],
  ['#url:x|', 'any', 'url:x', 0],
  ['/|', 'command', '', 0],
  ['/fi|', 'command', 'fi', 0],
  ['/my-prompt.v2|', 'command', 'my-prompt.v2', 0],
])(
  'findTokenAt finds at the caret `|` in %j the %s token %j, which starts at offset %i',
  (markedText, kind, query, start) => {
    expect(findTokenAtMark(markedText)).toEqual({
      kind,
      query,
      start,
      end: markedText.indexOf('|'),
    });
  },
);

test.each([
  '|',
  'text|',
  'C#|',
  'a#b|',
  '##|',
  '#a |',
  '|#a',
  '/fix |',
  '/fix| it',
  'a /|',
  '/a/b|',
  ' /fi|',
])('findTokenAt finds no token at the caret `|` in %j', (markedText) => {
  expect(findTokenAtMark(markedText)).toBeUndefined();
});

test('findTokenAt finds no token if the text at the caret is too long for a name', () => {
  expect(findTokenAtMark(`#${'x'.repeat(201)}|`)).toBeUndefined();
  expect(findTokenAtMark(`/${'x'.repeat(201)}|`)).toBeUndefined();
});
