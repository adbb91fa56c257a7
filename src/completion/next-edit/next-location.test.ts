import { fc } from '../../../test/support/property.ts';
import { expect, test } from 'vitest';
import { deriveEditPattern } from './edit-pattern.ts';
import { isWordCharacterAt } from './line-edit.ts';
import {
  type DocumentLines,
  findNextLocation,
  type LastEdit,
  type NextLocation,
  searchLimits,
} from './next-location.ts';

const createDocument = (lines: readonly string[], languageId = 'typescript'): DocumentLines => ({
  languageId,
  lineCount: lines.length,
  lineAt: (line) => lines[line] ?? '',
});

interface SearchOptions {
  readonly lineBeforeEdit: string;
  readonly line?: number;
  readonly editCount?: number;
  readonly rejectedLines?: readonly number[];
  readonly languageId?: string;
}

/**
 * Searches a document for the next location. `lineBeforeEdit` is the text of the edited line before the edit. Returns
 * undefined if nothing is found.
 */
function findLocation(
  lines: readonly string[],
  { lineBeforeEdit, line = 0, editCount = 1, rejectedLines = [], languageId }: SearchOptions,
): NextLocation | undefined {
  const lineAfterEdit = lines[line] ?? '';
  const pattern = deriveEditPattern(lineBeforeEdit, lineAfterEdit);
  if (!pattern) throw new Error(`No pattern leads from ${lineBeforeEdit} to ${lineAfterEdit}.`);
  let character = 0;
  while (
    character < lineBeforeEdit.length &&
    lineBeforeEdit[character] === lineAfterEdit[character]
  )
    character++;
  while (isWordCharacterAt(lineAfterEdit, character - 1)) character--;
  const edit: LastEdit = {
    pattern,
    line,
    character,
    useCount: editCount,
    isRejected: (line) => rejectedLines.includes(line),
  };
  const steps = findNextLocation(edit, createDocument(lines, languageId));
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

/**
 * Edits each found location until none is found. Returns the resulting lines, and the line number of each location in
 * the order in which it was found.
 */
function applyAllEdits(
  lines: readonly string[],
  options: SearchOptions,
): { readonly lines: readonly string[]; readonly visitedLines: readonly number[] } {
  const editedLines = [...lines];
  const visitedLines: number[] = [];
  for (let count = options.editCount ?? 1; ; count++) {
    const location = findLocation(editedLines, { ...options, editCount: count });
    if (!location || visitedLines.length > 1_000) return { lines: editedLines, visitedLines };
    const text = editedLines[location.line] ?? '';
    editedLines[location.line] =
      text.slice(0, location.start) + location.text + text.slice(location.end);
    visitedLines.push(location.line);
  }
}

test('findNextLocation finds the remaining uses of a renamed variable after the edit, then from the start of the document', () => {
  const lines = ['log(total);', 'let sum = 0;', 'sum2 = total + subtotal;', 'return total;'];
  expect(findLocation(lines, { lineBeforeEdit: 'let total = 0;', line: 1 })).toEqual({
    line: 2,
    start: 7,
    end: 12,
    text: 'sum',
  });
  expect(applyAllEdits(lines, { lineBeforeEdit: 'let total = 0;', line: 1 })).toEqual({
    lines: ['log(sum);', 'let sum = 0;', 'sum2 = sum + subtotal;', 'return sum;'],
    visitedLines: [2, 3, 0],
  });
});

test('findNextLocation finds both uses on one line, in order', () => {
  const { lines } = applyAllEdits(['let sum = 0;', 'x(total, total);'], {
    lineBeforeEdit: 'let total = 0;',
  });
  expect(lines).toEqual(['let sum = 0;', 'x(sum, sum);']);
});

test.each<[string, readonly string[], SearchOptions]>([
  [
    'the new name is in use',
    ['a = sum;', 'sum = 1', 'b = total;'],
    { lineBeforeEdit: 'a = total;' },
  ],
  ['it was made once', ['load(a, b);', 'load(c);'], { lineBeforeEdit: 'load(a);' }],
  [
    'the user rejected the line',
    ['let sum;', 'total'],
    { lineBeforeEdit: 'let total;', rejectedLines: [1] },
  ],
  ['the name is part of a word', ['let sum;', 'subtotal totals'], { lineBeforeEdit: 'let total;' }],
  ['the name is in a comment', ['let sum;', '// total'], { lineBeforeEdit: 'let total;' }],
  [
    'the name is in a string',
    ['let sum;', 'f("total", `a\ntotal`)'],
    { lineBeforeEdit: 'let total;' },
  ],
  ['the name is a member', ['let sum;', 'this.total'], { lineBeforeEdit: 'let total;' }],
  ['the name is a variable', ['this.sum = 1;', 'total'], { lineBeforeEdit: 'this.total = 1;' }],
  ['it was in a comment once', ['// sum', '// total'], { lineBeforeEdit: '// total' }],
  [
    'it was in prose once',
    ['A sum.', 'A total.'],
    { lineBeforeEdit: 'A total.', languageId: 'markdown' },
  ],
  ['the line is long', ['let sum;', `total${' '.repeat(600)}`], { lineBeforeEdit: 'let total;' }],
])('findNextLocation does not find a location for an edit if %s', (_, lines, options) => {
  expect(findLocation(lines, options)).toBeUndefined();
});

test.each<[string, readonly string[], SearchOptions, number]>([
  [
    'an argument added twice',
    ['load(a, b);', 'load(c);'],
    { lineBeforeEdit: 'load(a);', editCount: 2 },
    6,
  ],
  [
    'a comment',
    ['// See sum.', '// A total.'],
    { lineBeforeEdit: '// See total.', editCount: 2 },
    5,
  ],
  ['an expression in a string', ['let sum;', 'f(`${total}`)'], { lineBeforeEdit: 'let total;' }, 5],
  [
    'an expression in a Python string',
    ['sum = 1', 'print(f"{total}")'],
    { lineBeforeEdit: 'total = 1', languageId: 'python' },
    9,
  ],
  ['a spread', ['let sum;', 'f(...total)'], { lineBeforeEdit: 'let total;' }, 5],
  ['a member', ['this.sum = 1;', 'return this.total;'], { lineBeforeEdit: 'this.total = 1;' }, 12],
])('findNextLocation finds a location for an edit of %s', (_, lines, options, start) => {
  const location = findLocation(lines, options);
  expect([location?.line, location?.start]).toEqual([1, start]);
});

test('findNextLocation does not search documents that exceed the size limits', () => {
  const manyLines = ['let sum;', ...Array.from({ length: searchLimits.lines }, () => 'total')];
  expect(findLocation(manyLines, { lineBeforeEdit: 'let total;' })).toBeUndefined();
  const longLines = [
    'let sum;',
    'total',
    ...Array.from({ length: 3_000 }, () => 'a'.repeat(1_000)),
  ];
  expect(findLocation(longLines, { lineBeforeEdit: 'let total;' })).toBeUndefined();
});

test.each([
  ['a long document', Array.from({ length: 5_000 }, () => 'a')],
  ['long lines', Array.from({ length: 1_000 }, () => `use(${'a'.repeat(480)});`)],
  ['one very long line', ['a'.repeat(500_000)]],
])('findNextLocation pauses after about 50,000 characters in %s', (_, lines) => {
  const pattern = deriveEditPattern('let total;', 'let sum;');
  if (!pattern) throw new Error('There is no pattern.');
  const edit = { pattern, line: 0, character: 4, useCount: 1, isRejected: () => false };
  const document = createDocument(['let sum;', ...lines, 'total']);
  let readCount = 0;
  const lineAt = (line: number): string => {
    const text = document.lineAt(line);
    // Long lines are only scanned, character by character.
    readCount += text.length > 50_000 ? 0 : 100 + text.length;
    return text;
  };
  const readCounts: number[] = [];
  for (const _step of findNextLocation(edit, { ...document, lineAt })) {
    readCounts.push(readCount);
    readCount = 0;
  }
  expect(Math.max(...readCounts)).toBeLessThan(51_000);
  expect(readCounts.length).toBeGreaterThanOrEqual(10);
});

const codeTokens = [
  'total',
  'sum1',
  'subtotal',
  'totals',
  '"total"',
  '// total',
  '.',
  ' ',
  '(',
  '\n',
];

test('findNextLocation finds only whole words in code, so that applying the edit there is the same as renaming the word', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...codeTokens), { maxLength: 40 }), (parts) => {
      const source = parts.join(' ');
      const lines = ['let sum;', ...source.split('\n')];
      const { lines: editedLines } = applyAllEdits(lines, { lineBeforeEdit: 'let total;' });
      expect(editedLines).toEqual([
        'let sum;',
        ...source.split('\n').map((line) => renameInCode(line, 'total', 'sum')),
      ]);
    }),
  );
});

/** Renames the variable `name` in a line. Leaves strings, comments and property names unchanged. */
const renameInCode = (line: string, name: string, newName: string): string =>
  line.replaceAll(/\/\/.*|"[^"]*"?|\.?\w+/gu, (token) => (token === name ? newName : token));
