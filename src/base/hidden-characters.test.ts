import { fc } from '../../test/support/property.ts';
import { expect, test } from 'vitest';
import { findHiddenCharacters, stripHiddenCharacters } from './hidden-characters.ts';

const joinCodePoints = (...codes: readonly number[]): string => String.fromCodePoint(...codes);
const listCodePoints = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** Code points of characters that are invisible, reorder the visible text, or control terminals. */
const invisibleCodePoints = [
  ...listCodePoints(0xfe00, 0xfe0f),
  ...listCodePoints(0xe0100, 0xe01ef),
  ...listCodePoints(0xe0000, 0xe007f),
  ...listCodePoints(0x200b, 0x200f),
  ...listCodePoints(0x2028, 0x202e),
  ...listCodePoints(0x2060, 0x206f),
  ...listCodePoints(0x180b, 0x180f),
  ...listCodePoints(0xfff9, 0xfffb),
  ...[0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x3164, 0xfeff, 0xffa0],
  ...[0x00, 0x07, 0x08, 0x1b, 0x7f, 0x85, 0x9b],
  ...[0x1d173, 0x1bca0],
];

test('stripHiddenCharacters removes and counts hidden characters between letters', () => {
  for (const code of invisibleCodePoints) {
    const name = `U+${code.toString(16)}`;
    expect([name, stripHiddenCharacters(`a${joinCodePoints(code)}b`)]).toEqual([
      name,
      { text: 'ab', removedCount: 1 },
    ]);
  }
});

test.each([
  ['a run of variation selectors after an emoji', '😀\ufe0f\ufe0e', '😀', 2],
  [
    'bytes encoded as variation selectors after an emoji',
    `😀${joinCodePoints(...listCodePoints(0xe0100, 0xe0120))}`,
    '😀',
    33,
  ],
  ['a variation selector after a letter', 'a\ufe0f', 'a', 1],
  ['a variation selector after a digit without a keycap', '1\ufe0f2', '12', 1],
  [
    'the second of two variation selectors with a hidden character in between',
    '❤\ufe0f\u200b\ufe0f',
    '❤\ufe0f',
    2,
  ],
  ['a joiner between Latin letters', 'pay\u200dpal', 'paypal', 1],
  ['a joiner between Han characters', '好\u200d的', '好的', 1],
  ['a joiner between Hangul syllables', '한\u200c글', '한글', 1],
  ['a run of joiners between Arabic letters', 'می\u200c\u200d\u200cخ', 'میخ', 3],
  ['a joiner at the end of an Arabic word', 'می\u200c a', 'می a', 1],
  ['a joiner after an emoji without a following emoji', '😀\u200d a', '😀 a', 1],
  ['a joiner before an emoji without a preceding emoji', 'a\u200d😀', 'a😀', 1],
  [
    'tag characters that spell text after a flag',
    `🏴${joinCodePoints(0xe0067, 0xe0062, 0xe0072, 0xe0075, 0xe006e, 0xe007f)}`,
    '🏴',
    6,
  ],
  [
    'an unterminated flag sequence',
    `🏴${joinCodePoints(0xe0067, 0xe0062, 0xe0065, 0xe006e, 0xe0067, 0xe0041)}`,
    '🏴',
    6,
  ],
])('stripHiddenCharacters removes %s', (_, text, strippedText, removedCount) => {
  expect(stripHiddenCharacters(text)).toEqual({ text: strippedText, removedCount });
});

test.each([
  ['family emoji', '👨‍👩‍👧‍👦 👩🏽‍💻 ❤️‍🔥 🧑‍🦰'],
  ['flags', '🇩🇪 🏳️‍🌈 🏴‍☠️'],
  ['regional flags', `🏴${joinCodePoints(0xe0067, 0xe0062, 0xe0065, 0xe006e, 0xe0067, 0xe007f)}!`],
  ['keycaps', '1️⃣ #️⃣ *️⃣'],
  ['text and emoji forms of a symbol', '©\ufe0e ❤\ufe0f ↔\ufe0f ‼\ufe0f ★'],
  ['skin tones', '👍🏽'],
  ['Persian', 'می‌خواهم کتاب‌ها'],
  ['Hindi', 'क्‍ष र्‌क'],
  ['Sinhala', 'ශ්‍රී ලංකා'],
  ['Malayalam words that end in a consonant', 'അവന്‍ പറഞ്ഞു'],
  ['Hebrew, Arabic, Thai, Korean and Chinese', 'שלום مرحبا สวัสดี 한글 漢字'],
  ['tabs and line breaks', 'a\tb\r\nc\n'],
  ['combining accents, whitespace and private-use characters', 'cafe\u0301\u00a0x\u3000\ue0b0'],
])('stripHiddenCharacters preserves %s', (_, text) => {
  expect(stripHiddenCharacters(text)).toEqual({ text, removedCount: 0 });
});

test('stripHiddenCharacters removes exactly the characters that findHiddenCharacters finds, and is idempotent', () => {
  const anyUnit = fc.oneof(
    fc.constantFrom(...invisibleCodePoints).map((code) => joinCodePoints(code)),
    fc.constantFrom('a', '1', '😀', '❤', '🏴', '⃣', '🏽', 'क', '्', 'م', '\n', '漢'),
    fc.string({ unit: 'grapheme', maxLength: 3 }),
  );
  fc.assert(
    fc.property(fc.array(anyUnit, { maxLength: 20 }), (units) => {
      const text = units.join('');
      const { text: strippedText, removedCount } = stripHiddenCharacters(text);
      expect(stripHiddenCharacters(strippedText)).toEqual({ text: strippedText, removedCount: 0 });
      const characters = [...findHiddenCharacters(text)];
      expect(characters).toHaveLength(removedCount);
      const removedText = characters.map(({ character }) => character).join('');
      expect(strippedText.length + removedText.length).toBe(text.length);
    }),
    { numRuns: 1_000 },
  );
});

test('findHiddenCharacters does not report a zero-width joiner at the end of unfinished text', () => {
  expect([...findHiddenCharacters('👨\u200d', { mayContinue: true })]).toEqual([]);
  expect([...findHiddenCharacters('👨\u200d')]).toEqual([{ character: '\u200d', index: 2 }]);
  expect([...findHiddenCharacters('a\u200d', { mayContinue: true })]).toHaveLength(1);
});
