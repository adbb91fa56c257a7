import { expect, test } from 'vitest';
import { createSnapshotOf } from '../snapshot.fixture.ts';
import { hasInvisibleCharacters } from './refine.ts';

const markedCode = 'const a = |;\n';

test.each([
  ['a no-break space', markedCode, 'a\u00a0b();'],
  ['a wide space', markedCode, 'a\u2003b();'],
  ['an Ogham space', markedCode, 'a\u1680b();'],
  ['a blank Braille pattern', markedCode, 'a\u2800b();'],
  ['a full-width space', markedCode, 'a\u3000b();'],
  [
    'a space character that the document does not contain',
    `const s = '\u2003';\n${markedCode}`,
    'a\u00a0b();',
  ],
  [
    'a new space character next to a space character that the document contains',
    `\u2003${markedCode}`,
    '\u2003a\u00a0b();',
  ],
  ['a zero-width space', markedCode, 'a\u200bb();'],
  ['a private-use character', markedCode, 'a\ue000b();'],
  ['a private-use character of a supplementary plane', markedCode, 'a\u{10fffd}b();'],
  ['a noncharacter', markedCode, 'a\ufffeb();'],
  ['a noncharacter of a supplementary plane', markedCode, 'a\u{1ffff}b();'],
  ['a lone high surrogate', markedCode, 'a\ud800b();'],
  ['a lone low surrogate', markedCode, 'a\udc00b();'],
  ['a hieroglyph format control', markedCode, 'a\u{13430}b();'],
  ['a repeated combining mark', markedCode, `a${'\u0301'.repeat(300)}b();`],
  ['many different combining marks', markedCode, 'a\u0301\u0302\u0303\u0304\u0305\u0306\u0307b();'],
])('hasInvisibleCharacters detects %s', (_, markedText, text) => {
  expect(hasInvisibleCharacters(text, createSnapshotOf(markedText))).toBe(true);
});

test.each([
  ['code', markedCode, 'f(1);\n\treturn "ä";'],
  ['Hindi', markedCode, "'नमस्ते दुनिया, क्ष्म्य स्त्रीं';"],
  ['Arabic with diacritics', markedCode, "'ٱلْحَمْدُ لِلَّٰهِ رَبِّ';"],
  ['decomposed Vietnamese', markedCode, "'Tiếng Việt ở Huế'".normalize('NFD')],
  ['Thai', markedCode, "'ที่นี่ น้ำ'"],
  ['Burmese', markedCode, "'လျှို့ဝှက်'"],
  ['Hebrew with points', markedCode, "'בְּרֵאשִׁ֖ית'"],
  ['emoji', markedCode, "'👩🏽‍💻 ❤️ 1️⃣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿'"],
  ['Chinese and Japanese', markedCode, "'你好，世界。カタカナ'"],
  ['a full-width space in a Japanese document', `// 合計\n${markedCode}`, "'東京　大阪';"],
  ['a full-width space that the document contains', `// '　'\n${markedCode}`, 'a\u3000b'],
  [
    'a no-break space that the document contains below',
    `${markedCode}// 5\u00a0km`,
    "'6\u00a0km';",
  ],
])('hasInvisibleCharacters returns false for %s', (_, markedText, text) => {
  expect(hasInvisibleCharacters(text, createSnapshotOf(markedText))).toBe(false);
});
