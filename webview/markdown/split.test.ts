// @vitest-environment happy-dom
import { describe, expect, test } from 'vitest';
import { MarkdownStream } from './markdown-stream.ts';

const options = {
  openLink() {},
  code: { copy() {}, insert() {}, newFile() {} },
  schedule() {},
};

/** One document per entry. The test splits each document at every position. */
const corpus = {
  paragraphs: [
    'one',
    'one\ntwo',
    'one\n\ntwo',
    'one\n   \ntwo',
    '  one\n\ttwo\n',
    'hard  \nbreak',
    'hard\\\nbreak',
    'not hard\\',
    '\n\none\n\n\n\n',
  ],
  'line ends': [
    'a\r\nb\r\n\r\nc',
    'a\rb\r\rc',
    '- a\r\n- b\r\n',
    '```\r\ncode\r\n```\r\nafter',
    'emoji \u{1f600} and \u{1f468}\u200d\u{1f469}',
    '\u{1f600}\r',
  ],
  headings: [
    '# one',
    '## two ##',
    '###### six',
    '####### seven',
    '#none',
    '# a\n# b\ntext',
    'para\n# head',
    '#\n',
    '   # indented',
    '    # code',
    '# *em* `c`',
  ],
  setext: [
    'Head\n===',
    'Head\n---',
    'two\nlines\n===',
    'Head\n  ---  ',
    'a\n\n---',
    'a\n--',
    '- a\n---',
    '> a\n---',
    '`a\n---\n`',
    'a\n=\nb',
    'para\n- item',
  ],
  rules: ['---', '***', '- - -', '_____', 'a\n***\nb', '- a\n- ***\n- b', '* * *a', '--', '+++'],
  emphasis: [
    '*a*',
    '**a**',
    '***a***',
    '_a_',
    'a_b_c',
    '*a **b** c*',
    '**a *b***',
    '*a',
    'a*',
    '** a **',
    '*a*b',
    '~~a~~',
    '~a~',
    '*a\nb*',
    '**a\n\nb**',
    '*a [b*](http://c.d)',
    '\\*a*',
  ],
  code: [
    '`a`',
    '``a ` b``',
    '` `',
    '`a',
    '`a\nb`',
    '`a\n\nb`',
    '`\\`',
    '*a `b*`',
    '`<b>`',
    '`&amp;`',
  ],
  links: [
    '[a](http://b.c)',
    '[a](http://b.c "t")',
    '[a](<http://b.c/d e>)',
    '[a](b)',
    '[a](http://b.c/(d))',
    '[a',
    '[a](',
    '[a](http://b',
    '[*a*](http://b.c)',
    '[a [b](http://c.d)](http://e.f)',
    '[]()',
    '<http://a.b>',
    '<a@b.c>',
    'http://a.b/c.',
    'www.a.bc x',
    'a@b.cd',
    '(http://a.b/c)',
    'http://a.b/c_d_e*f*',
  ],
  references: [
    '[a]\n\n[a]: http://b.c',
    '[a][b]\n\n[b]: <http://c.d> "t"',
    '[A][]\n\n[a]:\nhttp://b.c\n"title"',
    '[a]: http://b.c\n[a]: http://d.e\n\n[a]',
    '- [a]\n- b\n- c\n\n[a]: http://b.c',
    '> [a]\n\n> [a]: http://b.c\n',
    '| [a] |\n|-|\n| [a] |\n| x |\n\n[a]: http://b.c',
    '[a]: http://b.c d\n\n[a]',
    '[a]\n[a]: http://b.c',
    '- [a]: http://b.c\n- [a]',
    '# [a]\n[a]: http://b.c "x\ny"\n\ntext',
    '[a]: http://b.c\n"x\n\ny"\n[a]',
    '![a]\n\n[a]: http://b.c',
  ],
  lists: [
    '- a',
    '- a\n- b',
    '- a\n\n- b',
    '- a\n- b\n\n- c',
    '* a\n+ b\n- c',
    '1. a\n2. b',
    '3. a\n4. b',
    '1) a\n2) b',
    '10. a\n11. b\n',
    '-\n- a',
    '- a\n-\n- b',
    '-\n\n  a',
    '- a\n\n\n- b',
    '- a\nlazy\n- b',
    'para\n2. a',
    'para\n1. a',
    '- a\n\n  b\n\n- c',
    '- a\n\nafter',
    '1. a\n\n   b\n2. c',
    '- a\n # b',
    '1.a',
    '-a',
    '- a\n      b',
  ],
  'nested lists': [
    '- a\n  - b\n  - c\n- d',
    '- a\n  - b\n    - c\n  - d',
    '1. a\n   - b\n2. c',
    '- - a',
    '- 1. a\n  2. b',
    '- a\n\n  - b\n- c',
    '- a\n  > b\n- c',
    '- ```\n  code\n  ```\n- b',
    '- a\n\n      code\n- b',
    '- # a\n- b\n  ---',
    '* a\n  * * *\n* b',
  ],
  tasks: [
    '- [ ] a\n- [x] b',
    '- [ ] a\n\n- [X] b',
    '- [ ]',
    '- [ ]a',
    '1. [x] a',
    '- [x] # a',
    '- a\n  - [ ] b',
  ],
  fences: [
    '```\na\n```',
    '```js\na\n```\nb',
    '~~~\na\n~~~',
    '````\n```\n````',
    '```\na',
    '```\n',
    '```',
    '``` a`b\n',
    '```\na\n``',
    '```\na\n```x\nb',
    '  ```\n   a\n b\n  ```',
    '```\n\n\n```',
    '```\na\n\n',
    '```js {1}\na\n```',
    '```\na\n   ```\nb',
    'a\n```\nb\n```\nc',
    '```\n\ta\n```',
    '```\n    ```\n```',
    '~~~ a`b ~\nc\n~~~~',
    '> ```\n> a\n\nb',
    '```\n\u202ea\u200b\n```',
    '```&lt;\\+\na\n```',
  ],
  'indented code': [
    '    a',
    '    a\n    b',
    '    a\n\n    b',
    '    a\nb',
    'a\n    b',
    '\ta',
    '- a\n\n      b',
    '    a\n\n\n',
  ],
  quotes: [
    '> a',
    '> a\n> b',
    '> a\nb',
    '> a\n\nb',
    '> a\n\n> b',
    '> > a\n> b',
    '>a',
    '>',
    '> # a\nb',
    '> - a\n- b',
    '> - a\nb',
    '> ```\n> a\n> ```',
    '> a\n> ===',
    '> a\n===',
    '> | a |\n> |-|\n> | b |',
  ],
  tables: [
    '| a | b |\n|---|---|\n| c | d |',
    'a | b\n-|-\nc | d\ne',
    '|a|\n|-|',
    '|a|b|\n|:-|-:|\n|c|d|\n|e|f|\n\ng',
    '|a|\n|-|\n|b|\n# c',
    '|a|\n|-|-|\nb',
    'a\n|b|\n|-|\n|c|',
    '|a|\n|:-:|\n|`b\\|c`|',
    '|a|b|\n|-|-|\n|c|\n|d|e|f|',
    '|a|\n|-|\n|b|\n- c',
    '|a|\n|-x',
    'a|b\n-|-\n\n\nc|d',
    '|a|\n|-|\n|*b*|\n|[c](http://d.e)|\n> f',
  ],
  html: [
    '<div>\n*a*\n</div>',
    'a <b>c</b> d',
    '<!-- a\n\nb -->',
    '<script>\na\n</script>',
    '<a href="http://b.c">d',
    'a\n<div>\nb',
    '<br/>',
    '<',
    '<a',
    '<img src=http://a.b/c onerror=d>',
    '<a>\n\nhttp://b.c',
    '- a\n<p>\n- b',
    '<code>&amp;*a*</code>',
    '<details>\n<summary>a</summary>\n\nb\n</details>',
  ],
  images: [
    '![a](http://b.c)',
    '![a](b "c")',
    '![a][b]\n\n[b]: http://c.d',
    '[![a](http://b.c)](http://d.e)',
    '![',
    '![*a*](b)',
  ],
  entities: [
    '&amp;',
    '&copy; &#65; &#x42;',
    '&nosuch;',
    '&amp',
    '&#0;',
    '&lt;b&gt;',
    '\\&amp;',
    '&notit;',
    '[a](http://b.c?d&amp;e)',
  ],
  escapes: ['\\# a', '\\- a', '1\\. a', '\\`a`', '\\[a](b)', '\\\\', 'a\\b', '\\\n'],
  unfinished: [
    '**',
    '[',
    '![a',
    '|',
    '-',
    '1.',
    '>',
    '#',
    '`',
    '~~',
    '$a_b$ and $c_d$',
    '$x^*$ and $y^*$',
    'a ^*b* c',
    '[a]:',
    '[a]: ',
    '- [',
    '- [ ] ',
  ],
} satisfies Record<string, readonly string[]>;

describe.each(Object.entries(corpus))('%s', (_, documents) => {
  test.each(documents.map((document) => [document]))(
    'renders the same in two chunks split at any position: %j',
    (text) => {
      const whole = render([text]);
      expect(render(text.split(''))).toBe(whole);
      for (let cut = 1; cut < text.length; cut += 1) {
        expect(render([text.slice(0, cut), text.slice(cut)])).toBe(whole);
      }
    },
  );
});

test('random combinations of documents render the same in random chunks as in one chunk', () => {
  const random = createRandom(7);
  const lines = Object.values(corpus).flat();
  for (let round = 0; round < 150; round += 1) {
    const text = Array.from({ length: 2 + random(5) }, () => lines[random(lines.length)]!).join(
      '\n',
    );
    expect(render(splitText(text, () => 1 + random(9))), text).toBe(render([text]));
  }
});

test('long paragraphs, whose start settles early, render the same in random chunks as in one chunk', () => {
  const random = createRandom(11);
  const words = [
    'plain words',
    '*em*',
    '`code`',
    '[1]',
    '[l](http://a.b)',
    'snake_case',
    '$x^*$',
    'a * b',
    '\n',
    '**open',
    '[a]',
    '<b>',
    'http://a.b/c',
    '\n===\n',
    '\n- ',
    ' | x\n-|-\n',
    '\n\n[a]: http://b.c\n\n',
  ];
  for (let round = 0; round < 40; round += 1) {
    const odd = 2 + random(40);
    const word = (): string => words[random(odd) === 0 ? random(words.length) : 0]!;
    const text = Array.from({ length: 300 }, word).join(random(2) === 0 ? ' ' : '  \n');
    expect(render(splitText(text, () => 1 + random(200))), text).toBe(render([text]));
  }
});

function render(parts: readonly string[]): string {
  const container = document.createElement('div');
  const stream = new MarkdownStream(container, options);
  for (const part of parts) {
    stream.append(part);
    stream.flush();
  }
  stream.end();
  return container.innerHTML;
}

function splitText(text: string, length: () => number): string[] {
  const parts: string[] = [];
  for (let start = 0; start < text.length; start += parts.at(-1)!.length) {
    parts.push(text.slice(start, start + length()));
  }
  return parts;
}

/** Creates a generator of integers from 0 to below a bound. The sequence is the same in every run. */
function createRandom(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}
