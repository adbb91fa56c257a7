// @vitest-environment happy-dom
import { expect, test, vi } from 'vitest';
import { measureGrowth } from '../../test/support/growth.ts';
import { payloads } from './hostile.fixture.ts';
import { MarkdownStream } from './markdown-stream.ts';

const allowedElements = new Set(
  'A BLOCKQUOTE BR BUTTON CODE DEL DIV EM H1 H2 H3 H4 H5 H6 HR INPUT LI OL P PRE SPAN STRONG TABLE TBODY TD TH THEAD TR UL'.split(
    ' ',
  ),
);
const allowedAttributes = new Set(
  'align aria-expanded aria-label checked class data-action data-info data-language data-path disabled href role start tabindex title type'.split(
    ' ',
  ),
);

test.each(payloads)(
  'MarkdownStream renders %j without forbidden elements, attributes or links',
  (payload) => {
    for (const container of [renderText([payload]), renderText(payload.split(''))]) {
      for (const element of container.querySelectorAll('*')) {
        expect(allowedElements).toContain(element.tagName);
        for (const { name } of element.attributes) expect(allowedAttributes).toContain(name);
      }
      for (const link of container.querySelectorAll('[href]')) {
        expect(link.tagName).toBe('A');
        expect(link.getAttribute('href')).toMatch(/^https?:\/\/[\w.]+\//);
      }
      expect(container.querySelectorAll('input:not([disabled])')).toHaveLength(0);
    }
  },
);

test('MarkdownStream does not treat asterisks in a formula as emphasis', () => {
  const container = renderText(['The $x^*$ and the $y^*$ are *not* equal.']);
  expect(container.textContent).toBe('The $x^*$ and the $y^*$ are not equal.');
  expect(container.querySelectorAll('em')).toHaveLength(1);
});

test('MarkdownStream renders the HTML elements br, sub, sup and kbd, unless they are incomplete or have attributes', () => {
  const text = 'H<sub>2</sub>O x<sup>*n*</sup><br>press <KBD>Esc</KBD>';
  expect(renderText([text]).querySelector('p')?.innerHTML).toBe(
    'H<sub>2</sub>O x<sup><em>n</em></sup><br>press <kbd>Esc</kbd>',
  );
  for (const rawHtml of ['<sub onclick="steal()">a</sub>', '<sub>a', '<br onload=x>', 'a</sup>'])
    expect(renderText([rawHtml]).textContent).toBe(rawHtml);
});

test.each([
  ['**注意：**请', '<strong>注意：</strong>请'],
  ['**注意:**请', '<strong>注意:</strong>请'],
  ['他说**“你好”**。', '他说<strong>“你好”</strong>。'],
  ['これは**「強調」**です', 'これは<strong>「強調」</strong>です'],
  ['한국어**(강조)**입니다', '한국어<strong>(강조)</strong>입니다'],
  ['a **b:**c', 'a **b:**c'],
])(
  'MarkdownStream renders emphasis next to Chinese, Japanese and Korean punctuation: %s',
  (text, html) => {
    expect(renderText([text]).querySelector('p')?.innerHTML).toBe(html);
  },
);

test('MarkdownStream renders raw HTML, images and forbidden links as text', () => {
  expect(renderText(['<b>bold</b>']).textContent).toBe('<b>bold</b>');
  expect(renderText(['![a cat](https://e.tld/c.png)']).textContent).toBe(
    '[image: a cat — https://e.tld/c.png]',
  );
  const inertLink = renderText(['[run](command:a.b)']).querySelector('.inert-link');
  expect(inertLink).toMatchObject({ textContent: 'run', title: 'command:a.b' });
});

test.each<(size: number) => string>([
  (size) => '> '.repeat(size),
  (size) => '- + '.repeat(size),
  (size) => '['.repeat(size),
  (size) => '*a '.repeat(size),
  (size) => '**a*'.repeat(size),
  (size) => '[a]('.repeat(size),
  (size) => '<a '.repeat(size),
  (size) => 'a`'.repeat(size),
  (size) => `${'> '.repeat(200)}a\n`.repeat(size / 250),
  (size) => `${'| a '.repeat(size)}\n${'|-'.repeat(size)}`,
])(
  'MarkdownStream renders nested and repeated Markdown in at most quadratic time (case %#)',
  (text) => {
    const run = (size: number): void => {
      expect(renderText([text(size)]).textContent.length).toBeGreaterThan(0);
    };
    // Factor 8 indicates quadratic time, factor 64 cubic time.
    expect(measureGrowth(run, { smallSize: 625, smallCount: 8 }).timeRatio).toBeLessThan(20);
  },
);

test('MarkdownStream opens safe links through the host, and opens no unsafe links', () => {
  const openLink = vi.fn<(href: string) => void>();
  const container = renderText(['[a](https://e.tld/x) [b](javascript:steal())'], openLink);
  for (const type of ['click', 'auxclick']) {
    const clickEvent = new MouseEvent(type, { bubbles: true, cancelable: true });
    container.querySelector('a')!.dispatchEvent(clickEvent);
    expect(clickEvent.defaultPrevented).toBe(true);
  }
  container.querySelector<HTMLElement>('.inert-link')!.click();
  expect(openLink.mock.calls).toEqual([['https://e.tld/x'], ['https://e.tld/x']]);
});

function renderText(
  parts: readonly string[],
  openLink: (href: string) => void = () => {},
): HTMLElement {
  const container = document.createElement('div');
  const code = { copy() {}, insert() {}, openNewFile() {}, apply() {} };
  const stream = new MarkdownStream(container, { openLink, code, schedule() {} });
  for (const part of parts) {
    stream.append(part);
    stream.renderPendingText();
  }
  stream.closeStream();
  return container;
}
