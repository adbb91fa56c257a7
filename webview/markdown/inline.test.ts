// @vitest-environment happy-dom
import { expect, test } from 'vitest';
import { appendInlineTokens, appendText, getVisibleText } from './inline.ts';

test.each([
  ['a zero-width space', 'a\u200bb', 'aU+200Bb'],
  ['reordered text', 'a\u202eb\u2066', 'aU+202EbU+2066'],
  ['text in tags', 'a\u{e0072}\u{e006d}', 'aU+E0072U+E006D'],
  ['terminal escapes', '\u001b[31m\u009b', 'U+001B[31mU+009B'],
  ['a joiner between letters', 'pay\u200dpal', 'payU+200Dpal'],
  ['a run of variation selectors', 'a\ufe00\ufe01\ufe02', 'aU+FE00U+FE01U+FE02'],
  ['bytes after an emoji', '\u{1f600}\u{e0101}\ufe01', '\u{1f600}U+E0101U+FE01'],
  ['a soft hyphen and a line separator', 'pay\u00adpal\u2028', 'payU+00ADpalU+2028'],
  ['a direction mark in Latin text', 'a\u200fb', 'aU+200Fb'],
])('appendText shows the hidden characters in %s', (_, text, expectedText) => {
  expect(renderChunks([text]).textContent).toBe(expectedText);
});

test.each([
  ['emoji sequences', '\u{1f468}\u200d\u{1f469}\u200d\u{1f467} \u2764\ufe0f \u{1f44d}\u{1f3fd}'],
  ['Persian joiners', '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645'],
  ['Devanagari joiners', '\u0915\u094d\u200d\u0937'],
  ['keycaps and flags', '1\ufe0f\u20e3 \u{1f1e9}\u{1f1ea}'],
  ['the form of a Han character', '\u845b\u{e0100}'],
  ['direction marks after Hebrew', '\u05e9\u05dc\u05d5\u05dd!\u200f'],
  ['tabs and newlines', 'a\tb\n'],
])('appendText does not mark or change %s', (_, text) => {
  expect(renderChunks([text]).innerHTML).toBe(text);
});

test.each([
  [['\u{1f468}', '\u200d\u{1f469}']],
  [['\u{1f468}\u200d', '\u{1f469}']],
  [['\u0645\u06cc\u200c', '\u062e']],
  [['1\ufe0f', '\u20e3']],
])(
  'appendText does not mark a valid character sequence that arrives in two chunks (case %#)',
  (chunks) => {
    expect(renderChunks(chunks).innerHTML).toBe(chunks.join(''));
  },
);

test('getVisibleText omits hidden characters and their markers', () => {
  expect(getVisibleText(renderChunks(['rm\u200b -rf \u{e0041}x\n']))).toBe('rm -rf x\n');
});

function renderChunks(chunks: readonly string[]): HTMLElement {
  const element = document.createElement('p');
  for (const chunk of chunks) appendText(element, chunk);
  return element;
}

test('appendInline renders a path of more than 300 characters as text, without a link to a file', () => {
  const parent = document.createElement('p');
  const folder = `${'a'.repeat(90)}/`;
  for (const text of [`${folder.repeat(3)}b.ts`, `${folder.repeat(4)}b.ts`])
    appendInlineTokens(parent, [{ type: 'text', raw: text, text }]);
  const paths = [...parent.querySelectorAll<HTMLElement>('[data-path]')];
  expect(paths.map(({ textContent }) => textContent)).toEqual([`${folder.repeat(3)}b.ts`]);
  expect(parent.textContent).toBe(`${folder.repeat(3)}b.ts${folder.repeat(4)}b.ts`);
});
