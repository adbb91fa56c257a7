import { describe, expect, test } from 'vitest';
import { fc } from '../../../test/support/property.ts';
import { ToolError } from '../../workspace/tool-error.ts';
import { applyEdits } from './find-exact.ts';
import type { TextEdit } from './hunk.ts';
import {
  type CellChange,
  createIdSource,
  createCellListEdit,
  createSourceEdit,
  hasNewType,
  planCells,
} from './notebook-edits.ts';
import {
  type CellJson,
  type NotebookStyle,
  notebookStyles,
  createSampleCells,
  toCell,
  toSource,
  writeNotebook,
} from './notebook.fixture.ts';
import { findCell, haveSameCells, type Notebook, parseNotebook } from './notebook.ts';

function parseJson(json: string): Notebook {
  const notebook = parseNotebook(json);
  if ('problem' in notebook) throw new Error(notebook.problem);
  return notebook;
}

const joinSource = (source: unknown): string =>
  Array.isArray(source) ? source.join('') : String(source);

function editSource(json: string, index: number, source: string): { text: string; edit: TextEdit } {
  const notebook = parseJson(json);
  const span = notebook.cells[index]?.sourceSpan;
  if (span === undefined) throw new Error('The cell has no source.');
  const edit = createSourceEdit(notebook, span, source);
  expect(edit.start).toBeGreaterThanOrEqual(span.start);
  expect(edit.end).toBeLessThanOrEqual(span.end);
  return { text: applyEdits(json, [edit]), edit };
}

function applyChanges(json: string, changes: readonly CellChange[]): string {
  const notebook = parseJson(json);
  const ids = ['new1', 'new2', 'new3'];
  const edit = createCellListEdit(
    notebook,
    planCells(notebook.cells, changes, 'n.ipynb'),
    () => ids.shift() ?? '',
  );
  return applyEdits(json, [edit]);
}

const createInsertion = (
  cell: string | undefined,
  type: 'code' | 'markdown' | 'raw',
  source: string,
  isBefore = false,
): CellChange => ({ action: 'insert', cell, isBefore, type, source });

const lineArbitrary = fc.oneof(
  fc.constantFrom('', 'x = 1', '\tif "a\\n" in b:', '# größer 🌊', '"]}', '\\u00e9', '  ]'),
  fc.string({ unit: 'grapheme', maxLength: 12 }).filter((text) => !/[\r\n]/u.test(text)),
);
const sourceTextArbitrary = fc
  .tuple(fc.array(lineArbitrary, { maxLength: 8 }), fc.boolean())
  .map(([lines, isFinal]) => lines.join('\n') + (isFinal && lines.length > 0 ? '\n' : ''));

describe.each(notebookStyles)('a notebook in the format "$name"', (style: NotebookStyle) => {
  const cells = createSampleCells(style);
  const json = writeNotebook(style, cells);
  const getId = (index: number): string =>
    style.minorVersion >= 5 ? String(cells[index]?.['id']) : `#${index + 1}`;

  test('is parsed into ordered cells with ids, types, languages and sources', () => {
    expect(
      parseJson(json).cells.map((cell) => [cell.id, cell.type, cell.language, cell.source]),
    ).toEqual(
      cells.map((cell, index) => [
        getId(index),
        cell['cell_type'],
        cell['cell_type'] === 'code' ? 'python' : undefined,
        joinSource(cell['source']),
      ]),
    );
  });

  test('is parsed into cells that contain the text of outputs, but no images', () => {
    const [, codeCell] = parseJson(json).cells;
    expect(codeCell?.outputs).toEqual([
      '3.14\n{"a": [1, "]"]}\\',
      '<Figure>\n(an image, image/png)',
    ]);
  });

  test('has the same bytes as a newly written notebook after one source is edited', () => {
    fc.assert(
      fc.property(sourceTextArbitrary, fc.nat(cells.length - 1), (source, index) => {
        const changedCells = cells.with(index, {
          ...cells[index],
          source: toSource(source, style),
        });
        const { text } = editSource(json, index, source);
        expect(text).toBe(writeNotebook(style, changedCells));
      }),
      { numRuns: 40 },
    );
  });

  test('has the same bytes as a newly written notebook after cells are inserted, deleted and retyped', () => {
    const text = applyChanges(json, [
      createInsertion(getId(0), 'code', 'a = "é"\nb'),
      createInsertion(getId(0), 'markdown', ''),
      { action: 'delete', cell: getId(2) },
      createInsertion(undefined, 'raw', 'end\n'),
      { action: 'retype', cell: getId(3), type: 'markdown' },
    ]);
    const { execution_count: _, outputs: __, ...retypedCell } = cells[3] ?? {};
    const createCellJson = (type: string, source: string, newId: string): CellJson =>
      toCell(style, { type, source, id: newId });
    expect(text).toBe(
      writeNotebook(style, [
        cells[0] ?? {},
        createCellJson('code', 'a = "é"\nb', 'new1'),
        createCellJson('markdown', '', 'new2'),
        cells[1] ?? {},
        { ...retypedCell, cell_type: 'markdown' },
        createCellJson('raw', 'end\n', 'new3'),
      ]),
    );
  });

  test('has the same bytes as a newly written notebook after an insertion at the start and after all cells are deleted', () => {
    expect(applyChanges(json, [createInsertion(getId(0), 'raw', 'top', true)])).toBe(
      writeNotebook(style, [toCell(style, { type: 'raw', source: 'top', id: 'new1' }), ...cells]),
    );
    const deletions = cells.map((_, index): CellChange => ({
      action: 'delete',
      cell: getId(index),
    }));
    const emptyNotebook = applyChanges(json, deletions);
    expect(emptyNotebook).toBe(writeNotebook(style, []));
    const filledNotebook = JSON.parse(
      applyChanges(emptyNotebook, [createInsertion(undefined, 'code', 'x\ny')]),
    );
    expect(joinSource(filledNotebook.cells[0].source)).toBe('x\ny');
  });

  test('adds `execution_count` and `outputs`, and removes `attachments`, when a cell becomes a code cell', () => {
    const { cells: changedCells } = JSON.parse(
      applyChanges(json, [{ action: 'retype', cell: getId(0), type: 'code' }]),
    );
    expect(changedCells[0]).toMatchObject({
      cell_type: 'code',
      execution_count: null,
      outputs: [],
    });
    expect(changedCells[0]).not.toHaveProperty('attachments');
    expect(changedCells.slice(1)).toEqual(JSON.parse(json).cells.slice(1));
  });
});

test('an edit of a cell source keeps the bytes of unchanged lines, regardless of their JSON formatting', () => {
  const json =
    '{"nbformat":4,"nbformat_minor":4,"x":1.0,"cells" : [ {"source" : ["\\u0061\\/\\n",\n "b\\n" , "c"], "cell_type":"code"} ]}';
  expect(editSource(json, 0, 'a/\nB\nc').text).toBe(json.replace('"b\\n"', '"B\\n"'));
  expect(editSource(json, 0, 'a/\nb\n').text).toBe(json.replace(' , "c"', ''));
});

test('parseNotebook reads a notebook with a byte order mark, and a source list whose items are not complete lines', () => {
  const json = '\uFEFF{"nbformat":4,"cells":[{"cell_type":"raw","source":["a","b\\nc\\n","d"]}]}';
  expect(parseJson(json).cells[0]?.source).toBe('ab\nc\nd');
  const changedText = editSource(json, 0, 'ab\nC\nd').text;
  expect(joinSource(JSON.parse(changedText.slice(1)).cells[0].source)).toBe('ab\nC\nd');
});

test('parseNotebook uses the last of several JSON members with the same name, as JSON.parse does', () => {
  const json = '{"cells":[],"cells":[{"source":"a","source":"b","cell_type":"raw"}]}';
  expect(JSON.parse(editSource(json, 0, 'c').text).cells[0].source).toBe('c');
});

test('an edit of a one-line notebook writes new JSON with the same spacing', () => {
  const json =
    '{"cells": [{"cell_type": "raw", "metadata": {}, "source": ["a"]}], "nbformat": 4, "nbformat_minor": 4}';
  expect(editSource(json, 0, 'a\nb').text).toBe(json.replace('["a"]', '["a\\n", "b"]'));
  expect(applyChanges(json, [createInsertion(undefined, 'raw', 'x')])).toBe(
    json.replace('}], ', '}, {"cell_type": "raw", "metadata": {}, "source": ["x"]}], '),
  );
});

test('an edit of a notebook with 20 MB of outputs replaces only the changed text', () => {
  const style = notebookStyles[0]!;
  const data = { 'image/png': `${'iVBOR'.repeat(3_800_000)}${'\\"'.repeat(250_000)}` };
  const cells = createSampleCells(style).map((cell) => ({ ...cell, outputs: [{ data }] }));
  const json = writeNotebook(style, cells.slice(0, 1));
  const { edit } = editSource(json, 0, '# Gezeiten\n');
  expect(edit.text.length + edit.end - edit.start).toBeLessThan(100);
});

test.each([
  ['', 'not valid JSON'],
  ['{"cells":[}', 'not valid JSON'],
  ['[]', 'no list of cells'],
  ['{"cells":1}', 'no list of cells'],
  ['{"nbformat":3,"worksheets":[]}', 'no list of cells'],
  ['{"nbformat":5,"cells":[]}', 'version is 5'],
  ['{"nbformat":4,"cells":[{},null]}', 'cell 2 is not an object'],
])('parseNotebook returns the reason why %j is not a notebook', (json, reason) => {
  expect(parseNotebook(json)).toEqual({ problem: expect.stringContaining(reason) });
});

test('parseNotebook reads malformed cells as cells with an empty source and only the valid outputs', () => {
  const json =
    '{"cells":[{},{"cell_type":7,"source":{"x":1},"outputs":[null,{"data":[]},{"output_type":"stream","text":[1,"a"]}]},{"source":[1]}]}';
  expect(parseJson(json).cells).toMatchObject([
    { id: '#1', type: 'unknown', source: '', outputs: [], sourceSpan: undefined },
    { id: '#2', type: 'unknown', source: '', outputs: ['', 'a'], sourceSpan: undefined },
    { id: '#3', type: 'unknown', source: '', outputs: [], sourceSpan: undefined },
  ]);
});

test('parseNotebook uses a number as the id of a cell without a valid, unique id', () => {
  const cells = ['a', 'a', 'b c', 7, undefined, 'ok'].map((id) => ({ id, source: '' }));
  const { cells: parsedCells } = parseJson(
    JSON.stringify({ nbformat: 4, nbformat_minor: 5, cells }),
  );
  expect(parsedCells.map(({ id }) => id)).toEqual(['#1', '#2', '#3', '#4', '#5', 'ok']);
});

test('findCell finds a cell by id first, then by number', () => {
  const cells = ['x', 'cell-1', '2'].map((id) => ({ id, source: '' }));
  const cellsWithIds = parseJson(JSON.stringify({ nbformat: 4, nbformat_minor: 5, cells })).cells;
  const cellsWithoutIds = parseJson(
    JSON.stringify({ nbformat: 4, nbformat_minor: 4, cells }),
  ).cells;
  const findCellIndex = (notebookCells: typeof cellsWithIds, id: string): number =>
    notebookCells.indexOf(findCell(notebookCells, id, 'n.ipynb'));
  expect(
    ['x', 'cell-1', '2', '#2', '#cell-3'].map((id) => findCellIndex(cellsWithIds, id)),
  ).toEqual([0, 1, 2, 1, 2]);
  expect(['#1', '1', 'cell-3'].map((id) => findCellIndex(cellsWithoutIds, id))).toEqual([0, 0, 2]);
  // A number can be the id of a deleted cell.
  for (const id of ['1', '0', 'y', '', '#0', '#4', '__proto__'])
    expect(() => findCell(cellsWithIds, id, 'n.ipynb'), id).toThrow(ToolError);
});

test('planCells rejects contradictory changes', () => {
  const { cells } = parseJson(
    writeNotebook(notebookStyles[0]!, createSampleCells(notebookStyles[0]!)),
  );
  const plan = (...changes: CellChange[]) => planCells(cells, changes, 'n.ipynb');
  const deletion: CellChange = { action: 'delete', cell: 'area' };
  expect(() => plan(deletion, deletion)).toThrow('An earlier change deletes cell area.');
  expect(() => plan(deletion, { ...deletion, action: 'retype', type: 'raw' })).toThrow(ToolError);
  expect(() => plan({ action: 'retype', cell: 'area', type: 'code' })).toThrow('is a code cell');
  expect(() => plan(createInsertion('none', 'raw', ''))).toThrow('no cell "none"');
  const plannedCells = plan(deletion, createInsertion('area', 'raw', 'new'));
  expect(plannedCells.map(({ source }) => source)[1]).toBe('new');
});

test('hasNewType returns true for inserted cells and cells with a changed type, because all of their errors are new', () => {
  const { cells } = parseJson(
    writeNotebook(notebookStyles[0]!, createSampleCells(notebookStyles[0]!)),
  );
  const change: CellChange = { action: 'retype', cell: 'area', type: 'raw' };
  const plannedCells = planCells(
    cells,
    [change, createInsertion('area', 'code', 'new')],
    'n.ipynb',
  );
  expect(plannedCells.filter(hasNewType)).toMatchObject([
    { type: 'raw', before: { id: 'area', type: 'code' } },
    { type: 'code', source: 'new' },
  ]);
});

test('createIdSource creates ids that no existing cell uses', () => {
  const uuids = ['aaaaaaaa-1', 'bbbbbbbb-1', 'bbbbbbbb-2', 'cccccccc-1'];
  const createId = createIdSource(
    [{ id: 'aaaaaaaa', type: 'raw', source: '', outputs: [] }],
    () => uuids.shift() ?? '',
  );
  expect([createId(), createId()]).toEqual(['bbbbbbbb', 'cccccccc']);
});

test('planCells inserts only one of two adjacent equal cells', () => {
  const { cells } = parseJson(
    writeNotebook(notebookStyles[0]!, createSampleCells(notebookStyles[0]!)),
  );
  const [firstId, secondId, thirdId] = cells.map(({ id }) => id);
  const plan = (...changes: CellChange[]): string[] =>
    planCells(cells.slice(0, 3), changes, 'n.ipynb').map(
      ({ before, source }) => before?.id ?? source,
    );
  const insertion = createInsertion(firstId, 'code', 'new');
  expect(plan(insertion, insertion, createInsertion(secondId, 'code', 'new', true))).toEqual([
    firstId,
    'new',
    secondId,
    thirdId,
  ]);
  const remove: CellChange = { action: 'delete', cell: secondId ?? '' };
  expect(plan(insertion, remove, createInsertion(thirdId, 'code', 'new', true))).toEqual([
    firstId,
    'new',
    thirdId,
  ]);
  expect(plan(insertion, createInsertion(firstId, 'raw', 'new')).length).toBe(5);
  expect(plan(insertion, createInsertion(secondId, 'code', 'new')).length).toBe(5);
  const insertionAtEnd = createInsertion(undefined, 'code', 'new');
  expect(plan(insertionAtEnd, insertionAtEnd).length).toBe(4);
  const otherInsertion = createInsertion(undefined, 'code', 'other');
  expect(plan(insertionAtEnd, otherInsertion, insertionAtEnd).slice(3)).toEqual([
    'new',
    'other',
    'new',
  ]);
  expect(plan(insertion, createInsertion(firstId, 'code', 'other'), insertion).length).toBe(6);
});

describe('haveSameCells', () => {
  const cell = {
    cell_type: 'code',
    id: 'a',
    metadata: { tags: ['x'], vscode: { languageId: 'r' } },
    attachments: { 'a.png': { 'image/png': 'AA' } },
    execution_count: 1,
    outputs: [{ output_type: 'display_data', data: { 'text/html': '<b>1</b>' }, metadata: {} }],
    source: ['a\n', 'b'],
  };
  const hasSameCells = (change: object): boolean =>
    haveSameCells(
      parseJson(JSON.stringify({ cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 5 })),
      parseJson(
        JSON.stringify({
          cells: [{ ...cell, ...change }],
          metadata: { a: 1 },
          nbformat: 4,
          nbformat_minor: 5,
        }),
      ),
    );

  test.each([
    ['ids', { id: 'b' }],
    ['metadata', { metadata: { ...cell.metadata, tags: [] } }],
    ['the notation of the source', { source: 'a\nb' }],
  ])('returns true if cells differ only in %s', (_, change) => {
    expect(hasSameCells(change)).toBe(true);
  });

  test.each([
    ['source', { source: 'a\nc' }],
    ['type', { cell_type: 'raw' }],
    ['language', { metadata: { vscode: { languageId: 'sql' } } }],
    ['attachment', { attachments: { 'a.png': { 'image/png': 'BB' } } }],
    ['execution count', { execution_count: 2 }],
    ['output', { outputs: [{ ...cell.outputs[0], data: { 'text/html': '<script>' } }] }],
    ['list of outputs', { outputs: undefined }],
  ])('returns false if a cell has a different %s', (_, change) => {
    expect(hasSameCells(change)).toBe(false);
  });
});
