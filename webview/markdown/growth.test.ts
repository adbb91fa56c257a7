// @vitest-environment happy-dom
import type { Tokens } from 'marked';
import { expect, test, vi } from 'vitest';
import { measureCpuMs, measureGrowth } from '../../test/support/growth.ts';
import { patchParts } from './blocks.ts';
import { BlockLexer } from './lexer.ts';
import { MarkdownStream } from './markdown-stream.ts';
import { renderUnfinishedText, renderParts, splitText } from './render.fixture.ts';

const renderOptions = {
  openLink() {},
  code: { copy() {}, insert() {}, openNewFile() {}, apply() {} },
  schedule() {},
};

const sentence = 'The quick brown fox jumps over the lazy dog while `code` and *stress* follow. ';

/**
 * Functions that create texts of about `size` characters. Each text has one long open block, or many repetitions of one
 * construct.
 */
const textGenerators: Record<string, (size: number) => string> = {
  mix: createTextRepeater(
    `## Heading\n\n${sentence}\n\n- one\n- two\n\n\`\`\`js\nlet a = 1;\n\`\`\`\n\n|a|b|\n|-|-|\n|c|d|\n\n`,
  ),
  fence: (size) => `\`\`\`js\n${createTextRepeater('const value = compute(1, 2);\n')(size)}`,
  list: createTextRepeater(`- ${sentence}\n`),
  'loose list': createTextRepeater(`- ${sentence}\n\n`),
  table: (size) => `| a | b |\n|---|---|\n${createTextRepeater('| cell | *another* |\n')(size)}`,
  paragraph: createTextRepeater(sentence),
  'paragraph of lines': createTextRepeater(`${sentence}\n`),
  'unclosed emphasis': (size) => `**${createTextRepeater('words without an end ')(size)}`,
  'one nested item': (size) => `- top\n${createTextRepeater('  - nested item\n')(size)}`,
  quote: createTextRepeater(`> ${sentence}\n`),
  references: createTextRepeater('[unknown][label] '),
  definitions: createTextRepeater('[a]: http://b.c\n'),
  headings: createTextRepeater('# heading\n'),
  formulas: createTextRepeater(String.raw`The sum $a_1 + b$ of \(c\) is small. `),
  'display formulas': createTextRepeater('$$\n- a\n$$\n'),
};

test.each(Object.keys(textGenerators))(
  'the work of MarkdownStream to lex and render a growing text of the kind “%s” is linear in the length of the text',
  (name) => {
    const [halfWork, fullWork] = [getMeasurement(name, 10_000), getMeasurement(name, 20_000)];
    expect(fullWork.lexedCount / halfWork.lexedCount).toBeLessThan(2.4);
    expect(fullWork.touchedCount).toBeLessThanOrEqual(2.6 * halfWork.touchedCount);
  },
);

test.each(['mix', 'fence', 'list', 'table', 'paragraph'])(
  'MarkdownStream parses each character of a growing text of the kind “%s” at most 16 times',
  (name) => {
    const { length } = textGenerators[name]!(20_000);
    expect(getMeasurement(name, 20_000).lexedCount / length).toBeLessThan(
      name === 'fence' ? 0.1 : 16,
    );
  },
);

test('MarkdownStream does not change settled blocks while the text grows', () => {
  const { stream, container } = createStream();
  stream.append(`${sentence}\n\n- one\n- two\n\n# Next\n\nopen`);
  stream.renderPendingText();
  const [paragraph, list] = container.firstElementChild!.children;
  const observer = new MutationObserver(() => {});
  observer.observe(paragraph!, { subtree: true, childList: true, characterData: true });
  observer.observe(list!, { subtree: true, childList: true, characterData: true });
  stream.append(' text\n\n- three\n');
  stream.closeStream();
  expect(observer.takeRecords()).toEqual([]);
  expect(container.firstElementChild!.children[1]).toBe(list);
});

test('MarkdownStream shows all text of a long paragraph after each rendering', () => {
  const { stream, container } = createStream();
  let length = 0;
  for (let index = 0; index < 100; index += 1) {
    stream.append('Some words, and some more. ');
    length += 'Some words, and some more. '.length;
    stream.renderPendingText();
    expect(container.textContent.length).toBeGreaterThanOrEqual(length - 1);
  }
});

test('MarkdownStream shows all text of a long block when the model pauses', () => {
  vi.useFakeTimers();
  const { stream, container } = createStream();
  stream.append(`- item\n  \`\`\`js\n${'  let value = 1;\n'.repeat(400)}`);
  stream.renderPendingText();
  stream.append('  last();');
  stream.renderPendingText();
  vi.advanceTimersByTime(500);
  expect(container.textContent).toContain('last();');
  stream.append('\n  ```\nafter');
  stream.closeStream();
  expect(container.textContent).toMatch(/last\(\);\nafter$/u);
  vi.useRealTimers();
});

test('MarkdownStream groups blocks so that the browser can skip invisible blocks', () => {
  const { stream, container } = createStream();
  stream.append('# heading\n'.repeat(130));
  stream.closeStream();
  expect([...container.children].map(({ childElementCount }) => childElementCount)).toEqual([
    64, 64, 2,
  ]);
});

test.each([1, 63, 64, 65, 128, 129, 200])(
  'MarkdownStream groups the items of a list of %i items in the same way, regardless of the chunk lengths',
  (count) => {
    const text = Array.from({ length: count }, (_, index) => `${index + 5}. item\n`).join('');
    const { stream, container } = createStream();
    stream.append(text);
    stream.closeStream();
    const list = container.querySelector('ol')!;
    const groups = [...list.querySelectorAll('.item-group')];
    expect(groups).toHaveLength(Math.ceil(count / 64) - 1);
    expect(list.getAttribute('role')).toBe(count > 64 ? 'list' : null);
    expect(groups.map((group) => group.firstElementChild?.getAttribute('value'))).toEqual(
      groups.map((_, index) => `${64 * (index + 1) + 5}`),
    );
    for (const length of [7, 100, 700])
      expect(renderParts(splitText(text, () => length))).toBe(container.innerHTML);
  },
);

test('MarkdownStream assigns heading levels in all items of a long list', () => {
  const items = '- item\n'.repeat(90);
  const text = `# a\n\n${items}- ### b\n${items}- ###### c\n${items}`;
  const listLevels = (container: Element): (string | null)[] =>
    [...container.querySelectorAll('h6')].map((heading) => heading.getAttribute('aria-level'));
  for (const length of [text.length, 10, 500]) {
    expect(listLevels(renderUnfinishedText(splitText(text, () => length)))).toEqual(['4']);
    const wholeElement = document.createElement('div');
    wholeElement.innerHTML = renderParts(splitText(`${text}\n###### d\n`, () => length));
    expect(listLevels(wholeElement)).toEqual(['4', '4']);
  }
});

test.each(['ul', 'ol', 'table'])(
  'patchParts changes the number of items or rows of a long %s, with the same result as a new rendering',
  (name) => {
    const createParent = (): HTMLElement => {
      const parent = document.createElement(name);
      if (parent instanceof HTMLTableElement) parent.createTHead();
      return parent;
    };
    const createItems = (count: number): Node[] =>
      Array.from({ length: count }, (_, index) => {
        const part = document.createElement(name === 'table' ? 'tr' : 'li');
        part.textContent = `part ${index}`;
        return part;
      });
    const changedParents = [createParent(), createParent()];
    let previousCount = 0;
    for (const count of [200, 128, 129, 64, 130, 3, 65, 0, 66]) {
      const expected = createParent();
      patchParts(expected, 0, createItems(count));
      for (const [index, parent] of changedParents.entries()) {
        const startIndex = index === 0 ? 0 : Math.min(count, previousCount);
        patchParts(parent, startIndex, createItems(count).slice(startIndex));
        expect(parent.outerHTML).toBe(expected.outerHTML);
      }
      previousCount = count;
    }
  },
);

function createStream() {
  const container = document.createElement('div');
  return { container, stream: new MarkdownStream(container, renderOptions) };
}

const measurements = new Map<string, ReturnType<typeof measureWork>>();

function getMeasurement(name: string, size: number): ReturnType<typeof measureWork> {
  const key = `${name} ${size}`;
  const cachedWork = measurements.get(key) ?? measureWork(textGenerators[name]!(size));
  measurements.set(key, cachedWork);
  return cachedWork;
}

/**
 * Streams a text in chunks of 100 characters, one per frame. Returns the number of parsed characters, and of added and
 * removed nodes.
 */
function measureWork(text: string): { lexedCount: number; touchedCount: number } {
  const { stream, container } = createStream();
  const observer = new MutationObserver(() => {});
  observer.observe(container, { subtree: true, childList: true, characterData: true });
  let touchedCount = 0;
  for (let start = 0; start < text.length; start += 100) {
    stream.append(text.slice(start, start + 100));
    stream.renderPendingText();
    for (const { addedNodes, removedNodes } of observer.takeRecords()) {
      touchedCount += 1 + addedNodes.length + removedNodes.length;
    }
  }
  observer.disconnect();
  return { lexedCount: stream.lexedCharacters + 1, touchedCount };
}

function createTextRepeater(unit: string): (size: number) => string {
  return (size) => unit.repeat(Math.ceil(size / unit.length));
}

const hostileTexts: [string, (size: number) => string][] = [
  ['emphasis that never ends', createTextRepeater('*a_')],
  ['strong text that never ends', createTextRepeater('**a_')],
  ['struck text that never ends', createTextRepeater('~a')],
  ['a long run of stars', (size) => `${'*'.repeat(size)}a`],
  ['words that could be an address', (size) => `${createTextRepeater('a.')(size)}@`],
  ['addresses that never end', createTextRepeater('a@b.')],
  [
    'an address that could end at each entity',
    (size) => `http://a.b/${createTextRepeater('&a;')(size)}`,
  ],
  ['a wide table of empty rows', (size) => createTable(32, size)],
  ['a table too wide to be one', (size) => createTable(400, size)],
  ['instructions that never end', (size) => createTextRepeater('<?')(10 * size)],
  ['comments that never end', (size) => createTextRepeater('<!--')(10 * size)],
  ['escaped stars', (size) => createTextRepeater('\\*')(10 * size)],
  ['formulas that never end', createTextRepeater('$a')],
  ['prices', createTextRepeater('$5 and ')],
  ['inline formulas that never end', (size) => createTextRepeater('\\(')(10 * size)],
  ['display formulas that never end', createTextRepeater('\\[a\n')],
  ['empty display formulas', createTextRepeater('$$\n')],
  ['display formulas with items', createTextRepeater('$$\n- a\n$$\n')],
  ['a long open formula', (size) => `\\(${createTextRepeater('a \\\\[ $')(size)}`],
  ['many short formulas', createTextRepeater('$a$ ')],
  [
    'blank lines in an open fence in a list',
    (size) => `- a\n\n  \`\`\`js\n${'\n'.repeat(5 * size)}  x`,
  ],
  ['a line of spaces in an open fence', (size) => `\`\`\`\n${' '.repeat(5 * size)}`],
];

test.each(hostileTexts)(
  'MarkdownStream parses hostile text in linear time: %s',
  (_name, createHostileText) => {
    const run = (size: number): void => streamChunks([createHostileText(size)]);
    expect(measureGrowth(run, { smallSize: 1_250, smallCount: 8 }).timeRatio).toBeLessThan(4);
  },
);

test.each(hostileTexts)(
  'MarkdownStream parses no chunk of hostile text slower than the whole text: %s',
  (_name, createHostileText) => {
    const text = createHostileText(8_000);
    const chunks = text.match(/[^]{1,1000}/gu) ?? [];
    const wholeTextMs = Math.max(...[1, 2].map(() => measureCpuMs(() => streamChunks([text]))));
    expect(measureCpuMs(() => streamChunks(chunks)) / chunks.length / wholeTextMs).toBeLessThan(2);
  },
);

function streamChunks(chunks: readonly string[]): void {
  const { stream } = createStream();
  for (const chunk of chunks) {
    stream.append(chunk);
    stream.renderPendingText();
  }
  stream.closeStream();
}

/** Creates a table of about `size` characters. Its rows have no cells, so the parser adds all cells. */
const createTable = (columnCount: number, size: number): string =>
  `${createRow('a', columnCount)}${createRow('-', columnCount)}${createTextRepeater('|\n')(size)}`;

test('MarkdownStream fills up a short table row with a few wide cells instead of many narrow cells', () => {
  const { stream, container } = createStream();
  stream.append(
    `${createRow('a', 32)}${createRow('-', 32)}${'|\n'.repeat(50)}${createRow('b', 1)}${'|\n'.repeat(50)}`,
  );
  stream.closeStream();
  const rows = [...container.querySelectorAll('tbody tr')];
  expect(rows).toHaveLength(101);
  expect(rows[50]!.innerHTML).toBe('<td>b</td><td colspan="31"></td>');
  expect(container.querySelectorAll('td').length).toBeLessThanOrEqual(2 * rows.length);
});

test('MarkdownStream splits a long table into bodies with the same columns, and changes only the last body', () => {
  const { stream, container } = createStream();
  const createRows = (startRow: number, endRow: number): string =>
    Array.from(
      { length: endRow - startRow },
      (_, index) => `| item ${startRow + index} | b |\n`,
    ).join('');
  const listRowCounts = (): number[] =>
    [...container.querySelectorAll('tbody')].map(({ children }) => children.length);
  stream.append(`| Name | B |\n|---|---|\n${createRows(0, 40)}`);
  stream.renderPendingText();
  expect(listRowCounts()).toEqual([40]);
  expect(container.querySelector('.long')).toBeNull();
  stream.append(createRows(40, 150));
  stream.renderPendingText();
  const [firstBody] = container.querySelectorAll('tbody');
  const observer = new MutationObserver(() => {});
  observer.observe(firstBody!, { subtree: true, childList: true, characterData: true });
  for (let row = 150; row < 200; row += 1) {
    stream.append(createRows(row, row + 1));
    stream.renderPendingText();
  }
  stream.closeStream();
  expect(observer.takeRecords()).toEqual([]);
  expect(listRowCounts()).toEqual([64, 64, 64, 8]);
  const wholeHtml = renderParts([`| Name | B |\n|---|---|\n${createRows(0, 200)}`]);
  expect(container.innerHTML).toBe(wholeHtml);
  expect(container.querySelector<HTMLElement>('.long')?.style.getPropertyValue('--columns')).toBe(
    'minmax(calc(4ch + 17px), calc(10ch + 17px)) minmax(calc(4ch + 17px), calc(4ch + 17px))',
  );
});

test('MarkdownStream renders a long table with very many words, and the text after the table', () => {
  const wordRows = `|${'a '.repeat(2_500)}|y|\n`.repeat(52);
  const text = `| a | b |\n|---|---|\n${wordRows}${'| x | y |\n'.repeat(40)}\nafter`;
  const wholeHtml = renderParts([text]);
  expect(wholeHtml).toContain('<p>after</p>');
  expect(wholeHtml).toContain('class="long"');
});

test('MarkdownStream keeps the line breaks and links of a long paragraph', () => {
  const text = `${'word '.repeat(500)}end  \n`.repeat(5) + 'who@example.org';
  const [paragraph] = new BlockLexer().lex(text) as [Tokens.Paragraph];
  const types = paragraph.tokens.map(({ type }) => type).filter((type) => type !== 'text');
  expect(types).toEqual(['br', 'br', 'br', 'br', 'br', 'link']);
});

test('BlockLexer finds exactly the closed emphasis among many unmatched delimiters', () => {
  const words = 'snake_case '.repeat(100);
  expect(listEmphasizedTexts(`_private ${words}`)).toEqual([]);
  expect(listEmphasizedTexts(`${words}and _one_ *two* **three** ${words}`)).toEqual([
    'one',
    'two',
    'three',
  ]);
  expect(listEmphasizedTexts('**a*b*c')).toEqual(['b']);
});

function listEmphasizedTexts(text: string): string[] {
  const [paragraph] = new BlockLexer().lex(text) as [Tokens.Paragraph];
  return paragraph.tokens.flatMap((token) =>
    token.type === 'em' || token.type === 'strong' ? [(token as Tokens.Em).text] : [],
  );
}

function createRow(cell: string, columnCount: number): string {
  return `|${`${cell}|`.repeat(columnCount)}\n`;
}
