import { fc } from '../../test/support/property.ts';
import { expect, test } from 'vitest';
import { findHiddenCharacters } from '../base/hidden-characters.ts';
import { createAltText } from './image-text.ts';

const longPrompt = 'a lighthouse on a cliff at dusk '.repeat(10);

test.each([
  ['the prompt "a cat"', 'a cat', 'a cat'],
  ['a prompt with line breaks and tabs', 'a cat on a roof', '  a cat\r\n\r\non a\troof '],
  ['a prompt with special spaces and a line separator', 'a cat', 'a\u00A0\u3000\u2028cat'],
  ['a prompt with a zero-width space', 'a cat', 'a \u200B cat'],
  [
    'a prompt with a right-to-left override and tag characters',
    'a cat',
    'a c\u202Eat\u{E0041}\u{E0042}',
  ],
  ['a prompt with control characters', 'ab[31mc', 'a\u0000b\u001B[31mc'],
  ['a Japanese prompt', '日本の灯台', '日本の灯台'],
  ['a prompt with a combined emoji', 'family 👩‍👩‍👧', 'family 👩‍👩‍👧'],
  ['an empty prompt', '', ''],
  ['a prompt without visible characters', '', '\n\u200B\n'],
  ['a prompt with an unpaired surrogate', 'a \uFFFD cat', 'a \uD800 cat'],
])('createAltText returns for %s the alternative text %j', (_name, alt, prompt) =>
  expect(createAltText(prompt)).toBe(alt),
);

test.each([
  ['a long prompt after a complete word', longPrompt, longPrompt.slice(0, 122)],
  ['a long prompt before a comma', `${'x'.repeat(100)}, ${'y'.repeat(100)}`, 'x'.repeat(100)],
  ['a word of 300 characters to 125 characters', 'z'.repeat(300), 'z'.repeat(125)],
])('createAltText truncates %s', (_name, prompt, alt) => expect(createAltText(prompt)).toBe(alt));

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
