import {
  findMember,
  formatJson,
  type JsonEntry,
  type JsonSpan,
  getLineIndent,
  listEntries,
  rebuildList,
} from './json-spans.ts';
import type { TextEdit } from './hunk.ts';
import { trimCommonEnds } from './find-exact.ts';
import { findCell, type Notebook, type NotebookCell, type NotebookFileCell } from './notebook.ts';
import { diffLines } from '../../base/line-diff.ts';
import { ToolError } from '../../workspace/tool-error.ts';

export const cellTypes = ['code', 'markdown', 'raw'] as const;
export type CellType = (typeof cellTypes)[number];

/** A change, requested by a model, to the list of cells of a notebook. */
export type CellChange =
  | {
      readonly action: 'insert';
      /** Id of the cell next to which to insert the new cell; undefined to insert it at the end. */
      readonly cell: string | undefined;
      readonly isBefore: boolean;
      readonly type: CellType;
      readonly source: string;
    }
  | { readonly action: 'delete'; readonly cell: string }
  | { readonly action: 'retype'; readonly cell: string; readonly type: CellType };

/** A cell of the notebook after the changes. */
export interface PlannedCell<T extends NotebookCell = NotebookCell> {
  /** Cell before the changes; undefined for a new cell. */
  readonly before: T | undefined;
  readonly type: string;
  readonly source: string;
}

/** Checks whether a cell is new or changes its type. In such a cell, all errors are attributed to the change. */
export const hasNewType = ({ before, type }: PlannedCell): boolean => before?.type !== type;

/**
 * Applies changes to a list of cells. All ids refer to the list before the changes. Cells inserted at the same position
 * are in the order of the changes. If adjacent new cells are equal, only the first is inserted.
 * @throws ToolError for contradictory changes and unknown ids
 */
export function planCells<T extends NotebookCell>(
  cells: readonly T[],
  changes: readonly CellChange[],
  label: string,
): readonly PlannedCell<T>[] {
  const cellGroups = cells.map((cell) => ({
    cellsBefore: [] as PlannedCell<T>[],
    cell: { before: cell, type: cell.type, source: cell.source } as PlannedCell<T> | undefined,
    cellsAfter: [] as PlannedCell<T>[],
  }));
  const cellsAtEnd: PlannedCell<T>[] = [];
  for (const change of changes) {
    const cell = change.cell === undefined ? undefined : findCell(cells, change.cell, label);
    const cellGroup = cell && cellGroups[cells.indexOf(cell)];
    if (change.action === 'insert') {
      const newCell = { before: undefined, type: change.type, source: change.source };
      (cellGroup === undefined
        ? cellsAtEnd
        : change.isBefore
          ? cellGroup.cellsBefore
          : cellGroup.cellsAfter
      ).push(newCell);
    } else if (cellGroup !== undefined) {
      if (cellGroup.cell === undefined)
        throw createPlanError(label, `An earlier change deletes cell ${change.cell}.`);
      if (change.action === 'retype' && cellGroup.cell.type === change.type)
        throw createPlanError(label, `Cell ${change.cell} is a ${change.type} cell already.`);
      cellGroup.cell =
        change.action === 'delete' ? undefined : { ...cellGroup.cell, type: change.type };
    }
  }
  const plannedCells = cellGroups.flatMap(({ cellsBefore, cell, cellsAfter }) => [
    ...cellsBefore,
    ...(cell === undefined ? [] : [cell]),
    ...cellsAfter,
  ]);
  return removeRepeatedCells([...plannedCells, ...cellsAtEnd]);
}

/** Removes each new cell that equals the new cell directly before it. */
const removeRepeatedCells = <T extends NotebookCell>(
  plannedCells: readonly PlannedCell<T>[],
): readonly PlannedCell<T>[] =>
  plannedCells.filter(({ before, type, source }, index) => {
    const previousCell = plannedCells[index - 1];
    const isRepeated =
      before === undefined &&
      previousCell?.before === undefined &&
      previousCell?.type === type &&
      previousCell.source === source;
    return !isRepeated;
  });

const createPlanError = (label: string, reason: string): ToolError =>
  new ToolError('bad-arguments', `${label} was not changed. ${reason}`);

/**
 * Returns the edit of the notebook file that changes the source of a cell. Does not change the bytes of unchanged
 * lines.
 */
export function createSourceEdit(
  { json, layout }: Pick<Notebook, 'json' | 'layout'>,
  span: JsonSpan,
  source: string,
): TextEdit {
  const replacement =
    json[span.start] === '"'
      ? formatJson(source, layout, '')
      : rebuildSource({ json, layout }, span, source);
  return trimCommonEnds(json, { ...span, text: replacement });
}

function rebuildSource(
  { json, layout }: Pick<Notebook, 'json' | 'layout'>,
  span: JsonSpan,
  source: string,
): string {
  const entries = listEntries(json, span);
  const oldLines = entries.map(({ start, end }) => String(JSON.parse(json.slice(start, end))));
  const newLines = splitSource(source);
  const items: (JsonEntry | string)[] = [];
  let position = 0;
  for (const { from, to } of diffLines(oldLines, newLines)) {
    items.push(...entries.slice(position, from.start));
    items.push(...newLines.slice(to.start, to.end).map((line) => formatJson(line, layout, '')));
    position = from.end;
  }
  items.push(...entries.slice(position));
  return rebuildList(json, { ...span, entries, layout }, items);
}

/** Splits a source into lines with their line feeds, as notebooks store sources. */
const splitSource = (source: string): string[] => source.match(/[^\n]*\n|[^\n]+/gu) ?? [];

/**
 * Returns the edit of the file that changes the list of cells.
 * @param createId Creates the id of a new cell. Used only if the notebook's cells have ids.
 */
export function createCellListEdit(
  notebook: Notebook,
  plannedCells: readonly PlannedCell<NotebookFileCell>[],
  createId: () => string,
): TextEdit {
  const { json, layout, cellsSpan, cells } = notebook;
  const entries = cells.map(({ entry }) => entry);
  const items = plannedCells.map(({ before, type, source }) => {
    if (before === undefined) return formatNewCell(notebook, { type, source, id: createId() });
    return before.type === type ? before.entry : changeCellType(notebook, before, type);
  });
  const text = rebuildList(json, { ...cellsSpan, entries, layout }, items);
  return trimCommonEnds(json, { ...cellsSpan, text });
}

/** Formats a new cell as JSON, with sorted member names as in Jupyter. */
function formatNewCell(
  { json, layout, cellsSpan, cells, hasIds }: Notebook,
  { type, source, id }: { readonly type: string; readonly source: string; readonly id: string },
): string {
  const sourceSpan = cells.find((cell) => cell.sourceSpan !== undefined)?.sourceSpan;
  const isSourceString = sourceSpan !== undefined && json[sourceSpan.start] === '"';
  const cell = {
    cell_type: type,
    ...(type === 'code' && { execution_count: null }),
    ...(hasIds && { id }),
    metadata: {},
    ...(type === 'code' && { outputs: [] }),
    source: isSourceString ? source : splitSource(source),
  };
  const firstEntry = cells[0]?.entry;
  const indent =
    firstEntry === undefined
      ? getLineIndent(json, cellsSpan.start) + layout.unit
      : getLineIndent(json, firstEntry.start);
  return formatJson(cell, layout, indent);
}

/**
 * JSON members that the notebook format requires in code cells and forbids in other cells, with their default values.
 */
const codeMembers = new Map<string, unknown>([
  ['execution_count', null],
  ['outputs', []],
]);

function changeCellType(notebook: Notebook, cell: NotebookFileCell, type: string): string {
  const { json, layout } = notebook;
  const members = listEntries(json, cell.entry.value);
  const typeMember = findMember(members, 'cell_type');
  const formatMember = (name: string, value: unknown): string =>
    `${formatJson(name, layout, '')}${layout.colon}${formatJson(value, layout, '')}`;
  const items = members
    .filter(({ name = '' }) => (type === 'code' ? name !== 'attachments' : !codeMembers.has(name)))
    .filter((member) => member.name !== 'cell_type' || member === typeMember)
    .map((member) => (member === typeMember ? formatMember('cell_type', type) : member));
  if (typeMember === undefined) items.unshift(formatMember('cell_type', type));
  if (type === 'code') {
    for (const [name, value] of codeMembers)
      if (findMember(members, name) === undefined) items.push(formatMember(name, value));
  }
  return rebuildList(json, { ...cell.entry.value, entries: members, layout }, items);
}

/** Formats cells as text for a preview. A line with the id and the type precedes each source. */
export const formatPlan = (plannedCells: readonly PlannedCell[]): string =>
  plannedCells
    .map(({ before, type, source }) => `[cell ${before?.id ?? '(new)'}: ${type}]\n${source}\n`)
    .join('\n');

/**
 * Returns a function that creates unique cell ids of 8 hexadecimal digits.
 * @param createUuid Creates a random UUID.
 */
export function createIdSource(
  cells: readonly NotebookCell[],
  createUuid: () => string,
): () => string {
  const usedIds = new Set(cells.map(({ id }) => id));
  return () => {
    let id = '';
    do id = createUuid().slice(0, 8);
    while (usedIds.has(id));
    usedIds.add(id);
    return id;
  };
}
