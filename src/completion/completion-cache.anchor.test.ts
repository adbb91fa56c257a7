import { expect, test } from 'vitest';
import { createAnchor, findTypedText } from './completion-cache.ts';
import { createSnapshotOf } from './snapshot.fixture.ts';

test.each([
  ['nothing', 'const a = |;', 'const a = |;', ''],
  ['a few characters', 'const a = |', 'const a = tid|', 'tid'],
  ['a line and more', 'if (a) {|\n}', 'if (a) {\n  return|\n}', '\n  return'],
  ['text in an empty document', '|', 'x|', 'x'],
  ['text below an empty first line', '\n|', '\nx|', 'x'],
  ['a bracket that VS Code auto-closed', 'call|\nend', 'call(|)\nend', '('],
  ['two auto-closed brackets', 'call|', 'call({|})', '({'],
  ['text, then over the closing bracket', 'call(|)\nend', 'call(a)|\nend', 'a)'],
  [
    'text, then over the closing bracket, then more text',
    'call(|)\nend',
    'call(a) + b|\nend',
    'a) + b',
  ],
  ['the same text at another cursor', 'x = |\ny = \n', 'x = 1|\ny = 1\n', '1'],
  ['the same text at several cursors', 'x|\ny\nz\nend', 'xend|\nyend\nzend\nend', 'end'],
  ['the same text before similar text', 'x = |\naa', 'x = a|\naaa', 'a'],
  [
    'the same text at another cursor in a long document',
    `x|\n${'line\n'.repeat(60)}y\n${'line\n'.repeat(60)}`,
    `x1|\n${'line\n'.repeat(60)}y1\n${'line\n'.repeat(60)}`,
    '1',
  ],
  ['text before unchanged text up to the end of the document', 'a|b', 'ax|b', 'x'],
])(
  'findTypedText returns the text typed since the anchor was created if the user typed %s',
  (_, before, after, typedText) => {
    expect(
      findTypedText(createAnchor(createSnapshotOf(before)), createSnapshotOf(after)),
    ).toMatchObject({
      text: typedText,
    });
  },
);

test.each([
  ['a bracket', 'call|\nend', 'call(|)\nend', ')'],
  ['two brackets', 'call|\nend', 'call({|})\nend', '})'],
  ['a quote', 'a = |\nend', 'a = "|"\nend', '"'],
  ['a tag', '<ul>\n|\n</ul>', '<ul>\n<li>|</li>\n</ul>', '</li>'],
  ['a block', 'if (a) |\nend', 'if (a) {\n  |\n}\nend', '\n}'],
  ['a bracket after the user typed over another', 'call(|)\nend', 'call(a)[|]\nend', ']'],
])(
  'findTypedText returns the auto-closed text after VS Code inserted %s',
  (_, before, after, autoClosedText) => {
    expect(
      findTypedText(createAnchor(createSnapshotOf(before)), createSnapshotOf(after))
        ?.autoClosedText,
    ).toBe(autoClosedText);
  },
);

test.each([
  ['a letter', 'a|', 'ab|'],
  ['over the auto-closed bracket', 'call(|)\nend', 'call(a)|\nend'],
])(
  'findTypedText returns an empty auto-closed text after the user typed %s',
  (_, before, after) => {
    expect(
      findTypedText(createAnchor(createSnapshotOf(before)), createSnapshotOf(after))
        ?.autoClosedText,
    ).toBe('');
  },
);

test.each([
  ['text before the anchor changed', 'const a = |', 'let a = tid|'],
  ['text before the anchor changed, but has the same length', 'const a = |', 'const b = |'],
  ['text after the anchor changed', 'a(|)\nlast', 'a(b|)\nother'],
  ['text was appended after the anchor', 'a|\nlast', 'ab|\nlastc'],
  ['the typed text also replaced other text after the anchor', 'a|\nlast', 'ab|\nlabt'],
  ['a line was added after the anchor', 'a|', 'a|\nmore'],
  ['a line was removed after the anchor', 'a|\nmore', 'a|'],
  ['the cursor is before the anchor', 'const a = |', 'const a |'],
  ['the cursor is on an earlier line', 'a\nb|', 'a|'],
  ['the line above became longer', 'a\nb|', 'aa\nb|'],
])('findTypedText returns undefined if %s', (_, before, after) => {
  expect(
    findTypedText(createAnchor(createSnapshotOf(before)), createSnapshotOf(after)),
  ).toBeUndefined();
});

test('findTypedText returns undefined for another document', () => {
  const anchor = createAnchor(createSnapshotOf('a|'));
  expect(
    findTypedText(
      anchor,
      createSnapshotOf('ab|', 'typescript', { documentUri: 'file:///other.ts' }),
    ),
  ).toBeUndefined();
});

test('findTypedText finds the anchor in a truncated snapshot of a long document', () => {
  const longText = 'line of code();\n'.repeat(1_000);
  const anchorSnapshot = createSnapshotOf(`${longText}const a = |`);
  const typedSnapshot = createSnapshotOf(`${longText}const a = tide|`);
  const truncatedSnapshot = { ...typedSnapshot, prefix: typedSnapshot.prefix.slice(-12_000) };
  expect(
    findTypedText(
      createAnchor({ ...anchorSnapshot, prefix: anchorSnapshot.prefix.slice(-12_000) }),
      truncatedSnapshot,
    ),
  ).toMatchObject({ text: 'tide' });
});

test('findTypedText returns undefined if a long document changed directly before the anchor', () => {
  const longText = 'line of code();\n'.repeat(1_000);
  const anchor = createAnchor(createSnapshotOf(`${longText}const a = |`));
  expect(findTypedText(anchor, createSnapshotOf(`${longText}const b = t|`))).toBeUndefined();
});
