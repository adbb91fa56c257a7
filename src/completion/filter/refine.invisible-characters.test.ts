import { expect, test } from 'vitest';
import { createSnapshotOf } from '../snapshot.fixture.ts';
import { hasInvisibleCharacters } from './refine.ts';

const code = 'const a = |;\n';

test.each([
  ['a no-break space', code, 'a\u00a0b();'],
  ['a wide space', code, 'a\u2003b();'],
  ['an Ogham space', code, 'a\u1680b();'],
  ['a blank Braille pattern', code, 'a\u2800b();'],
  ['a full-width space', code, 'a\u3000b();'],
  [
    'a space character that the document does not contain',
    `const s = '\u2003';\n${code}`,
    'a\u00a0b();',
  ],
  [
    'a new space character next to a space character that the document contains',
    `\u2003${code}`,
    '\u2003a\u00a0b();',
  ],
  ['a zero-width space', code, 'a\u200bb();'],
  ['a private-use character', code, 'a\ue000b();'],
  ['a private-use character of a supplementary plane', code, 'a\u{10fffd}b();'],
  ['a noncharacter', code, 'a\ufffeb();'],
  ['a noncharacter of a supplementary plane', code, 'a\u{1ffff}b();'],
  ['a lone high surrogate', code, 'a\ud800b();'],
  ['a lone low surrogate', code, 'a\udc00b();'],
  ['a hieroglyph format control', code, 'a\u{13430}b();'],
  ['a repeated combining mark', code, `a${'\u0301'.repeat(300)}b();`],
  ['many different combining marks', code, 'a\u0301\u0302\u0303\u0304\u0305\u0306\u0307b();'],
])('hasInvisibleCharacters detects %s', (_, markedText, text) => {
  expect(hasInvisibleCharacters(text, createSnapshotOf(markedText))).toBe(true);
});

test.each([
  ['code', code, 'f(1);\n\treturn "ä";'],
  ['Hindi', code, "'नमस्ते दुनिया, क्ष्म्य स्त्रीं';"],
  ['Arabic with diacritics', code, "'ٱلْحَمْدُ لِلَّٰهِ رَبِّ';"],
  ['decomposed Vietnamese', code, "'Tiếng Việt ở Huế'".normalize('NFD')],
  ['Thai', code, "'ที่นี่ น้ำ'"],
  ['Burmese', code, "'လျှို့ဝှက်'"],
  ['Hebrew with points', code, "'בְּרֵאשִׁ֖ית'"],
  ['emoji', code, "'👩🏽‍💻 ❤️ 1️⃣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿'"],
  ['Chinese and Japanese', code, "'你好，世界。カタカナ'"],
  ['a full-width space in a Japanese document', `// 合計\n${code}`, "'東京　大阪';"],
  ['a full-width space that the document contains', `// '　'\n${code}`, 'a\u3000b'],
  ['a no-break space that the document contains below', `${code}// 5\u00a0km`, "'6\u00a0km';"],
])('hasInvisibleCharacters accepts %s', (_, markedText, text) => {
  expect(hasInvisibleCharacters(text, createSnapshotOf(markedText))).toBe(false);
});
