import { expect, test } from 'vitest';
import { snapshotOf } from '../snapshot.fixture.ts';
import { hasInvisibleCharacters } from './refine.ts';

const code = 'const a = |;\n';

test.each([
  ['a no-break space', code, 'a\u00a0b();'],
  ['a wide space', code, 'a\u2003b();'],
  ['an Ogham space', code, 'a\u1680b();'],
  ['the pattern of Braille without dots', code, 'a\u2800b();'],
  ['a full-width space', code, 'a\u3000b();'],
  ['another blank than the document has', `const s = '\u2003';\n${code}`, 'a\u00a0b();'],
  ['one blank of the document and one of another kind', `\u2003${code}`, '\u2003a\u00a0b();'],
  ['a zero-width space', code, 'a\u200bb();'],
  ['a private character', code, 'a\ue000b();'],
  ['a private character of a far plane', code, 'a\u{10fffd}b();'],
  ['a noncharacter', code, 'a\ufffeb();'],
  ['a noncharacter of a far plane', code, 'a\u{1ffff}b();'],
  ['the first half of a character', code, 'a\ud800b();'],
  ['the second half of a character', code, 'a\udc00b();'],
  ['a joiner of hieroglyphs', code, 'a\u{13430}b();'],
  ['a heap of marks', code, `a${'\u0301'.repeat(300)}b();`],
  ['a heap of different marks', code, 'a\u0301\u0302\u0303\u0304\u0305\u0306\u0307b();'],
])('detects %s', (_, at, text) => {
  expect(hasInvisibleCharacters(text, snapshotOf(at))).toBe(true);
});

test.each([
  ['code', code, 'f(1);\n\treturn "ä";'],
  ['Hindi', code, "'नमस्ते दुनिया, क्ष्म्य स्त्रीं';"],
  ['Arabic with all its marks', code, "'ٱلْحَمْدُ لِلَّٰهِ رَبِّ';"],
  ['Vietnamese in single marks', code, "'Tiếng Việt ở Huế'".normalize('NFD')],
  ['Thai', code, "'ที่นี่ น้ำ'"],
  ['Burmese', code, "'လျှို့ဝှက်'"],
  ['Hebrew with points', code, "'בְּרֵאשִׁ֖ית'"],
  ['emoji', code, "'👩🏽‍💻 ❤️ 1️⃣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿'"],
  ['Chinese and Japanese', code, "'你好，世界。カタカナ'"],
  ['a full-width space in a Japanese document', `// 合計\n${code}`, "'東京　大阪';"],
  ['a full-width space where one is', `// '　'\n${code}`, 'a\u3000b'],
  ['a no-break space where one is below', `${code}// 5\u00a0km`, "'6\u00a0km';"],
])('accepts %s', (_, at, text) => {
  expect(hasInvisibleCharacters(text, snapshotOf(at))).toBe(false);
});
