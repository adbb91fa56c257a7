import { runInNewContext } from 'node:vm';
import { transformSync } from 'esbuild';
import { fc } from '../../test/support/property.ts';
import { Window } from 'happy-dom';
import { marked } from 'marked';
import { expect, test } from 'vitest';
import { toSingleLine } from '../base/hidden-characters.ts';
import { formatImageReference, type ReferenceLanguage } from './image-reference.ts';

const catImage = { path: 'images/a-cat-7.png', alt: 'A cat', width: 1024, height: 768 };
const formatReference = (
  language: ReferenceLanguage,
  image: Partial<typeof catImage & { title: string }>,
): string => formatImageReference(language, { ...catImage, ...image }).text;

test.each<[ReferenceLanguage, string, boolean]>([
  ['markdown', '![A cat](images/a-cat-7.png)', false],
  ['html', '<img src="images/a-cat-7.png" alt="A cat" width="1024" height="768">', false],
  ['vue', '<img src="./images/a-cat-7.png" alt="A cat" width="1024" height="768" />', false],
  ['jsx', '<img src="images/a-cat-7.png" alt="A cat" width={1024} height={768} />', false],
  ['css', 'url("images/a-cat-7.png")', false],
  ['latex', String.raw`\includegraphics[width=\linewidth,alt={A cat}]{images/a-cat-7.png}`, false],
  ['restructuredtext', '.. image:: images/a-cat-7.png\n   :alt: A cat', true],
  ['asciidoc', 'image::images/a-cat-7.png["A cat",1024,768]', true],
  ['typst', '#image("images/a-cat-7.png", alt: "A cat")', true],
  ['org', '#+ATTR_HTML: :alt A cat\n[[file:images/a-cat-7.png]]', true],
  ['plain', 'images/a-cat-7.png', false],
])(
  'formatImageReference formats an image with description and size in %s as %j',
  (language, text, needsOwnLine) => {
    expect(formatImageReference(language, catImage)).toEqual({ text, needsOwnLine });
  },
);

const plainImage = { path: 'a.png', alt: '' };

test.each<[ReferenceLanguage, string]>([
  ['markdown', '![](a.png)'],
  ['html', '<img src="a.png" alt="">'],
  ['vue', '<img src="./a.png" alt="" />'],
  ['jsx', '<img src="a.png" alt="" />'],
  ['css', 'url("a.png")'],
  ['latex', String.raw`\includegraphics[width=\linewidth]{a.png}`],
  ['restructuredtext', '.. image:: a.png'],
  ['asciidoc', 'image::a.png[]'],
  ['typst', '#image("a.png")'],
  ['org', '[[file:a.png]]'],
  ['plain', 'a.png'],
])(
  'formatImageReference formats an image without description and size in %s as %j',
  (language, text) => {
    expect(formatImageReference(language, plainImage).text).toBe(text);
  },
);

test.each<[ReferenceLanguage, string]>([
  ['markdown', '![A cat](images/a-cat-7.png "a \\"big\\" one")'],
  [
    'html',
    '<img src="images/a-cat-7.png" alt="A cat" title="a &quot;big&quot; one" width="1024" height="768">',
  ],
  [
    'jsx',
    '<img src="images/a-cat-7.png" alt="A cat" title="a &quot;big&quot; one" width={1024} height={768} />',
  ],
  ['asciidoc', 'image::images/a-cat-7.png["A cat",1024,768,title="a \\"big\\" one"]'],
])('formatImageReference formats an image with a title in %s as %j', (language, text) => {
  expect(formatReference(language, { title: 'a "big"\none' })).toBe(text);
});

test.each<[ReferenceLanguage, string, string]>([
  [
    'markdown',
    'a [b](c) *d* `e` <f> $g$',
    '![a \\[b\\](c) \\*d\\* &#96;e&#96; \\<f\\> \\$g\\$](x.png)',
  ],
  ['markdown', '](javascript:alert(1)) ![', '![\\](javascript:alert(1)) !\\[](x.png)'],
  ['markdown', '{process.exit()} \\', '![\\{process.exit()\\} \\\\](x.png)'],
  ['markdown', 'R&D &amp; &#60;', '![R&D &amp;amp; &amp;#60;](x.png)'],
  ['markdown', 'a\n\n# b', '![a # b](x.png)'],
  [
    'html',
    '"><script>alert(1)</script>',
    '<img src="x.png" alt="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;">',
  ],
  ['html', '" onerror="alert(1)', '<img src="x.png" alt="&quot; onerror=&quot;alert(1)">'],
  [
    'html',
    '{{7*7}} @(x) <?= <%=',
    '<img src="x.png" alt="&#123;&#123;7*7&#125;&#125; &#64;(x) &lt;?= &lt;%=">',
  ],
  ['html', '--> `${x}`', '<img src="x.png" alt="--&gt; &#96;$&#123;x&#125;&#96;">'],
  ['jsx', '{alert(1)} */ "', '<img src="x.png" alt="&#123;alert(1)&#125; *&#47; &quot;" />'],
  [
    'latex',
    '\\input{/etc/passwd} 5% a_b^c~d #1 $x$ &',
    String.raw`\includegraphics[width=\linewidth,alt={\textbackslash{}input\{/etc/passwd\} 5\% a\_b\textasciicircum{}c\textasciitilde{}d \#1 \$x\$ \&}]{x.png}`,
  ],
  [
    'latex',
    ']{y} ,width=1',
    String.raw`\includegraphics[width=\linewidth,alt={]\{y\} ,width=1}]{x.png}`,
  ],
  [
    'restructuredtext',
    'a\n.. raw:: html\n\n   <b>',
    '.. image:: x.png\n   :alt: a .. raw:: html <b>',
  ],
  [
    'asciidoc',
    'a "b", link=c] {docdir} \\',
    'image::x.png["a \\"b\\", link=c&#93; &#123;docdir&#125; &#92;"]',
  ],
  ['asciidoc', 'R&D &amp; <b>', 'image::x.png["R&D &amp;amp; &#60;b&#62;"]'],
  ['typst', 'a "b" #eval("1") \\', String.raw`#image("x.png", alt: "a \"b\" #eval(\"1\") \\")`],
  [
    'org',
    'a :width 5 :) {{{m}}}\n#+INCLUDE: b',
    '#+ATTR_HTML: :alt a width 5 :) {{m}}} #+INCLUDE: b\n[[file:x.png]]',
  ],
])('formatImageReference for %s escapes the description %j', (language, alt, text) => {
  expect(formatImageReference(language, { path: 'x.png', alt }).text).toBe(text);
});

test.each<[ReferenceLanguage, string, string]>([
  ['markdown', 'a b/c(1).png', '![](a%20b/c%281%29.png)'],
  ['html', 'a"b.png', '<img src="a%22b.png" alt="">'],
  ['vue', '../a.png', '<img src="../a.png" alt="" />'],
  ['vue', '/a.png', '<img src="/a.png" alt="" />'],
  ['vue', 'C:\\a.png', '<img src="file:///C:/a.png" alt="" />'],
  ['vue', '.a/b.png', '<img src="./.a/b.png" alt="" />'],
  ['latex', 'C:\\a.png', String.raw`\includegraphics[width=\linewidth]{C:/a.png}`],
  ['css', 'a"b\\c#{d}*/.png', 'url("a%22b%5Cc%23%7Bd%7D%2A/.png")'],
  [
    'latex',
    'a b_c/100%{d}#\\x.png',
    String.raw`\includegraphics[width=\linewidth]{a b_c/100\%\{d\}\#\textbackslash{}x.png}`,
  ],
  [
    'latex',
    'a^^7db/^^^^007d^',
    String.raw`\includegraphics[width=\linewidth]{a\string^\string^7db/\string^\string^\string^\string^007d\string^}`,
  ],
  ['restructuredtext', 'a b.png', '.. image:: a\\ b.png'],
  ['asciidoc', 'a b[c]{d}.png', 'image::a b%5Bc%5D%7Bd%7D.png[]'],
  ['typst', 'a"b\\.png', String.raw`#image("a\"b\\.png")`],
  ['org', 'a[b]\\', String.raw`[[file:a\[b\]\\]]`],
  ['org', 'a\\[b', String.raw`[[file:a\\\[b]]`],
  ['plain', 'a b\n.png', 'a b.png'],
])('formatImageReference for %s encodes the path %j', (language, path, text) => {
  expect(formatImageReference(language, { path, alt: '' }).text).toBe(text);
});

test('formatImageReference escapes backticks in Markdown, because some programs execute code between backticks', () => {
  const alt = "A fox `r system('touch x')` `{python} 1`";
  const { text } = formatImageReference('markdown', { path: 'a`b.png', alt, title: alt });
  expect(text).not.toContain('`');
  expect(marked.parseInline(text)).toContain('A fox `r system(&#39;touch x&#39;)` `{python} 1`');
});

test.each([Number.NaN, 0, -5, 1.5, Infinity])(
  'formatImageReference omits the invalid width %s',
  (width) => {
    expect(formatReference('jsx', { width })).toBe(
      '<img src="images/a-cat-7.png" alt="A cat" height={768} />',
    );
  },
);

const specialText = fc.constantFrom(
  ...[
    '"',
    "'",
    '`',
    '<',
    '>',
    '&',
    '&lt;',
    '&#60;',
    '{',
    '}',
    '{{',
    '[',
    ']',
    '(',
    ')',
    '\\',
    '\n',
  ],
  ...[
    '*',
    '_',
    '#',
    '$',
    '%',
    '^',
    '~',
    '@',
    '!',
    '|',
    ':',
    ',',
    '=',
    '*/',
    '-->',
    '<!--',
    'http://a.b',
  ],
  ...['<script>', '</img>', '${x}', '](', '\u202E', '\uD800', ' ', 'a'],
);
const textArbitrary = fc
  .array(fc.oneof(specialText, fc.string({ unit: 'grapheme', maxLength: 3 })), { maxLength: 12 })
  .map((parts) => parts.join(''));
const pathArbitrary = fc
  .array(
    textArbitrary
      .map((text) => text.replaceAll(/[/\uD800]/gu, ''))
      .filter((name) => name.trim() !== '' && toSingleLine(name) !== ''),
    { minLength: 1, maxLength: 3 },
  )
  .map((names) => names.join('/'))
  .filter((path) => !/^[a-z]:[\\/]/iu.test(path));

const { document } = new Window();

/** Parses HTML that must contain exactly one element. Returns the element's attributes. */
function parseOnlyElement(html: string): Record<string, string> {
  const container = document.createElement('div');
  container.innerHTML = html;
  expect(container.childNodes.length).toBe(1);
  const element = container.firstElementChild;
  const attributes = Array.from(element?.attributes ?? [], ({ name, value }) => [name, value]);
  return { name: element?.localName ?? '', ...Object.fromEntries(attributes) };
}

test('formatImageReference produces HTML that parses as one image with its description and path', () => {
  fc.assert(
    fc.property(textArbitrary, textArbitrary, pathArbitrary, (alt, title, path) => {
      const image = { path, alt, title: `t${title}`, width: 5 };
      const { src = '', ...rest } = parseOnlyElement(formatImageReference('html', image).text);
      expect(rest).toEqual({
        name: 'img',
        alt: toSingleLine(alt),
        title: toSingleLine(`t${title}`),
        width: '5',
      });
      expect(decodeURIComponent(src)).toBe(path);
    }),
  );
});

test('formatImageReference produces Markdown that parses as one image with its description and path', () => {
  fc.assert(
    fc.property(textArbitrary, pathArbitrary, (alt, path) => {
      const html = marked.parseInline(
        formatImageReference('markdown', { path, alt }).text,
      ) as string;
      const { src = '', ...rest } = parseOnlyElement(html);
      expect(rest).toEqual({ name: 'img', alt: toSingleLine(alt) });
      expect(decodeURIComponent(src)).toBe(path);
    }),
  );
});

test('formatImageReference produces JSX that parses as one image with its description and path', () => {
  const options = { loader: 'jsx', jsxFactory: 'make', charset: 'utf8' } as const;
  fc.assert(
    fc.property(textArbitrary, pathArbitrary, (alt, path) => {
      const { text } = formatImageReference('jsx', { path, alt, width: 5 });
      const { code } = transformSync(text, options);
      const createElement = (name: string, properties: Record<string, unknown>) => ({
        name,
        ...properties,
      });
      const createdElement: unknown = runInNewContext(code, { make: createElement });
      const { src, ...rest } = createdElement as Record<string, unknown>;
      expect(rest).toEqual({ name: 'img', alt: toSingleLine(alt), width: 5 });
      expect(decodeURIComponent(String(src))).toBe(path);
    }),
    { numRuns: 50 },
  );
});

const referenceLanguages: readonly (readonly [ReferenceLanguage, RegExp])[] = [
  ['css', /^url\("[\p{L}\p{M}\p{Nd}._~%/-]*"\)$/u],
  [
    'latex',
    /^\\includegraphics\[width=\\linewidth(?:,alt=\{(?:[^\\{}%#$&_^~]|\\[{}%#$&_]|\\text[a-z]+\{\})*\})?\]\{(?:[^\\{}%#^]|\\[{}%#]|\\string\^|\\textbackslash\{\})*\}$/u,
  ],
  ['restructuredtext', /^\.\. image:: (?:[^\s\\]|\\.)+(?:\n {3}:alt: .+)?$/u],
  ['asciidoc', /^image::[\p{L}\p{M}\p{Nd}._~%/ -]+\[(?:"(?:[^"\\[\]{}<>]|\\")*")?\]$/u],
  ['typst', /^#image\("(?:[^"\\\n]|\\["\\])*"(?:, alt: "(?:[^"\\\n]|\\["\\])*")?\)$/u],
  [
    'org',
    /^(?:#\+ATTR_HTML: :alt (?!:[\w-])(?:(?! :[\w-]|\{\{\{).)+\n)?\[\[file:(?:[^[\]\n]|\\[[\]])+\]\]$/u,
  ],
  ['plain', /^.+$/u],
];

test.each(referenceLanguages)(
  'formatImageReference produces only an image in %s for any input',
  (language, pattern) => {
    fc.assert(
      fc.property(textArbitrary, pathArbitrary, (alt, path) => {
        expect(formatImageReference(language, { path, alt }).text).toMatch(pattern);
      }),
      { numRuns: 500 },
    );
  },
);
