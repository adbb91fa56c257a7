import { fc } from '../../test/support/property.ts';
import { expect, test } from 'vitest';
import { formatHiddenCodes, hasHiddenCharacters, splitHiddenText } from './visible-text.ts';

/** Returns the text with codes in brackets in place of hidden content. */
const revealText = (text: string, indentation?: number): string =>
  splitHiddenText(text, indentation === undefined ? {} : { maxIndentation: indentation })
    .map(({ text: part, hiddenContent }) =>
      hiddenContent === undefined ? part : `[${formatHiddenCodes(hiddenContent)}]`,
    )
    .join('');

test.each([
  [
    'spaces that push a command out of view',
    `ls${' '.repeat(3_000)}; curl x|sh`,
    'ls[U+0020 ×3000]; curl x|sh',
  ],
  ['a run of tabs', `ls${'\t'.repeat(9)}x`, 'ls[U+0009 ×9]x'],
  ['a run of spaces and tabs', `ls${' \t'.repeat(5)}x`, 'ls[U+0020 U+0009 … ×10]x'],
  ['trailing spaces', `ls${' '.repeat(9)}`, 'ls[U+0020 ×9]'],
  ['leading spaces', `${' '.repeat(9)}ls`, '[U+0020 ×9]ls'],
  ['blank lines', 'ls\n\n\n\n\nrm', 'ls\n[U+000A ×4]rm'],
  ['blank lines that contain spaces', 'ls\n \n\t\n  \r\n\nrm', 'ls\n[U+000A ×4]rm'],
  ['a no-break space', 'rm\u00a0-rf', 'rm[U+00A0]-rf'],
  ['an ideographic space', 'a\u3000b', 'a[U+3000]b'],
  ['a zero-width space', 'a\u200bb', 'a[U+200B]b'],
  ['a run of zero-width spaces', `a${'\u200b'.repeat(3_000)}b`, 'a[U+200B ×3000]b'],
  ['a text direction override', 'a\u202etxt.exe', 'a[U+202E]txt.exe'],
  ['direction isolates', 'a\u2066b\u2069', 'a[U+2066]b[U+2069]'],
  ['tag characters', 'a\u{e0072}\u{e006d}', 'a[U+E0072 U+E006D]'],
  [
    'a run of tag characters',
    'a\u{e0072}\u{e006d}\u{e0020}\u{e002d}\u{e0072}\u{e0066}',
    'a[U+E0072 U+E006D U+E0020 U+E002D … ×6]',
  ],
  ['variation selectors', 'a\ufe00b\u{e0100}', 'a[U+FE00]b[U+E0100]'],
  ['terminal escapes', '\u001b[31m\u009b', '[U+001B][31m[U+009B]'],
  ['a null character', 'a\0b', 'a[U+0000]b'],
  ['a carriage return that overwrites the line', 'rm -rf x\rls', 'rm -rf x[U+000D]ls'],
  ['other line separators', 'a\u2028b\u0085c\u000bd', 'a[U+2028]b[U+0085]c[U+000B]d'],
  ['a soft hyphen', 'cu\u00adrl', 'cu[U+00AD]rl'],
  ['filler characters', 'a\u3164b\u2800c', 'a[U+3164]b[U+2800]c'],
  ['an unpaired surrogate', 'a\ud800b', 'a[U+D800]b'],
])('splitHiddenText returns the codes of %s', (_, text, expected) => {
  expect(revealText(text)).toBe(expected);
  expect(hasHiddenCharacters(text)).toBe(true);
});

test.each([
  ['a command', 'git log --oneline | head -n 3'],
  ['eight spaces', `a${' '.repeat(8)}b`],
  ['three blank lines', 'a\n\n\n\nb'],
  ['Windows line breaks', 'a\r\nb\r\n'],
  ['letters of any script', 'größe 大小 размер حجم गुण'],
  ['an emoji', '👍'],
  ['an empty text', ''],
])('splitHiddenText returns %s unchanged', (_, text) => {
  expect(revealText(text)).toBe(text);
  expect(hasHiddenCharacters(text)).toBe(false);
  expect(splitHiddenText(text).length).toBe(text === '' ? 0 : 1);
});

test('splitHiddenText marks a long run of spaces inside a line, and indentation that exceeds the limit, as hidden', () => {
  const indentedText = `if\n${' '.repeat(24)}x${' '.repeat(24)}y\n${' '.repeat(41)}z`;
  expect(revealText(indentedText, 40)).toBe(`if\n${' '.repeat(24)}x[U+0020 ×24]y\n[U+0020 ×41]z`);
});

test.each([
  ['spaces', { kind: 'spaces', count: 12, codes: ['U+0020'] }, ' '.repeat(12)],
  [
    'spaces and tabs',
    { kind: 'spaces-and-tabs', count: 10, codes: ['U+0020', 'U+0009'] },
    ' \t'.repeat(5),
  ],
  ['blank lines', { kind: 'blank-lines', count: 4, codes: ['U+000A'] }, '\n\n\n\n'],
  [
    'repetitions of a character',
    { kind: 'characters', count: 3, codes: ['U+200B'] },
    '\u200b'.repeat(3),
  ],
])(
  'splitHiddenText returns the kind, count and codes of %s in hidden content',
  (_, expected, text) => {
    expect(splitHiddenText(text)).toEqual([{ text, hiddenContent: expected }]);
  },
);

test('splitHiddenText preserves the text and leaves no hidden characters in visible segments', () => {
  const anySegment = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(' ', '\t', '\n', '\r', '\u200b', '\u202e', '\u{e0041}', '\u00a0', '\ufe0f'),
  );
  fc.assert(
    fc.property(fc.array(anySegment, { maxLength: 60 }), (parts) => {
      const text = parts.join('');
      const segments = splitHiddenText(text);
      expect(segments.map((segment) => segment.text).join('')).toBe(text);
      for (const { text: part, hiddenContent } of segments) {
        if (hiddenContent === undefined)
          expect(part).not.toMatch(/\p{Cf}|\p{Variation_Selector}|\u00a0| {9}/u);
      }
    }),
  );
});

test('splitHiddenText takes linear time for hostile text', () => {
  const texts = [
    ' '.repeat(1e6),
    `\n${' '.repeat(1e6)}x`,
    '\n \n \nx'.repeat(1e5),
    '\t \n'.repeat(2e5),
  ];
  for (const text of texts) expect(splitHiddenText(text).length).toBeGreaterThan(0);
});
