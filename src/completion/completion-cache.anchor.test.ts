import { expect, test } from 'vitest';
import { createAnchor, typedSince } from './completion-cache.ts';
import { snapshotOf } from './snapshot.fixture.ts';

test.each([
  ['nothing', 'const a = |;', 'const a = |;', ''],
  ['a few characters', 'const a = |', 'const a = tid|', 'tid'],
  ['a line and more', 'if (a) {|\n}', 'if (a) {\n  return|\n}', '\n  return'],
  ['an empty document', '|', 'x|', 'x'],
  ['an empty first line', '\n|', '\nx|', 'x'],
  ['a bracket that the editor autoClosed', 'call|\nend', 'call(|)\nend', '('],
  ['two of them', 'call|', 'call({|})', '({'],
  ['a bracket that was typed over', 'call(|)\nend', 'call(a)|\nend', 'a)'],
  ['the same at another cursor', 'x = |\ny = \n', 'x = 1|\ny = 1\n', '1'],
  ['the same at several cursors', 'x|\ny\nz\nend', 'xend|\nyend\nzend\nend', 'end'],
  ['the same before what begins like it', 'x = |\naa', 'x = a|\naaa', 'a'],
  [
    'the same at another cursor in a long text',
    `x|\n${'line\n'.repeat(60)}y\n${'line\n'.repeat(60)}`,
    `x1|\n${'line\n'.repeat(60)}y1\n${'line\n'.repeat(60)}`,
    '1',
  ],
  ['a text behind that only ends with the document', 'a|b', 'ax|b', 'x'],
])('returns the text typed since the anchor: %s', (_, from, to, typed) => {
  expect(typedSince(createAnchor(snapshotOf(from)), snapshotOf(to))).toMatchObject({ text: typed });
});

test.each([
  ['nothing', 'a|', 'ab|', ''],
  ['a bracket', 'call|\nend', 'call(|)\nend', ')'],
  ['two', 'call|\nend', 'call({|})\nend', '})'],
  ['a quote', 'a = |\nend', 'a = "|"\nend', '"'],
  ['a tag', '<ul>\n|\n</ul>', '<ul>\n<li>|</li>\n</ul>', '</li>'],
  ['a block', 'if (a) |\nend', 'if (a) {\n  |\n}\nend', '\n}'],
  ['nothing, but typed over', 'call(|)\nend', 'call(a)|\nend', ''],
])('reports auto-closed text: %s', (_, from, to, autoClosed) => {
  expect(typedSince(createAnchor(snapshotOf(from)), snapshotOf(to))?.autoClosed).toBe(autoClosed);
});

test.each([
  ['text before it changed', 'const a = |', 'let a = tid|'],
  ['as long, but another text', 'const a = |', 'const b = |'],
  ['text behind it changed', 'a(|)\nlast', 'a(b|)\nother'],
  ['another text stands behind it', 'a|\nlast', 'ab|\nlastc'],
  ['the same text stands in place of another behind it', 'a|\nlast', 'ab|\nlabt'],
  ['more stands behind it', 'a|', 'a|\nmore'],
  ['less stands behind it', 'a|\nmore', 'a|'],
  ['the cursor is before it', 'const a = |', 'const a |'],
  ['the cursor is on an earlier line', 'a\nb|', 'a|'],
  ['the line above became longer', 'a\nb|', 'aa\nb|'],
])('does not match another position: %s', (_, from, to) => {
  expect(typedSince(createAnchor(snapshotOf(from)), snapshotOf(to))).toBeUndefined();
});

test('does not match the same text in another document', () => {
  const anchor = createAnchor(snapshotOf('a|'));
  expect(
    typedSince(anchor, snapshotOf('ab|', 'typescript', { document: 'file:///other.ts' })),
  ).toBeUndefined();
});

test('matches when the snapshot window moved', () => {
  const long = 'line of code();\n'.repeat(1_000);
  const before = snapshotOf(`${long}const a = |`);
  const typed = snapshotOf(`${long}const a = tide|`);
  const cut = { ...typed, prefix: typed.prefix.slice(-12_000) };
  expect(
    typedSince(createAnchor({ ...before, prefix: before.prefix.slice(-12_000) }), cut),
  ).toMatchObject({ text: 'tide' });
});

test('detects a change just before the anchor in a long document', () => {
  const long = 'line of code();\n'.repeat(1_000);
  const anchor = createAnchor(snapshotOf(`${long}const a = |`));
  expect(typedSince(anchor, snapshotOf(`${long}const b = t|`))).toBeUndefined();
});
