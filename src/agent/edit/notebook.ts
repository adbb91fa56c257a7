import {
  detectLayout,
  findMember,
  type JsonEntry,
  type JsonLayout,
  type JsonSpan,
  listEntries,
  findRootSpan,
} from './json-spans.ts';
import { asRecord, isRecord, type JsonRecord, parseJson } from '../../base/json.ts';
import { ToolError } from '../../workspace/tool-error.ts';

/** A notebook cell from an editor or a file. */
export interface NotebookCell {
  /** Id of the cell in the file; for a cell without a unique id, its number, such as `#3`. */
  readonly id: string;
  /** `code`, `markdown` or `raw`; any other text in an invalid notebook. */
  readonly type: string;
  /** Language of a code cell, if known. */
  readonly language?: string;
  readonly source: string;
  /** Text of each output; images are omitted. */
  readonly outputs: readonly string[];
}

/** A cell with its position in the file. */
export interface NotebookFileCell extends NotebookCell {
  readonly entry: JsonEntry;
  /**
   * Position of the value of `source` in the JSON text; undefined if the value is neither a string nor an array of
   * strings.
   */
  readonly sourceSpan: JsonSpan | undefined;
}

export interface Notebook {
  readonly json: string;
  readonly layout: JsonLayout;
  /** Position of the value of `cells` in the JSON text. */
  readonly cellsSpan: JsonSpan;
  readonly cells: readonly NotebookFileCell[];
  /** True if cells in the file have ids, as in version 4.5 or later. */
  readonly hasIds: boolean;
  /** Language of new code cells; undefined if the notebook names none. */
  readonly language: string | undefined;
}

/** Reason why a file cannot be read as a notebook. */
export interface InvalidNotebook {
  readonly problem: string;
}

/**
 * Parses a Jupyter notebook of version 4.
 * @param json Text of the file, with or without a byte order mark.
 */
export function parseNotebook(json: string): Notebook | InvalidNotebook {
  const value = parseJson(json.startsWith('\uFEFF') ? json.slice(1) : json);
  if (value === undefined) return { problem: 'it is not valid JSON' };
  if (!isRecord(value) || !Array.isArray(value['cells']))
    return { problem: 'it has no list of cells, as notebooks of version 4 have' };
  const { nbformat, nbformat_minor: minorVersion, metadata, cells } = value;
  if (typeof nbformat === 'number' && nbformat !== 4)
    return { problem: `its format version is ${nbformat} instead of 4` };
  const invalidIndex = cells.findIndex((cell) => !isRecord(cell));
  if (invalidIndex >= 0) return { problem: `its cell ${invalidIndex + 1} is not an object` };
  const cellsSpan =
    findMember(listEntries(json, findRootSpan(json)), 'cells')?.value ?? findRootSpan(json);
  const hasIds = nbformat === 4 && typeof minorVersion === 'number' && minorVersion >= 5;
  const ids = createCellIds(cells.map((cell) => (hasIds ? asRecord(cell)['id'] : undefined)));
  const language = findLanguage(metadata);
  return {
    json,
    layout: detectLayout(json),
    cellsSpan,
    cells: listEntries(json, cellsSpan).map((entry, index) =>
      readCell(json, { cell: asRecord(cells[index]), entry, id: ids[index] ?? '', language }),
    ),
    hasIds,
    language,
  };
}

/**
 * Checks whether two versions of a notebook have the same cells. Ids and metadata of cells can differ, but not the
 * language that VS Code stores in the metadata.
 */
export const haveSameCells = (before: Notebook, after: Notebook): boolean =>
  JSON.stringify(readCellContents(before)) === JSON.stringify(readCellContents(after));

const readCellContents = ({ json, cells }: Notebook): readonly unknown[] =>
  cells.map(({ entry, source }) => {
    const {
      id: _,
      metadata,
      ...cell
    } = asRecord(parseJson(json.slice(entry.value.start, entry.value.end)));
    return { ...cell, source, language: findCellLanguage(metadata) };
  });

/** Returns an id for each cell. The id of a cell without a unique id is its number, such as `#3`. */
export function createCellIds(ids: readonly unknown[]): readonly string[] {
  const counts = new Map<unknown, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return ids.map((id, index) =>
    typeof id === 'string' && /^[\w-]+$/u.test(id) && counts.get(id) === 1 ? id : `#${index + 1}`,
  );
}

function readCell(
  json: string,
  {
    cell,
    entry,
    id,
    language,
  }: {
    readonly cell: JsonRecord;
    readonly entry: JsonEntry;
    readonly id: string;
    readonly language: string | undefined;
  },
): NotebookFileCell {
  const { cell_type: type, source, outputs, metadata } = cell;
  const isText =
    typeof source === 'string' ||
    (Array.isArray(source) && source.every((line) => typeof line === 'string'));
  const members = isText ? listEntries(json, entry.value) : [];
  const cellLanguage = type === 'code' ? (findCellLanguage(metadata) ?? language) : undefined;
  return {
    id,
    type: typeof type === 'string' ? type : 'unknown',
    ...(cellLanguage !== undefined && { language: cellLanguage }),
    source: joinText(source),
    outputs: Array.isArray(outputs) ? outputs.filter(isRecord).map(formatOutput) : [],
    entry,
    sourceSpan: findMember(members, 'source')?.value,
  };
}

function findLanguage(metadata: unknown): string | undefined {
  if (!isRecord(metadata)) return undefined;
  const { language_info: languageInfo, kernelspec } = metadata;
  if (isRecord(languageInfo) && typeof languageInfo['name'] === 'string')
    return languageInfo['name'];
  if (isRecord(kernelspec) && typeof kernelspec['language'] === 'string')
    return kernelspec['language'];
  return undefined;
}

/**
 * Returns the language that VS Code stores for a cell whose language differs from the notebook's; undefined for other
 * cells.
 */
function findCellLanguage(metadata: unknown): string | undefined {
  const vscodeMetadata = isRecord(metadata) ? metadata['vscode'] : undefined;
  const language = isRecord(vscodeMetadata) ? vscodeMetadata['languageId'] : undefined;
  return typeof language === 'string' ? language : undefined;
}

function formatOutput(output: JsonRecord): string {
  if (output['output_type'] === 'stream') return joinText(output['text']);
  if (output['output_type'] === 'error') {
    const traceback = joinText(output['traceback'], '\n');
    return traceback === ''
      ? `${joinText(output['ename'])}: ${joinText(output['evalue'])}`
      : traceback;
  }
  const data = isRecord(output['data']) ? output['data'] : {};
  return describeOutput(joinText(data['text/plain']), Object.keys(data));
}

/**
 * Describes a cell output for a model.
 * @param text Text of the output; empty if it has none.
 * @param types MIME types of the output.
 */
export function describeOutput(text: string, types: readonly string[]): string {
  const imageTypes = types.filter((type) => type.startsWith('image/'));
  const otherTypes = text === '' && imageTypes.length === 0 ? types : [];
  const descriptions = [
    ...imageTypes.map((type) => `(an image, ${type})`),
    ...otherTypes.map((type) => `(an output, ${type})`),
  ];
  return [text, ...descriptions].filter((line) => line !== '').join('\n');
}

/** Returns a text that a notebook stores as a string or as a list of lines; empty for other values. */
function joinText(value: unknown, separator = ''): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return '';
  return value.filter((line): line is string => typeof line === 'string').join(separator);
}

/**
 * Finds a cell by its id, or by its number in the form `#3` or `cell-3`.
 * @throws ToolError `not-found` if no cell has the id or number
 */
export function findCell<T extends NotebookCell>(
  cells: readonly T[],
  id: string,
  label: string,
): T {
  const foundCell = cells.find((cell) => cell.id === id) ?? cells[parseCellIndex(cells, id)];
  if (foundCell !== undefined) return foundCell;
  throw new ToolError(
    'not-found',
    `${label} was not changed. It has no cell ${JSON.stringify(id.slice(0, 100))}: read it for the ids of its cells.`,
  );
}

/**
 * Returns the index of a cell for an id such as `#3` or `cell-3`. Accepts a bare number only in notebooks without cell
 * ids, because the number could be the id of a deleted cell.
 */
function parseCellIndex(cells: readonly NotebookCell[], id: string): number {
  const [, prefix, cellNumber] = /^(#|#?cell-)?(\d{1,9})$/u.exec(id) ?? [];
  const isNumber = prefix !== undefined || cells.every((cell) => cell.id.startsWith('#'));
  return isNumber ? Number(cellNumber ?? 0) - 1 : -1;
}
