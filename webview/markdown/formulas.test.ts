// @vitest-environment happy-dom
import { beforeAll, describe, expect, test } from 'vitest';
import { MarkdownStream } from './markdown-stream.ts';
import { renderParts, renderUnfinishedText } from './render.fixture.ts';

describe('the formula parser', () => {
  test.each([
    ['the value $x$.', ['$x$']],
    ['$5$ and $3.5$', ['$5$', '$3.5$']],
    ['$a_b$ and $c_d$', ['$a_b$', '$c_d$']],
    ['$x^*$ and $y^*$ *em*', ['$x^*$', '$y^*$']],
    ['*a $b*c$ d*', ['$b*c$']],
    ['**a $b**c$ d**', ['$b**c$']],
    ['the $n$th and $k$-th', ['$n$', '$k$']],
    ['设$x$为', ['$x$']],
    ['($x$), "$y$"', ['$x$', '$y$']],
    [String.raw`\(a \, b\) and \(c\)`, [String.raw`\(a \, b\)`, String.raw`\(c\)`]],
    [String.raw`\[a \\ b\]`, [String.raw`\[a \\ b\]`]],
    [String.raw`\[a \\[2pt] b\]`, [String.raw`\[a \\[2pt] b\]`]],
    [String.raw`$\{a\} [b](c) <d> &amp; \$5$`, [String.raw`$\{a\} [b](c) <d> &amp; \$5$`]],
    ['$$x$$', ['$$x$$']],
    ['a $$x = 1$$ b', ['$$x = 1$$']],
    ['$$\na\n$$', ['$$\na\n$$']],
    [
      'where\n$$\na\n= b\n- c\n+ d\n> e\n# f\n===\n---\n1. g\n$$\nand',
      ['$$\na\n= b\n- c\n+ d\n> e\n# f\n===\n---\n1. g\n$$'],
    ],
    ['\\[\n- a\n\\]', ['\\[\n- a\n\\]']],
    ['so: $$\n- a\n$$\n- item', ['$$\n- a\n$$']],
    ['- item\n  $$\n  - a\n  $$\n- next $b$', ['$$\n- a\n$$', '$b$']],
    ['> $$\n> - a\n> $$', ['$$\n- a\n$$']],
    ['# The $x$', ['$x$']],
    ['| $a$ | b |\n|-|-|\n| $c_1$ | $d$ |', ['$a$', '$c_1$', '$d$']],
    ['[the $x$](http://b.c/$d$)', ['$x$']],
    [String.raw`$\text{cost: \$5}$`, [String.raw`$\text{cost: \$5}$`]],
    [String.raw`$$\text{if $x$}$$`, [String.raw`$$\text{if $x$}$$`]],
    ['we pay $5 and $x$', ['$x$']],
    ['$$a$$\n- b\n- c $$d$$', ['$$a$$', '$$d$$']],
  ])('finds the formulas of %j', (text, formulas) => {
    expect(listSources([text])).toEqual(formulas);
  });

  test.each([
    'It is $5 and $10.',
    'costs $5, not $10',
    'US$5 … US$7',
    'US$5 or HK$, or A$',
    'from $5-$10 to $20/$30',
    '$HOME/bin and $PATH',
    '$HOME:$PATH and $HOME/$PATH',
    'Replace $1 with $2, and $1$2 or ($3)/($4)',
    '$ npm install $pkg',
    'about $5 and 10$',
    'I have $5 in cash, or 10$ more',
    '$100k to 200k$',
    '5$ or 10$',
    '5$/month, 10$/year',
    'a rate of $5/$ or $HOME:$ alone',
    '${a}-${b} and $(pwd)/$(ls)',
    '费用是$5，但不是10$',
    '$5个和6个$',
    '$ a$ and $a $',
    '$a\nb$',
    '`$x$` and ``$$y$$``',
    '```\n$x$\n```',
    '    $x$',
    '$HOME to `$HOME/bin`',
    '<a title="$x$">',
    'http://a.b/?c=$d$',
    String.raw`\$x\$ and \\(y\\)`,
    String.raw`\[optional\]`,
    '$$ - $$$',
    '$$$ and $$$',
    '$$\n\na\n$$',
    '$$\n$$',
    `$${'a'.repeat(5_001)}$`,
  ])('finds no formula in %j', (text) => {
    expect(listSources([text])).toEqual([]);
  });

  test('shows the source unchanged before the formula is typeset', () => {
    const text = String.raw`a \(b\\c *d* _e_ &lt; <f> \* [g](h)\) i`;
    expect(renderUnfinishedText([`${text} `]).textContent.trim()).toBe(text);
  });

  test.each(['\u202ea', '\u200ba'])('shows hidden characters in the source (case %#)', (tex) => {
    expect(renderUnfinishedText([`$${tex}$ `]).querySelectorAll('.hidden-character')).toHaveLength(
      1,
    );
  });
});

function listSources(parts: readonly string[]): string[] {
  const container = document.createElement('div');
  container.innerHTML = renderParts(parts);
  return [...container.querySelectorAll<HTMLElement>('.formula')].map(
    ({ dataset }) => dataset['source'] ?? '',
  );
}

describe('the formula renderer', () => {
  // KaTeX requires the standards mode of a browser.
  beforeAll(() => Object.defineProperty(document, 'compatMode', { value: 'CSS1Compat' }));

  test('renders formulas with MathML for screen readers once KaTeX is loaded', async () => {
    const { container, stream } = await showRenderedFormulas(
      'the value $x^2$ of\n$$\n\\frac{a}{b}\n$$\n',
    );
    const [inlineFormula, displayFormula] = container.querySelectorAll('.formula');
    expect(inlineFormula?.querySelector('math annotation')?.textContent).toBe('x^2');
    expect(inlineFormula?.querySelector('.katex-html')?.getAttribute('aria-hidden')).toBe('true');
    expect(displayFormula?.querySelector('.katex-display math')).not.toBeNull();
    expect(container.querySelector('.unrendered')).toBeNull();
    stream.dispose();
  });

  test('shows the source of a formula with hidden characters after KaTeX is loaded', async () => {
    await showRenderedFormulas('$a$');
    const container = renderUnfinishedText(['$\u200ba$ ']);
    expect(container.querySelectorAll('.formula .hidden-character')).toHaveLength(1);
    expect(container.querySelector('.katex')).toBeNull();
  });

  test('renders formulas the same in many chunks as in one chunk', async () => {
    await showRenderedFormulas('$a$');
    const text = 'the $a_1$ and *b \\(c*d\\)* or\n\n- $$\n  e\n  $$\n- $f$ and $\\bad{g}$\n';
    const wholeHtml = renderParts([text]);
    expect(wholeHtml).not.toContain('unrendered');
    expect(renderParts(text.split(''))).toBe(wholeHtml);
    for (let end = 1; end < text.length; end += 1) {
      const receivedText = text.slice(0, end);
      expect(renderUnfinishedText(receivedText.split('')).innerHTML).toBe(
        renderUnfinishedText([receivedText]).innerHTML,
      );
    }
  });

  test.each([
    String.raw`\bad{x}`,
    String.raw`\frac{a}`,
    'a_b_c',
    String.raw`\def\a{\a\a}\a`,
    String.raw`\def\a{x}\a\a`,
    String.raw`\newcommand{\a}{x}\a`,
    String.raw`\gdef\a#1{#1#1}\a{x}`,
    String.raw`\url{https://e.tld/}x}`,
  ])('shows the source of %j as code', async (tex) => {
    const { container } = await showRenderedFormulas(`a $${tex}$ b`);
    expect(container.querySelector('.formula code')?.textContent).toBe(`$${tex}$`);
    expect(container.querySelector('.katex')).toBeNull();
  });

  test.each([
    String.raw`\href{javascript:steal()}{x}`,
    String.raw`\href{https://e.tld/}{x}`,
    String.raw`\url{https://e.tld/}`,
    String.raw`\includegraphics[height=1em]{https://e.tld/x.png}`,
    String.raw`\htmlClass{monaco-button}{x}`,
    String.raw`\htmlId{app}{x}`,
    String.raw`\htmlStyle{position:fixed}{x}`,
    String.raw`\htmlData{action=copy}{x}`,
    String.raw`\text{<img src=x onerror=steal()>}`,
    String.raw`\rule{1000em}{1000em}`,
    String.raw`\kern{1000em}x\raisebox{1000em}{y}`,
  ])('renders %j without links, images, foreign attributes or huge sizes', async (tex) => {
    const { container } = await showRenderedFormulas(`a $${tex}$ b`);
    const forbiddenSelector =
      'a, img, image, script, iframe, [href], [src], [id], [data-action], [onerror]';
    expect(container.querySelectorAll(forbiddenSelector)).toHaveLength(0);
    expect(container.querySelectorAll('.monaco-button')).toHaveLength(0);
    for (const element of container.querySelectorAll('[style]')) {
      const style = element.getAttribute('style') ?? '';
      expect(style).not.toContain('position: fixed');
      for (const [, size] of style.matchAll(/([\d.]+)em/gu)) expect(Number(size)).toBeLessThan(30);
    }
  });

  test('renders many new formulas while the page is idle', async () => {
    await showRenderedFormulas('$a$');
    const tasks: (() => void)[] = [];
    const text = Array.from({ length: 40 }, (_, index) => `$x_{${index}}$`).join(' and ');
    const { container } = showFormulas(text, (run) => void tasks.push(run));
    expect(container.querySelectorAll('.unrendered')).toHaveLength(30);
    while (tasks.length > 0) {
      tasks.shift()!();
      await new Promise((resolve) => setTimeout(resolve));
    }
    expect(container.querySelectorAll('.unrendered')).toHaveLength(0);
  });

  test.each([
    ['table', '| a | b |\n|---|---|\n', (index: number) => `| $t_{${index}}$ | b |\n`],
    ['list', '', (index: number) => `- item $l_{${index}}$\n`],
    ['paragraph', '', (index: number) => `word $p_{${index}}$ and `],
  ])('renders all formulas of a long streamed %s', async (_name, start, createPart) => {
    const container = document.createElement('div');
    const schedule = (run: () => void): void => run();
    const stream = new MarkdownStream(container, { openLink() {}, code: codeActions, schedule });
    const text = start + Array.from({ length: 200 }, (_, index) => createPart(index)).join('');
    for (let end = 0; end < text.length; end += 900) {
      stream.append(text.slice(end, end + 900));
      stream.renderPendingText();
    }
    stream.closeStream();
    await expect
      .poll(() => container.querySelectorAll('.unrendered').length, { timeout: 5_000 })
      .toBe(0);
    expect(container.querySelectorAll('.formula .katex')).toHaveLength(200);
  });

  test('copies the sources of selected formulas', async () => {
    const { container } = await showRenderedFormulas('the $a$ and\n\n\\[ b \\]\n\nend');
    document.body.append(container);
    const range = document.createRange();
    range.setStart(container.querySelector('.formula .katex-html')!, 0);
    range.setEnd(container.querySelectorAll('p')[2]!.firstChild!, 3);
    document.getSelection()!.removeAllRanges();
    document.getSelection()!.addRange(range);
    const event = new Event('copy', { bubbles: true, cancelable: true });
    const texts: string[] = [];
    Object.assign(event, {
      clipboardData: { setData: (_: string, text: string) => texts.push(text) },
    });
    container.dispatchEvent(event);
    expect(event.defaultPrevented).toBe(true);
    expect(texts.join('').split(/\s*\n\s*/u)).toEqual(['$a$ and', '\\[ b \\]', 'end']);
    container.remove();
  });
});

const codeActions = { copy() {}, insert() {}, openNewFile() {}, apply() {} };

function showFormulas(text: string, schedule: (run: () => void) => void) {
  const container = document.createElement('div');
  const stream = new MarkdownStream(container, { openLink() {}, code: codeActions, schedule });
  stream.append(text);
  stream.closeStream();
  return { container, stream };
}

/** Renders a text, and waits until all its formulas are rendered. */
async function showRenderedFormulas(text: string) {
  const shownFormulas = showFormulas(text, (run) => run());
  await expect
    .poll(() => shownFormulas.container.querySelector('.unrendered'), { timeout: 5_000 })
    .toBeNull();
  return shownFormulas;
}
