// @vitest-environment happy-dom
import { renderMermaidSVG } from 'beautiful-mermaid';
import { describe, expect, test, vi } from 'vitest';
import {
  createDrawing,
  type DiagramPage,
  drawDiagram,
  isHarmlessSvg,
  convertDiagram,
} from './diagram.ts';
import { diagrams } from './diagram.fixture.ts';
import { MarkdownStream } from './markdown-stream.ts';

vi.mock('beautiful-mermaid', { spy: true });

describe('a drawing', () => {
  test.each(Object.entries(diagrams))('contains all labels of the %s', (_, { source, labels }) => {
    const { svg, width, height } = createDrawing(source);
    const texts = [...svg.matchAll(/<text[^>]*>(.*?)<\/text>/gs)].map(([, text = '']) =>
      text.replaceAll(/<[^>]*>/g, ''),
    );
    for (const label of labels) expect(texts).toContainEqual(expect.stringContaining(label));
    expect(width).toBeGreaterThan(50);
    expect(height).toBeGreaterThan(50);
  });

  test.each(['graph LR\nA --> B', 'stateDiagram-v2\nA --> B'])(
    'has little space beside its shapes, so that it fits into a narrow panel: %j',
    (source) => {
      const shapes = createDrawing(source).svg.matchAll(/<rect x="([\d.]+)" y="([\d.]+)"/g);
      expect([...shapes][0]?.slice(1)).toEqual(['8', '8']);
    },
  );

  test('shows reserved characters of labels as text', () => {
    const label = `f(a[0]) {x} | "y" & z; 100% #1 <b>`;
    const source = `graph TD\nA["${label.replaceAll('"', '#quot;')}"] --> B`;
    const { svg, description } = createDrawing(source);
    expect(svg).toContain('f(a[0]) {x} | &quot;y&quot; &amp; z; 100% #1');
    expect(description).toContain('f(a[0]) {x} | "y" & z; 100% #1');
  });

  test('supports links without spaces, chains of links, `&` between nodes, and labels after the first use of a node', () => {
    const { source } = convertDiagram(
      'graph LR;\nA-->B & C;D-- no -->A;A-.->E==>F<-->G---H\nB[Later]\nA -. a .-> C == b ==> D',
    );
    expect(source.split('\n')).toEqual([
      ...['flowchart LR', 'n0[A]', 'n1[Later]', 'n2[C]', 'n3[D]', 'n4[E]', 'n5[F]', 'n6[G]'],
      ...['n7[H]', 'n0 --> n1', 'n0 --> n2', 'n3 -->|no| n0', 'n0 -.-> n4', 'n4 ==> n5'],
      ...['n5 <--> n6', 'n6 --- n7', 'n0 -.->|a| n2', 'n2 ==>|b| n3'],
    ]);
  });

  test('has a description of the type and the labels in at most 200 characters', () => {
    expect(convertDiagram('graph TD\nA[One<br/>two] --> B --> A').description).toBe(
      'Diagram: One two, B',
    );
    const nodes = Array.from({ length: 90 }, (_, index) => `n${index}[😀 label]`);
    const { description } = convertDiagram(`graph TD\n${nodes.join('\n')}`);
    expect(description.length).toBeLessThanOrEqual(200);
    expect(description.isWellFormed()).toBe(true);
  });
});

describe('createDrawing', () => {
  test.each([
    ['an unknown type', 'pie\n"a": 1'],
    ['no type', 'A --> B'],
    ['no content', ''],
    ['only a type', 'graph TD'],
    ['an edge without a target', 'graph TD\nA --> B\nA --'],
    ['an edge that ends after its arrow', 'graph TD\nA -->'],
    ['a link that the library does not support', 'graph TD\nA --x B'],
    ['a node with an unclosed label', 'graph TD\nA[one --> B'],
    ['an unclosed subgraph', 'graph TD\nsubgraph a\nA --> B'],
    ['a message without an arrow', 'sequenceDiagram\nA->>B: x\nA B: y'],
    ['an unclosed block', 'sequenceDiagram\nloop x\nA->>B: x'],
    ['an option of a block', 'sequenceDiagram\ncritical a\nA->>B: x\noption b\nend'],
    ['a note of a class', 'classDiagram\nclass A\nnote "x"'],
    ['an unclosed class', 'classDiagram\nclass A {\n+x'],
    ['a note of a state', 'stateDiagram-v2\nA --> B\nnote right of A: x'],
    ['a choice', 'stateDiagram-v2\nstate a <<choice>>\na --> b'],
    ['an attribute without a name', 'erDiagram\nA {\nstring\n}'],
    ['a relation in words', 'erDiagram\nA only one to many B : x'],
    ['a graph whose layout fails', 'graph TD\nA --> A\nB --> C'],
    ['a label with an import', 'graph TD\nA["@import x"]'],
    ['a label with a remote style', 'graph TD\nA["url(https://e.tld)"]'],
    ['too many edges', `graph TD\n${'A --> B\n'.repeat(101)}`],
    [
      'too many nodes',
      `graph TD\n${Array.from({ length: 101 }, (_, index) => `A${index}`).join('\n')}`,
    ],
    ['too many messages', `sequenceDiagram\n${'A->>B: x\n'.repeat(501)}`],
    ['too many characters', `graph TD\nA --> B\n${'%% comment\n'.repeat(2_000)}`],
    ['a long line', `graph TD\nA[${'x'.repeat(1_000)}]`],
  ])('rejects a diagram source that has %s', (_, source) => {
    expect(() => createDrawing(source)).toThrow();
  });
});

test.each(['x="NaN"', 'points="1,2 NaN,4"', 'transform="translate(NaN,3)"', 'width="NaN"'])(
  'createDrawing rejects a drawing of valid size in which a shape has %s',
  (attribute) => {
    const createShapeDrawing = (shape: string) => {
      vi.mocked(renderMermaidSVG).mockReturnValueOnce(`<svg width="90" height="90">${shape}</svg>`);
      return createDrawing('graph TD\nA --> B');
    };
    expect(createShapeDrawing(`<rect x="1" />`)).toMatchObject({ width: 90, height: 90 });
    expect(() => createShapeDrawing(`<rect ${attribute} />`)).toThrow();
  },
);

describe('a drawing of hostile source', () => {
  const hostileStatements = [
    'click A href "https://e.tld"',
    'click A href "javascript:steal()" _blank',
    'click A call steal()',
    'style A fill:url(https://e.tld/x)',
    'classDef x fill:#fff,background:url("https://e.tld")',
    'linkStyle 0 stroke:url(https://e.tld)',
    '%%{init: {"themeCSS": "@import url(https://e.tld)", "securityLevel": "loose"}}%%',
    'A[<img src=https://e.tld onerror=steal()>]',
    'A["<script>steal()</script>"]',
    'A["<a href=#quot;javascript:steal()#quot;>x</a>"]',
    'A["&lt;script&gt;steal()&lt;/script&gt;"]',
    'A["#60;foreignObject#62;"]',
    'A["</text></svg><script>steal()</script>"]',
    'A -->|"<style>body {}</style>"| B',
    'subgraph s["<use href=https://e.tld>"]\nC\nend',
  ];
  const forbiddenPattern =
    /<script|<foreignObject|<a[\s>]|<image|<use|<[^>]*(?:href|src|\son\w+)=|url\((?!#)|@import/i;

  test.each(hostileStatements)('contains no code, link or remote resource from %s', (statement) => {
    const { svg } = createDrawing(`graph TD\nA --> B\n${statement}`);
    expect(svg).not.toMatch(forbiddenPattern);
    expect(svg).not.toContain('e.tld)');
    expect(isHarmlessSvg(svg)).toBe(true);
  });

  test('shows hostile names of all types as text', () => {
    const name = '<script>steal()</script><img src=x onerror=steal()>';
    for (const source of [
      `sequenceDiagram\nparticipant A as ${name}\nA->>A: ${name}\nNote over A: ${name}`,
      `stateDiagram-v2\nstate "${name}" as a\na --> b : ${name}`,
      `classDiagram\nclass A["${name}"]\nA : +x ${name}\nA --> B : ${name}`,
      `erDiagram\n"${name}" {\nint ${name.replaceAll(' ', '')}\n}`,
    ]) {
      const { svg } = createDrawing(source);
      expect(svg).not.toMatch(forbiddenPattern);
      expect(svg).toContain('&lt;script&gt;');
    }
  });

  test('shows labels that contain text like `url(x)`', () => {
    expect(createDrawing('graph TD\nA["get_url(x)"] --> B["data: href"]').svg).toContain('url(x)');
  });

  test.each([
    '<script>1</script>',
    '<foreignObject></foreignObject>',
    '<a href="https://e.tld">x</a>',
    '<image href="https://e.tld" />',
    '<g onload="steal()"></g>',
    '<rect fill="url(https://e.tld)" />',
    '<rect style="fill:red" />',
    '<style>@import "https://e.tld";</style>',
    '<style>a { fill: url(https://e.tld) }</style>',
    '<g class="a>b"></g>',
    '<!-- x -->',
  ])('is treated as harmful if its SVG contains %s', (content) => {
    const createSvg = (children: string): string =>
      `<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1" style="--bg:#fff">${children}</svg>`;
    expect(isHarmlessSvg(createSvg('<g class="a"><text x="1">b</text></g>'))).toBe(true);
    expect(isHarmlessSvg(createSvg(content))).toBe(false);
  });
});

describe('a diagram code block', () => {
  test('shows the diagram, and shows the source after a click on “Show source”', () => {
    const { block, copy } = renderBlock('graph TD\nA --> B\n');
    const buttonCount = block.querySelectorAll('button').length;
    drawDiagram(block, createPage());
    const image = block.querySelector('img')!;
    const source = block.querySelector('pre')!;
    expect(image.alt).toBe('Diagram: A, B');
    expect(decodeURIComponent(image.src)).toMatch(/^data:image\/svg\+xml;charset=utf-8,<svg /);
    expect(image.width).toBeGreaterThan(0);
    expect(source.hidden).toBe(true);
    expect(block.querySelectorAll('button').length).toBe(buttonCount + 1);
    const toggleButton = block.querySelector<HTMLElement>('[aria-label="Show source"]')!;
    toggleButton.click();
    expect(source.hidden).toBe(false);
    expect(block.querySelector<HTMLElement>('.diagram')?.hidden).toBe(true);
    expect(toggleButton.getAttribute('aria-label')).toBe('Show diagram');
    toggleButton.click();
    expect(source.hidden).toBe(true);
    block.querySelector<HTMLElement>('[data-action="copy"]')?.click();
    expect(copy).toHaveBeenCalledWith('graph TD\nA --> B\n');
  });

  test.each([
    ['an edge without a target', 'graph TD\nA --\n'],
    ['a hidden character', 'graph TD\nA[a\u202Eb]\n'],
  ])('remains unchanged if its source contains %s', (_, source) => {
    const { block } = renderBlock(source);
    const initialHtml = block.outerHTML;
    drawDiagram(block, createPage());
    expect(block.outerHTML).toBe(initialHtml);
  });

  test('is not drawn twice', () => {
    const { block } = renderBlock('graph TD\nA --> B\n');
    drawDiagram(block, createPage());
    const drawnHtml = block.outerHTML;
    drawDiagram(block, createPage());
    expect(block.outerHTML).toBe(drawnHtml);
  });

  test('calls the drawing library only once for equal sources, even if the drawing is rejected', () => {
    for (const source of ['graph TD\nA --> Once\n', 'graph TD\nA --> A\nB --> Apart\n']) {
      vi.mocked(renderMermaidSVG).mockClear();
      for (let count = 0; count < 3; count += 1)
        drawDiagram(renderBlock(source).block, createPage());
      expect(renderMermaidSVG).toHaveBeenCalledTimes(1);
    }
  });

  test('adopts the colors of a new theme when the page is idle', async () => {
    const { block } = renderBlock('graph TD\nA --> Colored\n');
    document.body.append(block);
    const tasks: (() => void)[] = [];
    drawDiagram(block, createPage(tasks));
    const image = block.querySelector('img')!;
    const initialUrl = image.src;
    document.body.style.setProperty('--vscode-editor-background', '#123456');
    document.body.className = 'vscode-light';
    await vi.waitFor(() => expect(tasks).toHaveLength(1));
    expect(image.src).toBe(initialUrl);
    vi.mocked(renderMermaidSVG).mockClear();
    tasks[0]?.();
    expect(decodeURIComponent(image.src)).toContain('--bg:#123456;');
    expect(renderMermaidSVG).not.toHaveBeenCalled();
    block.remove();
  });
});

describe('a diagram in a stream', () => {
  test('is drawn while the page is idle if its fence is closed, and is not drawn if its fence is unclosed', async () => {
    const source = '```mermaid\ngraph TD\nA --> B\n';
    const { container, stream, tasks } = startStream();
    stream.append(source);
    stream.renderPendingText();
    expect(tasks).toHaveLength(0);
    stream.append('```\n\ntext\n\n');
    stream.renderPendingText();
    expect(container.querySelector('img')).toBeNull();
    expect(tasks).toHaveLength(1);
    tasks[0]?.();
    await vi.waitFor(() => expect(container.querySelector('img')).not.toBeNull());
    const unclosedDiagram = startStream();
    unclosedDiagram.stream.append(source);
    unclosedDiagram.stream.closeStream();
    expect(unclosedDiagram.tasks).toHaveLength(0);
    expect(unclosedDiagram.container.querySelector('button')).not.toBeNull();
  });
});

function createPage(tasks: (() => void)[] = []): DiagramPage {
  return { schedule: (run) => void tasks.push(run), makeTabStopIfScrollable() {} };
}

function startStream() {
  const tasks: (() => void)[] = [];
  const copy = vi.fn<() => void>();
  const codeActions = { copy, insert() {}, openNewFile() {}, apply() {} };
  const options = {
    openLink() {},
    code: codeActions,
    schedule: (run: () => void) => void tasks.push(run),
  };
  const container = document.createElement('div');
  return { container, copy, tasks, stream: new MarkdownStream(container, options) };
}

function renderBlock(source: string) {
  const { container, copy, stream } = startStream();
  stream.append(`\`\`\`mermaid\n${source}\`\`\`\n`);
  stream.closeStream();
  return { copy, block: container.querySelector<HTMLElement>('.code-block')! };
}

test('convertDiagram rejects graphs with so many groups that the layout would block the page', () => {
  const createGraph = (count: number): string =>
    ['flowchart TD', ...Array.from({ length: count }, (_, i) => `subgraph s${i}\nn${i}\nend`)].join(
      '\n',
    );
  expect(() => convertDiagram(createGraph(12))).not.toThrow();
  expect(() => convertDiagram(createGraph(13))).toThrow('s12');
});

test('convertDiagram rejects a graph with too many edges before it has built all edges', () => {
  const names = Array.from({ length: 170 }, () => 'A').join('&');
  const line = `${names}-->|${'#'.repeat(150)}|${names}\n`;
  expect(() => convertDiagram(`graph TD\n${line.repeat(19)}`)).toThrow('Unsupported');
});
