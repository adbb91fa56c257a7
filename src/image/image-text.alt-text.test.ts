import { fc } from '../../test/support/property.ts';
import { expect, test } from 'vitest';
import { findHiddenCharacters } from '../base/hidden-characters.ts';
import { createAltText } from './image-text.ts';

const longPrompt = 'a lighthouse on a cliff at dusk '.repeat(10);

test.each([
  ['a cat', 'a cat'],
  ['  a cat\r\n\r\non a\troof ', 'a cat on a roof'],
  ['a\u00A0\u3000\u2028cat', 'a cat'],
  ['a \u200B cat', 'a cat'],
  ['a c\u202Eat\u{E0041}\u{E0042}', 'a cat'],
  ['a\u0000b\u001B[31mc', 'ab[31mc'],
  ['日本の灯台', '日本の灯台'],
  ['family 👩‍👩‍👧', 'family 👩‍👩‍👧'],
  ['', ''],
  ['\n\u200B\n', ''],
  ['a \uD800 cat', 'a \uFFFD cat'],
  [longPrompt, longPrompt.slice(0, 122)],
  [`${'x'.repeat(100)}, ${'y'.repeat(100)}`, 'x'.repeat(100)],
  ['z'.repeat(300), 'z'.repeat(125)],
])('createAltText converts the prompt %j to the alternative text %j', (prompt, alt) =>
  expect(createAltText(prompt)).toBe(alt),
);

test('createAltText processes only the start of a very long prompt', () => {
  expect(createAltText(' \u200B'.repeat(5_000_000))).toBe('');
});

test('createAltText returns one short line without hidden characters for any prompt', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (prompt) => {
      const alt = createAltText(prompt);
      expect(alt.length).toBeLessThanOrEqual(125);
      expect([...findHiddenCharacters(alt)]).toEqual([]);
      expect(alt).not.toMatch(/[\r\n\t]|^\s|\s$/u);
    }),
  );
});
