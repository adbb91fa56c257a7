import { isRecord, parseJson } from '../../base/json.ts';

/** Lines of a text as the model gets them. */
export interface TextWindow {
  /** `12<tab>text`, one line each. */
  readonly text: string;
  /** 1-based and inclusive; `last` is one less than `first` for an empty window. */
  readonly first: number;
  readonly last: number;
}

export const windowLimits = { lines: 2_000, characters: 50_000, lineLength: 2_000 } as const;

/**
 * The lines from number `first` on, as many as the limits allow, with their numbers. A line that is longer than
 * the limit is cut, with a note.
 * @param lines Those to show, the first of which has the number `first`.
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

/** What follows a window, for the model; empty when nothing does. `total` is undefined when it was not counted. */
export function continuationNote({ last }: TextWindow, total: number | undefined): string {
  if (total !== undefined && last >= total) return '';
  const more = total === undefined ? 'More' : `${(total - last).toLocaleString('en-US')} more`;
  return `[${more} lines: go on with start_line ${last + 1}.]`;
}

/** The beginning of a line that is too long, and how much is missing. */
export function truncateLine(line: string, limit: number): string {
  if (line.length <= limit) return line;
  const start = line.slice(0, limit).replace(/[\uD800-\uDBFF]$/u, '');
  return `${start} [… ${(line.length - start.length).toLocaleString('en-US')} more characters]`;
}

/** A notebook's cell, wherever it comes from. */
export interface NotebookCellText {
  /** `code, python`, `markdown`. */
  readonly kind: string;
  readonly source: string;
  /** What its outputs say as text, one each. */
  readonly outputs: readonly string[];
}

const maxOutputLength = 5_000;

/** Cells with their numbers, counted from 1, and the text of their outputs. */
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

/** The cells of a notebook file in the format of Jupyter, version 4; undefined for anything else. */
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

/** Multi-line strings are kept as a list of lines, or as one string. */
function joinText(value: unknown, separator = ''): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return '';
  return value.filter((line): line is string => typeof line === 'string').join(separator);
}

const splitLines = (text: string): string[] =>
  text.split(/\r\n|\r|\n/u).map((line) => truncateLine(line, windowLimits.lineLength));

/** How far from the line that a model names the symbol is looked for: they count badly. */
const maxLineDistance = 3;

/**
 * Where a symbol stands, in the line or as near to it as possible, as a word of its own rather than in another one.
 * Of `a.b.c` it is the last name that is meant.
 * @param line 1-based, as is the result's; its column counts from 0.
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
  for (let at = text.indexOf(symbol); at >= 0; at = text.indexOf(symbol, at + 1)) {
    const [before, after] = [text.charAt(at - 1), text.charAt(at + symbol.length)];
    if (!isNamePart(before) && !isNamePart(after)) return at;
  }
  return -1;
}

const isNamePart = (character: string): boolean => /[\p{L}\p{N}_$]/u.test(character);

/** Where the last name of a chain begins. */
function lastNameOffset(symbol: string): number {
  const tail = /[\p{L}\p{N}_$#]+[^\p{L}\p{N}_$]*$/u.exec(symbol);
  return tail?.index ?? 0;
}
