import { fc } from '../../test/support/property.ts';
import { expect, test } from 'vitest';
import { truncateText } from './image-text.ts';

test.each([
  ['a cat', 10, 'a cat'],
  ['exactly', 7, 'exactly'],
  ['a cat on a roof', 10, 'a cat on a'],
  ['a cat on a roof', 9, 'a cat on'],
  ['a cat on a roof', 8, 'a cat on'],
  ['a-cat-on-a-roof', 9, 'a-cat-on'],
  ['a supercalifragilistic cat', 12, 'a supercalif'],
  ['supercalifragilistic', 5, 'super'],
  ['a    cat', 4, 'a'],
  ['日本語の文章', 4, '日本語の'],
  ['ab👩‍👩‍👧cd', 4, 'ab'],
  ['ab👩‍👩‍👧cd', 10, 'ab👩‍👩‍👧'],
  ['abe\u0301', 3, 'ab'],
  ['😀😀', 3, '😀'],
  ['', 3, ''],
])('truncateText truncates %j to at most %i UTF-16 code units: %j', (text, limit, truncatedText) =>
  expect(truncateText(text, limit)).toBe(truncatedText),
);

test('truncateText returns a well-formed prefix of any text within the limit', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 60 });
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 30 }), (anyText, limit) => {
      const truncatedText = truncateText(anyText, limit);
      expect(anyText.startsWith(truncatedText)).toBe(true);
      expect(truncatedText.length).toBeLessThanOrEqual(limit);
      expect(truncatedText.isWellFormed()).toBe(anyText.isWellFormed());
    }),
  );
});
