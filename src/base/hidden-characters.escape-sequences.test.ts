import { fc } from '../../test/support/property.ts';
import { describe, expect, test } from 'vitest';
import { stripEscapeSequences } from './hidden-characters.ts';

describe('stripEscapeSequences', () => {
  test.each([
    ['colors', '\u001B[1;31mred\u001B[0m', 'red'],
    ['a directory listing', '\u001B[0m\u001B[01;34mfolder\u001B[0m  a.ts\u001B[K', 'folder  a.ts'],
    ['colons in parameters', '\u001B[38:2::1:2:3mtext', 'text'],
    ['private modes', '\u001B[?25ltext\u001B[?25h', 'text'],
    ['intermediate characters', '\u001B[4 qtext\u001B[!p', 'text'],
    ['a one-byte sequence introducer', '\u009B31mred', 'red'],
    ['clearing the screen', 'a\u001B[2J\u001B[Hb', 'ab'],
    ['a hyperlink', '\u001B]8;;https://evil.test\u001B\\text\u001B]8;;\u001B\\', 'text'],
    ['a clipboard write', 'a\u001B]52;c;cm0gLXJm\u0007b', 'ab'],
    ['a title with one-byte delimiters', 'a\u009D0;title\u009Cb', 'ab'],
    ['a device string', 'a\u001BPq#0;2;0\n0#1~~\u001B\\b', 'ab'],
    ['each other string type', '\u001BXa\u001B\\1\u001B^b\u001B\\2\u001B_c\u001B\\3', '123'],
    [
      'each other string type with one-byte delimiters',
      '\u0098a\u009C1\u009Eb\u009C2\u009Fc\u009C3\u0090d\u009C4',
      '1234',
    ],
    ['character set selections', '\u001B(Btext\u001B)0', 'text'],
    ['a terminal reset', '\u001Bctext', 'text'],
    ['cursor saving and restoring', '\u001B7text\u001B8', 'text'],
    ['a control sequence truncated at the end of the text', 'text\u001B[38;5', 'text'],
    ['a control sequence truncated by a line break', 'a\u001B[31\nb', 'a\nb'],
    ['an unterminated string', 'a\u001B]0;title\nb\nc', 'a\nb\nc'],
    ['a string interrupted by another sequence', 'a\u001B]0;title\u001B[31mb', 'ab'],
    ['a trailing escape character', 'a\u001B', 'a'],
    ['an escape character before a non-ASCII letter', '\u001Bé', 'é'],
    ['bell, null, delete and backspace characters', 'a\u0007\u0000\u007F\bb', 'ab'],
    ['other one-byte control characters', 'a\u0085\u008Eb', 'ab'],
    ['a sequence nested in another', '\u001B\u001B[31m[31mx', '[31mx'],
  ])('removes %s', (_, text, expected) => {
    expect(stripEscapeSequences(text)).toBe(expected);
  });
});

test('stripEscapeSequences preserves tabs, line breaks and text of any script', () => {
  const text = 'a\tb\r\nc [31m ]0; \\ é 日本 👩‍💻';
  expect(stripEscapeSequences(text)).toBe(text);
});

const escapeSequences = [
  '\u001B',
  '[',
  ']',
  'P',
  '\\',
  '\u009B',
  '\u009D',
  '\u009C',
  '\u0007',
  '0',
  ';',
  'm',
  '\n',
  'é',
];

test('stripEscapeSequences removes every terminal control character and is idempotent', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...escapeSequences), { maxLength: 60 }), (parts) => {
      const strippedText = stripEscapeSequences(parts.join(''));
      expect(strippedText).not.toMatch(/(?![\t\n\r])\p{Cc}/u);
      expect(stripEscapeSequences(strippedText)).toBe(strippedText);
    }),
  );
});

// An algorithm with quadratic time would exceed the test's time limit.
test('stripEscapeSequences takes linear time for many unfinished sequences', () => {
  const text = '\u001B]0;'.repeat(400_000) + '\u001B['.repeat(400_000);
  expect(stripEscapeSequences(text)).toBe('');
});
