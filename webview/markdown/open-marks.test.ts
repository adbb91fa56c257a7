// @vitest-environment happy-dom
import { describe, expect, test } from 'vitest';
import { measureGrowth } from '../../test/support/growth.ts';
import { closeInlineMarks } from './open-marks.ts';
import { renderUnfinishedText } from './render.fixture.ts';

describe('closeInlineMarks', () => {
  test.each([
    ['plain text', 'plain text'],
    ['a **bold', 'a **bold**'],
    ['a **bold ', 'a **bold**'],
    ['a **bold*', 'a **bold**'],
    ['a **', 'a '],
    ['**a *b', '**a *b***'],
    ['***a', '***a***'],
    ['__a _b', '__a _b___'],
    ['~~gone', '~~gone~~'],
    ['~~a *b', '~~a *b*~~'],
    ['**done** and', '**done** and'],
    ['2 * 3', '2 * 3'],
    ['2*3', '2*3'],
    ['snake_case', 'snake_case'],
    ['`code', '`code`'],
    ['`', ''],
    ['``a ` b', '``a ` b``'],
    ['`a** b', '`a** b`'],
    ['**a `b', '**a `b`**'],
    ['see [the doc', 'see the doc'],
    ['see [the doc](', 'see the doc'],
    ['see [the doc](https://a.b/c', 'see the doc'],
    ['see [the doc](https://a.b/c)', 'see [the doc](https://a.b/c)'],
    ['**see [the', '**see the**'],
    ['![a pict', ''],
    ['a[0', 'a[0'],
    ['text [1]', 'text [1]'],
    ['go to https://exam', String.raw`go to https\:\/\/exam`],
    ['go to https://example.com ', 'go to https://example.com '],
    ['mail a@b.c', String.raw`mail a\@b\.c`],
    ['noon.^1', 'noon.'],
    ['noon.^1^', 'noon.^1^'],
    ['noon.^1,', 'noon.'],
    ['noon.[REF]0[/RE', 'noon.'],
    ['a &am', 'a '],
    ['R&D', 'R'],
    ['R&D ', 'R&D '],
    ['<kb', ''],
    ['<kbd>Ctrl', '<kbd>Ctrl</kbd>'],
    ['H<sub>2</sub>O', 'H<sub>2</sub>O'],
    ['a <br', 'a '],
    ['a < b', 'a < b'],
    ['a $x', 'a '],
    ['a $', 'a '],
    ['a $x$', 'a '],
    ['a $x$ ', 'a $x$ '],
    ['a $x$t', 'a '],
    ['a $x$th ', 'a $x$th '],
    ['a $5 and', 'a $5 and'],
    ['a $5 and *b', 'a $5 and *b*'],
    ['US$5', 'US$5'],
    ['a $x*y$ *b', 'a $x*y$ *b*'],
    ['a \\(x', 'a '],
    ['a \\(x\\)', 'a \\(x\\)'],
    ['a \\[x', 'a '],
    ['a $$x', 'a '],
    ['a $$x$', 'a '],
    ['**a $x', '**a**'],
    ['see [the $x', 'see the '],
    ['end\\', 'end'],
    ['\\*', '\\*'],
    ['**&am', ''],
    ['*[', ''],
  ])('returns for the streamed Markdown %j the complete Markdown %j', (text, closedText) => {
    expect(closeInlineMarks(text)).toBe(closedText);
  });

  test.each([
    '**a ',
    '[a ',
    '`a` ',
    '`a ',
    '<kbd>',
    '_a ',
    '&',
    '^1',
    '\\',
    'https://a.b/',
    '*a* ',
    '$a ',
    '$a',
    '\\(',
    '\\[a',
    '$$\n',
    '$a$ ',
  ])('takes linear time for many repetitions of %j', (mark) => {
    const { timeRatio } = measureGrowth(
      (size) => void closeInlineMarks(mark.repeat(size / mark.length)),
      {
        smallSize: 20_000,
        smallCount: 8,
      },
    );
    expect(timeRatio).toBeLessThan(3);
  });
});

/** Answer that contains every kind of Markdown mark and closes all of them. */
const answerMarkdown = `## The *tide* table

**High water** is at \`12:00\`, see [the **tide** table](https://example.com/tides "Tides") and
https://example.com/moon for ~~old~~ data.^1^ Press <kbd>Ctrl</kbd> &amp; wait.^1,2^

| Port | *Height* |
|------|----------|
| **Brest** | \`7.2 m\` |
| [Cuxhaven](https://example.com/c) | 3.1 m |

- first **item**
  1. nested \`code\`
- [x] done
- [ ] to do

> A *quoted* sentence.[REF]0[/REF]

\`\`\`sh
npm start
\`\`\`

The sum $a_{*} + b$ of \\(x\\) costs $5 or more:
$$
- \\frac{a}{b} \\\\
= |c|
$$

- for $n > 0$: \\[ n \\]
- done

Title
-----

Last **words**.
`;

/** Matches Markdown marks of `answerMarkdown` that must not be visible in the rendered text at any time. */
const rawMarksPattern =
  /\*|~~|\$[^5]|\$$|\\|`|\]\(|\||&am|<\/?kbd|\[REF|\[the|\[Cux|\[ \]|\[x|\^1|^#|---|^>/mu;

const getVisibleText = (container: HTMLElement): string => {
  const copy = container.cloneNode(true) as HTMLElement;
  // Complete citation marks become links later. The language label of a code block is not part of the answer. A
  // complete formula shows its source until KaTeX is loaded.
  for (const element of copy.querySelectorAll('.source-mark, .code-block-header, .formula'))
    element.remove();
  return copy.textContent;
};

test.each([
  ['```', ''],
  ['a\n```j', '<p>a</p>'],
  ['a\n~~~', '<p>a</p>'],
  ['- a\n  ```j', '<ul><li><p>a</p></li></ul>'],
  ['[a]', '<p>[a]</p>'],
  ['[a]:', ''],
  ['[a]: http://b', ''],
  ['> [a]: http', '<blockquote></blockquote>'],
  ['| a |', ''],
  ['| a |\n|', ''],
  ['| a |\n|-', ''],
  ['| a |\n|-|', ''],
  ['b\n| a |\n|-|', '<p>b</p>'],
  ['- b\n  | a |\n  |-', '<ul><li><p>b</p></li></ul>'],
  ['> b\n> | a |\n> |-', '<blockquote><p>b</p></blockquote>'],
  ['   ```js', ''],
  ['- [', '<ul><li></li></ul>'],
  ['- [ ]', '<ul><li></li></ul>'],
  ['a\n-', '<p>a</p>'],
  ['a\n- ', '<p>a</p>'],
  ['a\n--', '<p>a</p>'],
  ['a\n=', '<p>a</p>'],
  ['a\n===\n', '<h2 class="title">a</h2>'],
  ['- a\n-', '<ul><li><p>a</p></li></ul>'],
  ['1.', ''],
  ['2)', ''],
  ['#', ''],
  ['>', '<blockquote></blockquote>'],
  ['*', ''],
  ['+', ''],
  ['a\n\n---', '<p>a</p>'],
])('MarkdownStream holds back the end of %j, whose meaning depends on later text', (text, html) => {
  expect(renderUnfinishedText([text]).querySelector('.block-group')?.innerHTML ?? '').toBe(html);
});

test('MarkdownStream shows a table row only after the row has a cell', () => {
  const countRows = (text: string): number =>
    renderUnfinishedText([text]).querySelectorAll('tr').length;
  const table = '| a |\n|-|\n| b |\n';
  expect([table, `${table}|`, `${table}| `, `${table}| c`].map(countRows)).toEqual([2, 2, 2, 3]);
});

test('MarkdownStream never shows a raw Markdown mark while an answer grows', () => {
  for (let end = 1; end <= answerMarkdown.length; end += 1) {
    const text = getVisibleText(renderUnfinishedText([answerMarkdown.slice(0, end)]));
    expect([
      answerMarkdown.slice(Math.max(0, end - 30), end),
      rawMarksPattern.exec(text)?.[0],
    ]).toEqual([answerMarkdown.slice(Math.max(0, end - 30), end), undefined]);
  }
});

test('MarkdownStream shows no link before its address is complete', () => {
  for (let end = 1; end <= answerMarkdown.length; end += 1) {
    const links = [...renderUnfinishedText([answerMarkdown.slice(0, end)]).querySelectorAll('a')];
    for (const link of links)
      expect(link.getAttribute('href')).toMatch(/^https:\/\/example\.com\/(?:tides|moon|c)$/u);
  }
});

test('MarkdownStream shows the same for each prefix of the text, regardless of the chunks in which it arrived', () => {
  for (let end = 1; end <= answerMarkdown.length; end += 1) {
    const text = answerMarkdown.slice(0, end);
    const wholeHtml = renderUnfinishedText([text]).innerHTML;
    expect(renderUnfinishedText(text.match(/[\s\S]{1,7}/gu) ?? []).innerHTML).toBe(wholeHtml);
  }
});
