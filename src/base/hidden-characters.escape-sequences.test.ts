import { fc } from '../../test/support/property.ts';
import { describe, expect, test } from 'vitest';
import { stripEscapeSequences } from './hidden-characters.ts';

describe('an escape sequence', () => {
  test.each([
    ['colours', '\u001B[1;31mred\u001B[0m', 'red'],
    ['a listing', '\u001B[0m\u001B[01;34mfolder\u001B[0m  a.ts\u001B[K', 'folder  a.ts'],
    ['colons in parameters', '\u001B[38:2::1:2:3mtext', 'text'],
    ['private modes', '\u001B[?25ltext\u001B[?25h', 'text'],
    ['intermediate characters', '\u001B[4 qtext\u001B[!p', 'text'],
    ['one byte that begins a sequence', '\u009B31mred', 'red'],
    ['clearing the screen', 'a\u001B[2J\u001B[Hb', 'ab'],
    ['a link', '\u001B]8;;https://evil.test\u001B\\text\u001B]8;;\u001B\\', 'text'],
    ['the clipboard', 'a\u001B]52;c;cm0gLXJm\u0007b', 'ab'],
    ['the title, in one byte', 'a\u009D0;title\u009Cb', 'ab'],
    ['a device string', 'a\u001BPq#0;2;0\n0#1~~\u001B\\b', 'ab'],
    ['one of each other string', '\u001BXa\u001B\\1\u001B^b\u001B\\2\u001B_c\u001B\\3', '123'],
    ['the same in one byte', '\u0098a\u009C1\u009Eb\u009C2\u009Fc\u009C3\u0090d\u009C4', '1234'],
    ['character sets', '\u001B(Btext\u001B)0', 'text'],
    ['a reset', '\u001Bctext', 'text'],
    ['saving and restoring', '\u001B7text\u001B8', 'text'],
    ['a control sequence that the end cuts', 'text\u001B[38;5', 'text'],
    ['a control sequence that a line cuts', 'a\u001B[31\nb', 'a\nb'],
    ['a string without an end', 'a\u001B]0;title\nb\nc', 'a\nb\nc'],
    ['a string that another sequence cuts', 'a\u001B]0;title\u001B[31mb', 'ab'],
    ['a lone escape', 'a\u001B', 'a'],
    ['an escape before a letter of the world', '\u001Bé', 'é'],
    ['bells, nulls and deletes', 'a\u0007\u0000\u007F\bb', 'ab'],
    ['other controls of one byte', 'a\u0085\u008Eb', 'ab'],
    ['a sequence within a sequence', '\u001B\u001B[31m[31mx', '[31mx'],
  ])('is removed: %s', (_, text, expected) => {
    expect(stripEscapeSequences(text)).toBe(expected);
  });
});

test('keeps tabs, line ends and text of any script', () => {
  const text = 'a\tb\r\nc [31m ]0; \\ é 日本 👩‍💻';
  expect(stripEscapeSequences(text)).toBe(text);
});

const pieces = [
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

test('removes everything that controls a terminal and is idempotent', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 60 }), (parts) => {
      const clean = stripEscapeSequences(parts.join(''));
      expect(clean).not.toMatch(/(?![\t\n\r])\p{Cc}/u);
      expect(stripEscapeSequences(clean)).toBe(clean);
    }),
  );
});

// Quadratic time would exceed the test's time limit.
test('takes linear time for many unfinished sequences', () => {
  const text = '\u001B]0;'.repeat(400_000) + '\u001B['.repeat(400_000);
  expect(stripEscapeSequences(text)).toBe('');
});
