import { isRecord, parseJson } from '../../base/json.ts';

/** Numbered lines of a text for a model. */
export interface TextWindow {
  /** `12<tab>text`, one line each. */
  readonly text: string;
  /** 1-based and inclusive; `last` is one less than `first` for an empty window. */
  readonly first: number;
  readonly last: number;
}

export const windowLimits = { lines: 2_000, characters: 50_000, lineLength: 2_000 } as const;

/**
 * Numbers lines from `first` on, as many as the limits allow. Cuts longer lines with a note.
 * @param lines Lines to show; the first one has the number `first`.
 */
export function numberLines(lines: Iterable<string>, first: number): TextWindow {
  const numbered: string[] = [];
  let characters = 0;
  for (const line of lines) {
    const text = `${first + numbered.length}\t${truncateLine(line, windowLimits.lineLength)}`;
    characters += text.length + 1;
    const isFull = numbered.length >= windowLimits.lines || characters > windowLimits.characters;
    if (isFull && numbered.length > 0) break;
    numbered.push(text);
  }
  return { text: numbered.join('\n'), first, last: first + numbered.length - 1 };
}

/**
 * Returns a note about the lines after a window, for the model; empty when there are none. `total`
 * is undefined when it was not counted.
 */
export function continuationNote({ last }: TextWindow, total: number | undefined): string {
  if (total !== undefined && last >= total) return '';
  const more = total === undefined ? 'More' : `${(total - last).toLocaleString('en-US')} more`;
  return `[${more} lines: go on with start_line ${last + 1}.]`;
}

/** Returns the beginning of a line that is too long, with the number of omitted characters. */
export function truncateLine(line: string, limit: number): string {
  if (line.length <= limit) return line;
  const start = line.slice(0, limit).replace(/[\uD800-\uDBFF]$/u, '');
  return `${start} [… ${(line.length - start.length).toLocaleString('en-US')} more characters]`;
}

/** A notebook cell, from an editor or a file. */
export interface NotebookCellText {
  /** Such as `code, python` or `markdown`. */
  readonly kind: string;
  readonly source: string;
  /** Text of each output. */
  readonly outputs: readonly string[];
}

const maxOutputLength = 5_000;

/** Formats cells with their numbers, from 1, and the text of their outputs. */
export function notebookLines(cells: readonly NotebookCellText[]): string[] {
  return cells.flatMap(({ kind, source, outputs }, index) => [
    `[cell ${index + 1}: ${kind}]`,
    ...splitLines(source),
    ...outputs.flatMap((output) => [
      '[output]',
      ...splitLines(truncateLine(output, maxOutputLength)),
    ]),
    '',
  ]);
}

/** Reads the cells of a Jupyter notebook, version 4; undefined for other formats. */
export function readNotebook(json: string): readonly NotebookCellText[] | undefined {
  const notebook = parseJson(json);
  if (!isRecord(notebook) || !Array.isArray(notebook['cells'])) return undefined;
  const language = languageOf(notebook['metadata']);
  return notebook['cells'].filter(isRecord).map((cell) => {
    const type = typeof cell['cell_type'] === 'string' ? cell['cell_type'] : 'unknown';
    const outputs = Array.isArray(cell['outputs']) ? cell['outputs'] : [];
    return {
      kind: type === 'code' && language !== undefined ? `code, ${language}` : type,
      source: joinText(cell['source']),
      outputs: outputs.filter(isRecord).map(outputText),
    };
  });
}

function languageOf(metadata: unknown): string | undefined {
  if (!isRecord(metadata)) return undefined;
  const { language_info: info, kernelspec } = metadata;
  if (isRecord(info) && typeof info['name'] === 'string') return info['name'];
  if (isRecord(kernelspec) && typeof kernelspec['language'] === 'string')
    return kernelspec['language'];
  return undefined;
}

function outputText(output: Readonly<Record<string, unknown>>): string {
  if (output['output_type'] === 'stream') return joinText(output['text']);
  if (output['output_type'] === 'error') {
    const trace = joinText(output['traceback'], '\n');
    return trace === '' ? `${joinText(output['ename'])}: ${joinText(output['evalue'])}` : trace;
  }
  const data = isRecord(output['data']) ? output['data'] : {};
  const plain = joinText(data['text/plain']);
  const imageTypes = Object.keys(data).filter((type) => type.startsWith('image/'));
  return [plain, ...imageTypes.map((type) => `(a picture, ${type})`)]
    .filter((text) => text !== '')
    .join('\n');
}

/** Joins a multi-line string, which notebooks store as one string or as a list of lines. */
function joinText(value: unknown, separator = ''): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return '';
  return value.filter((line): line is string => typeof line === 'string').join(separator);
}

const splitLines = (text: string): string[] =>
  text.split(/\r\n|\r|\n/u).map((line) => truncateLine(line, windowLimits.lineLength));

/** Maximum distance from the line given by the model, because models count lines badly. */
const maxLineDistance = 3;

/**
 * Finds a symbol in the line or as near to it as possible, preferring whole words. For `a.b.c`, the
 * last name is meant.
 * @param line 1-based, as in the result; the result's column is 0-based.
 */
export function symbolPosition(
  lines: readonly string[],
  line: number,
  symbol: string,
): { readonly line: number; readonly column: number } | undefined {
  for (const findColumn of [wordColumn, anyColumn]) {
    for (let distance = 0; distance <= maxLineDistance; distance++) {
      for (const candidate of distance === 0 ? [line] : [line - distance, line + distance]) {
        const column = findColumn(lines[candidate - 1] ?? '', symbol);
        if (column >= 0) return { line: candidate, column: column + lastNameOffset(symbol) };
      }
    }
  }
  return undefined;
}

const anyColumn = (text: string, symbol: string): number => text.indexOf(symbol);

function wordColumn(text: string, symbol: string): number {
  for (let column = text.indexOf(symbol); column >= 0; column = text.indexOf(symbol, column + 1)) {
    const [before, after] = [text.charAt(column - 1), text.charAt(column + symbol.length)];
    if (!isNamePart(before) && !isNamePart(after)) return column;
  }
  return -1;
}

const isNamePart = (character: string): boolean => /[\p{L}\p{N}_$]/u.test(character);

/** Returns the offset of the last name of a chain. */
function lastNameOffset(symbol: string): number {
  const tail = /[\p{L}\p{N}_$#]+[^\p{L}\p{N}_$]*$/u.exec(symbol);
  return tail?.index ?? 0;
}
