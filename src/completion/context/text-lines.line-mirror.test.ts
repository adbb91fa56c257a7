import { expect, test } from 'vitest';
import { type DocumentLines, LineMirror, type TextChange } from './text-lines.ts';

/** Document that replaces several ranges of lines at once and returns the change event of VS Code. */
class FakeDocument implements DocumentLines {
  lines: string[];

  constructor(lines: readonly string[]) {
    this.lines = [...lines];
  }

  get lineCount(): number {
    return this.lines.length;
  }

  lineAt(line: number): { readonly text: string } {
    const text = this.lines[line];
    if (text === undefined) throw new Error(`There is no line ${line}.`);
    return { text };
  }

  /**
   * Replaces several ranges of lines.
   * @param changes first line, last line and new text of each change. Line numbers are 0-based and inclusive. The
   * change at the end of the document comes first.
   */
  replaceLines(...changes: readonly (readonly [number, number, string])[]): TextChange[] {
    return changes.map(([start, end, text]) => {
      this.lines.splice(start, end - start + 1, ...text.split(/\r\n|\r|\n/u));
      return { range: { start: { line: start }, end: { line: end } }, text };
    });
  }
}

const createNumberedLines = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `l${index}`);

test.each([
  ['a changed line', [[2, 2, 'x']], { line: 2, before: ['l2'], after: ['x'] }],
  ['a line split in two', [[2, 2, 'x\r\ny']], { line: 2, before: ['l2'], after: ['x', 'y'] }],
  [
    'a line split by a carriage return',
    [[2, 2, 'x\ry']],
    { line: 2, before: ['l2'], after: ['x', 'y'] },
  ],
  ['two lines joined', [[2, 3, 'x']], { line: 2, before: ['l2', 'l3'], after: ['x'] }],
  [
    'two ranges at once',
    [
      [4, 4, 'y\nz'],
      [2, 2, 'x'],
    ],
    { line: 2, before: ['l2', 'l3', 'l4'], after: ['x', 'l3', 'y', 'z'] },
  ],
  ['a change of the last line', [[9, 9, 'x']], { line: 9, before: ['l9'], after: ['x'] }],
] as const)('LineMirror returns the replaced lines for %s', (_, changes, expected) => {
  const draft = new FakeDocument(createNumberedLines(10));
  const mirror = new LineMirror(draft);
  mirror.moveTo(2);
  expect(mirror.applyChanges(draft.replaceLines(...changes))).toEqual(expected);
  expect(mirror.applyChanges(draft.replaceLines([0, 0, 'next']))?.before).toEqual(['l0']);
});

test('LineMirror returns undefined for a change outside the copied lines, and then copies the lines around that change', () => {
  const draft = new FakeDocument(createNumberedLines(10_000));
  const mirror = new LineMirror(draft);
  mirror.moveTo(5_000);
  expect(mirror.applyChanges(draft.replaceLines([100, 100, 'x']))).toBe(undefined);
  expect(mirror.applyChanges(draft.replaceLines([100, 100, 'y']))?.before).toEqual(['x']);
  expect(
    mirror.applyChanges(draft.replaceLines([101, 101, createNumberedLines(5_000).join('\n')])),
  ).toBe(undefined);
  expect(mirror.applyChanges(draft.replaceLines([101, 101, 'z']))?.before).toEqual(['l0']);
});

test('LineMirror follows the cursor while the user types thousands of lines', () => {
  const draft = new FakeDocument(createNumberedLines(100));
  const mirror = new LineMirror(draft);
  mirror.moveTo(50);
  for (let line = 50; line < 5_000; line += 1) {
    const change = mirror.applyChanges(draft.replaceLines([line, line, 'typed\nnext']));
    expect(change?.after).toEqual(['typed', 'next']);
    mirror.moveTo(line + 1);
  }
});

test.each([
  ['the start', 0],
  ['the middle', 5_000],
  ['the end', 9_999],
])(
  'LineMirror does not read lines again after small cursor moves near %s of the document',
  (_, line) => {
    const draft = new FakeDocument(createNumberedLines(10_000));
    let readCount = 0;
    const countingLines: DocumentLines = {
      lineCount: draft.lineCount,
      lineAt: (index) => {
        readCount += 1;
        return draft.lineAt(index);
      },
    };
    const mirror = new LineMirror(countingLines);
    mirror.moveTo(line);
    expect(readCount).toBeLessThanOrEqual(600);
    const previousReadCount = readCount;
    for (const step of [0, -40, 40]) mirror.moveTo(Math.min(9_999, Math.max(0, line + step)));
    expect(readCount).toBe(previousReadCount);
  },
);
