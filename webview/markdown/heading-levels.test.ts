// @vitest-environment happy-dom
import { expect, test } from 'vitest';
import { renderParts, splitText } from './render.fixture.ts';

/** Returns the level and text of each heading. */
function listHeadings(parts: readonly string[]): string[] {
  const page = document.createElement('div');
  page.innerHTML = renderParts(parts);
  return [...page.querySelectorAll('h2, h3, h4, h5, h6')].map(
    (heading) =>
      `${heading.getAttribute('aria-level') ?? heading.localName[1]} ${heading.textContent}`,
  );
}

test.each([
  ['# a\n## b\n### c\n## d\n# e', ['2 a', '3 b', '4 c', '3 d', '2 e']],
  ['## a\n### b', ['2 a', '3 b']],
  ['# a\n### b\n### c\n## d', ['2 a', '3 b', '3 c', '3 d']],
  ['#### a\n##### b\n## c', ['2 a', '3 b', '2 c']],
  ['# a\n## b\n### c\n#### d\n##### e\n###### f', ['2 a', '3 b', '4 c', '5 d', '6 e', '6 f']],
  ['> ### a\n> # b\n\n- ###### c\n- text\n\n#### d', ['2 a', '2 b', '3 c', '3 d']],
  ['- # a\n- ### b\n- ### c\n- #### d\n\ne', ['2 a', '3 b', '3 c', '4 d']],
  ['# a\n\n- ### [b]\n- c\n- d\n\n[b]: http://e.f', ['2 a', '3 b']],
])('the heading levels of an answer never skip a level: %j', (text, expected) => {
  expect(listHeadings([text])).toEqual(expected);
  for (let length = 1; length <= 3; length += 1)
    expect(listHeadings(splitText(text, () => length))).toEqual(expected);
});
