import { expect, test } from 'vitest';
import type { Snapshot } from '../snapshot.ts';
import { SnippetIndex, snippetLimits } from './snippet-index.ts';

const createSnapshot = (prefix: string, fields: Partial<Snapshot> = {}): Snapshot => ({
  documentUri: 'file:///here.ts',
  languageId: 'typescript',
  path: 'here.ts',
  position: { line: prefix.split('\n').length - 1, character: 0 },
  prefix,
  suffix: '',
  indentUnit: '  ',
  ...fields,
});

/** Creates lines of words that occur in no other document. */
const createFillerLines = (count: number, topic: string): string =>
  Array.from({ length: count }, (_, index) => `${topic}${index} ${topic}Other${index};`).join('\n');

const ordersText =
  'const invoice = loadInvoice(customer);\nsendReminder(invoice, customer.address);';

function createIndex(texts: Readonly<Record<string, string>>): SnippetIndex {
  const index = new SnippetIndex();
  for (const [path, text] of Object.entries(texts)) {
    index.set({ documentUri: `file:///${path}`, path, text });
  }
  return index;
}

const findPaths = (index: SnippetIndex, snapshot: Snapshot): string[] =>
  index.query(snapshot).map(({ path }) => path);

test('SnippetIndex finds only the snippet that contains the rare words of the text near the cursor', () => {
  const index = createIndex({
    'a.ts': createFillerLines(100, 'apple'),
    'b.ts': `${createFillerLines(30, 'pear')}\n${ordersText}\n${createFillerLines(30, 'plum')}`,
  });
  const [firstSnippet, ...otherSnippets] = index.query(
    createSnapshot('const invoice = loadInvoice(customer);\n'),
  );
  expect(firstSnippet).toMatchObject({ kind: 'similar', path: 'b.ts' });
  expect(firstSnippet?.text).toContain('sendReminder(invoice, customer.address);');
  expect(firstSnippet?.text.split('\n').length).toBeLessThanOrEqual(40);
  expect(otherSnippets).toEqual([]);
});

test('SnippetIndex returns the best match first', () => {
  const index = createIndex({
    'some.ts': `${createFillerLines(10, 'fig')}\nsendReminder(invoice, other);`,
    'most.ts': ordersText,
    'none.ts': createFillerLines(40, 'kiwi'),
  });
  expect(findPaths(index, createSnapshot(ordersText))).toEqual(['most.ts', 'some.ts']);
});

test.each([
  ['no words', ''],
  ['only words that occur in no document', 'zebra giraffe elephant'],
  ['only words that occur in all windows', 'return value; const value;'],
])('SnippetIndex finds no snippets if the text near the cursor contains %s', (_, prefix) => {
  const createCommonCode = (topic: string): string =>
    createFillerLines(60, topic).replaceAll(';', '; return value; const value;');
  const index = createIndex({
    'a.ts': createCommonCode('apple'),
    'b.ts': createCommonCode('pear'),
  });
  expect(index.query(createSnapshot(prefix))).toEqual([]);
});

test('SnippetIndex excludes the lines around the cursor, but finds other lines of the same document', () => {
  const textBetween = createFillerLines(600, 'apple');
  const text = `${ordersText}\n${textBetween}\n${ordersText}`;
  const line = text.split('\n').length - 1;
  const index = createIndex({ 'here.ts': text });
  const wholeSnapshot = createSnapshot(text, { position: { line, character: 0 } });
  expect(index.query(wholeSnapshot)).toEqual([]);
  const nearbySnapshot = createSnapshot(ordersText, { position: { line, character: 0 } });
  expect(index.query(nearbySnapshot).map(({ text }) => text.startsWith(ordersText))).toEqual([
    true,
  ]);
  const otherSnapshot = createSnapshot(ordersText, { documentUri: 'file:///else.ts' });
  expect(index.query(otherSnapshot)).toHaveLength(2);
});

test('SnippetIndex merges overlapping matches into one snippet', () => {
  const index = createIndex({
    'a.ts': `${createFillerLines(12, 'fig')}\n${ordersText}\n${createFillerLines(12, 'plum')}`,
  });
  const snippets = index.query(createSnapshot(ordersText));
  expect(snippets).toHaveLength(1);
  expect(snippets[0]?.text.split('\n')).toHaveLength(26);
});

test('SnippetIndex finds the latest text of a document, and no text of a removed document', () => {
  const index = createIndex({ 'a.ts': ordersText, 'z.ts': createFillerLines(50, 'plum') });
  const snapshot = createSnapshot(ordersText);
  expect(findPaths(index, snapshot)).toEqual(['a.ts']);
  index.set({ documentUri: 'file:///a.ts', path: 'a.ts', text: createFillerLines(30, 'fig') });
  expect(findPaths(index, snapshot)).toEqual([]);
  index.set({ documentUri: 'file:///a.ts', path: 'a.ts', text: ordersText });
  index.delete('file:///a.ts');
  expect(findPaths(index, snapshot)).toEqual([]);
  index.set({ documentUri: 'file:///a.ts', path: 'a.ts', text: ordersText });
  index.clear();
  expect(findPaths(index, snapshot)).toEqual([]);
});

test('SnippetIndex evicts the document that was set least recently', () => {
  const index = createIndex({ 'first.ts': ordersText, 'second.ts': ordersText });
  for (let count = 0; count < snippetLimits.documents - 1; count += 1) {
    index.set({
      documentUri: `file:///${count}`,
      path: `${count}`,
      text: createFillerLines(40, `fig${count}x`),
    });
  }
  expect(findPaths(index, createSnapshot(ordersText))).toEqual(['second.ts']);
});

test('SnippetIndex indexes only the lines around the focus of a long document', () => {
  const text = `${createFillerLines(5_000, 'fig')}\n${ordersText}\n${createFillerLines(5_000, 'plum')}`;
  const index = new SnippetIndex();
  index.set({ documentUri: 'file:///a.ts', path: 'a.ts', text });
  expect(findPaths(index, createSnapshot(ordersText))).toEqual([]);
  index.set({ documentUri: 'file:///a.ts', path: 'a.ts', text, focusLine: 5_200 });
  expect(findPaths(index, createSnapshot(ordersText))).toEqual(['a.ts']);
});

test.each([
  ['one line of 10 MB', 'ab '.repeat(3_400_000)],
  ['one word of 10 MB', 'a'.repeat(10_000_000)],
  ['ten million lines', '\n'.repeat(10_000_000)],
  ['null bytes', '\0'.repeat(10_000_000)],
  ['lone surrogates', '\uD83D'.repeat(5_000_000)],
])('SnippetIndex indexes %s in linear time', (_, text) => {
  const index = new SnippetIndex();
  index.set({ documentUri: 'file:///a.ts', path: 'a.ts', text });
  expect(index.query(createSnapshot(text.slice(0, 12_000))).length).toBeLessThanOrEqual(1);
});
