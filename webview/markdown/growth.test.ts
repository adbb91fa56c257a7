// @vitest-environment happy-dom
import type { Tokens } from 'marked';
import { expect, test } from 'vitest';
import { BlockLexer } from './lexer.ts';
import { MarkdownStream } from './markdown-stream.ts';

const options = {
  openLink() {},
  code: { copy() {}, insert() {}, newFile() {} },
  schedule() {},
};

const sentence = 'The quick brown fox jumps over the lazy dog while `code` and *stress* follow. ';

/** Texts of about `size` characters, each one open block or one kind of attack. */
const texts: Record<string, (size: number) => string> = {
  mix: repeated(
    `## Heading\n\n${sentence}\n\n- one\n- two\n\n\`\`\`js\nlet a = 1;\n\`\`\`\n\n|a|b|\n|-|-|\n|c|d|\n\n`,
  ),
  fence: (size) => `\`\`\`js\n${repeated('const value = compute(1, 2);\n')(size)}`,
  list: repeated(`- ${sentence}\n`),
  'loose list': repeated(`- ${sentence}\n\n`),
  table: (size) => `| a | b |\n|---|---|\n${repeated('| cell | *another* |\n')(size)}`,
  paragraph: repeated(sentence),
  'paragraph of lines': repeated(`${sentence}\n`),
  'unclosed emphasis': (size) => `**${repeated('words without an end ')(size)}`,
  'one nested item': (size) => `- top\n${repeated('  - nested item\n')(size)}`,
  quote: repeated(`> ${sentence}\n`),
  references: repeated('[unknown][label] '),
  definitions: repeated('[a]: http://b.c\n'),
  headings: repeated('# heading\n'),
};

test.each(Object.keys(texts))('reading a %s costs in proportion to its length', (name) => {
  const [half, whole] = [work(texts[name]!(20_000)), work(texts[name]!(40_000))];
  expect(whole.lexed / half.lexed).toBeLessThan(2.4);
  expect(whole.touched / half.touched).toBeLessThan(2.6);
});

test.each(['mix', 'fence', 'list', 'table', 'paragraph'])('a %s is read but few times', (name) => {
  const text = texts[name]!(40_000);
  expect(work(text).lexed / text.length).toBeLessThan(name === 'fence' ? 0.1 : 16);
});

test('settled blocks are never touched again', () => {
  const { stream, container } = start();
  stream.append(`${sentence}\n\n- one\n- two\n\n# Next\n\nopen`);
  stream.flush();
  const [paragraph, list] = container.firstElementChild!.children;
  const changes = new MutationObserver(() => {});
  changes.observe(paragraph!, { subtree: true, childList: true, characterData: true });
  changes.observe(list!, { subtree: true, childList: true, characterData: true });
  stream.append(' text\n\n- three\n');
  stream.end();
  expect(changes.takeRecords()).toEqual([]);
  expect(container.firstElementChild!.children[1]).toBe(list);
});

test('blocks are grouped so that the browser can skip what is out of view', () => {
  const { stream, container } = start();
  stream.append('# heading\n'.repeat(130));
  stream.end();
  expect([...container.children].map(({ childElementCount }) => childElementCount)).toEqual([
    64, 64, 2,
  ]);
});

function start() {
  const container = document.createElement('div');
  return { container, stream: new MarkdownStream(container, options) };
}

/** Streams a text in frames of 100 characters; counts characters read and nodes added or removed. */
function work(text: string): { lexed: number; touched: number } {
  const { stream, container } = start();
  const observer = new MutationObserver(() => {});
  observer.observe(container, { subtree: true, childList: true, characterData: true });
  let touched = 0;
  for (let at = 0; at < text.length; at += 100) {
    stream.append(text.slice(at, at + 100));
    stream.flush();
    for (const { addedNodes, removedNodes } of observer.takeRecords()) {
      touched += 1 + addedNodes.length + removedNodes.length;
    }
  }
  observer.disconnect();
  return { lexed: stream.lexedCharacters + 1, touched };
}

function repeated(unit: string): (size: number) => string {
  return (size) => unit.repeat(Math.ceil(size / unit.length));
}

test.each([
  ['emphasis that never ends', '*a_'.repeat(13_000)],
  ['strong text that never ends', '**a_'.repeat(10_000)],
  ['struck text that never ends', '~a'.repeat(20_000)],
  ['a long run of stars', `${'*'.repeat(40_000)}a`],
  ['words that could be an address', `${'a.'.repeat(20_000)}@`],
  ['addresses that never end', 'a@b.'.repeat(10_000)],
  ['an address that could end at each entity', `http://a.b/${'&a;'.repeat(13_000)}`],
  ['a wide table of empty rows', `${row('a', 32)}${row('-', 32)}${'|\n'.repeat(20_000)}`],
  ['a table too wide to be one', `${row('a', 400)}${row('-', 400)}${'|\n'.repeat(20_000)}`],
  ['a line of spaces in an open fence', `\`\`\`\n${' '.repeat(200_000)}`],
])('%s does not hang the page, in one piece or in many', (_name, text) => {
  const whole = start().stream;
  const pieces = start().stream;
  const started = process.threadCpuUsage();
  whole.append(text);
  whole.end();
  for (let at = 0; at < text.length; at += 2_000) {
    pieces.append(text.slice(at, at + 2_000));
    pieces.flush();
  }
  pieces.end();
  const { user, system } = process.threadCpuUsage(started);
  // A guard against hangs, not a claim of speed: it took up to minutes. Microseconds of the processor.
  expect(user + system).toBeLessThan(15_000_000);
});

test('a table has few more cells than were written', () => {
  const { stream, container } = start();
  stream.append(
    `${row('a', 32)}${row('-', 32)}${'|\n'.repeat(50)}${row('b', 1)}${'|\n'.repeat(50)}`,
  );
  stream.end();
  const rows = [...container.querySelectorAll('tbody tr')];
  expect(rows).toHaveLength(101);
  expect(rows[50]!.innerHTML).toBe('<td>b</td><td colspan="31"></td>');
  expect(container.querySelectorAll('td').length).toBeLessThanOrEqual(2 * rows.length);
});

test('a long paragraph keeps its line breaks and its addresses', () => {
  const text = `${'word '.repeat(500)}end  \n`.repeat(5) + 'who@example.org';
  const [paragraph] = new BlockLexer().lex(text) as [Tokens.Paragraph];
  const types = paragraph.tokens.map(({ type }) => type).filter((type) => type !== 'text');
  expect(types).toEqual(['br', 'br', 'br', 'br', 'br', 'link']);
});

test('delimiters far apart do not change how the near ones are read', () => {
  const words = 'snake_case '.repeat(100);
  expect(emphasised(`_private ${words}`)).toEqual([]);
  expect(emphasised(`${words}and _one_ *two* **three** ${words}`)).toEqual(['one', 'two', 'three']);
  expect(emphasised('**a*b*c')).toEqual(['b']);
});

function emphasised(text: string): string[] {
  const [paragraph] = new BlockLexer().lex(text) as [Tokens.Paragraph];
  return paragraph.tokens.flatMap((token) =>
    token.type === 'em' || token.type === 'strong' ? [(token as Tokens.Em).text] : [],
  );
}

function row(cell: string, columns: number): string {
  return `|${`${cell}|`.repeat(columns)}\n`;
}
