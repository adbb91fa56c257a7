import type { NotebookCell } from '../edit/notebook.ts';

/** Numbered lines of a text, formatted for a model. */
export interface TextWindow {
  /** Lines in the format `12<tab>text`, separated by line feeds. */
  readonly text: string;
  /**
   * Number of the first line, starting at 1. `lastLine` is inclusive; for an empty window, it is one less than
   * `firstLine`.
   */
  readonly firstLine: number;
  readonly lastLine: number;
}

export const windowLimits = { lines: 2_000, characters: 50_000, lineLength: 2_000 } as const;

/**
 * Formats lines with their numbers until a limit of {@link windowLimits} is reached. Truncates long lines and notes the
 * number of omitted characters.
 * @param lines Lines to format.
 * @param firstLine Number of the first line in `lines`.
 */
export function numberLines(lines: Iterable<string>, firstLine: number): TextWindow {
  const numberedLines: string[] = [];
  let characterCount = 0;
  for (const line of lines) {
    const text = `${firstLine + numberedLines.length}\t${truncateLine(line, windowLimits.lineLength)}`;
    characterCount += text.length + 1;
    const isFull =
      numberedLines.length >= windowLimits.lines || characterCount > windowLimits.characters;
    if (isFull && numberedLines.length > 0) break;
    numberedLines.push(text);
  }
  return {
    text: numberedLines.join('\n'),
    firstLine,
    lastLine: firstLine + numberedLines.length - 1,
  };
}

/**
 * Returns a note that tells the model how to read the lines after those in the window; an empty string if no lines
 * follow.
 * @param lineCount Number of lines of the whole text; undefined if unknown.
 */
export function formatContinuationNote(
  { lastLine }: TextWindow,
  lineCount: number | undefined,
): string {
  if (lineCount !== undefined && lastLine >= lineCount) return '';
  const moreText =
    lineCount === undefined ? 'More' : `${(lineCount - lastLine).toLocaleString('en-US')} more`;
  return `[${moreText} lines: go on with start_line ${lastLine + 1}.]`;
}

/**
 * Returns a line of at most `limit` characters unchanged. Truncates a longer line and appends the number of omitted
 * characters.
 */
export function truncateLine(line: string, limit: number): string {
  if (line.length <= limit) return line;
  const startText = line.slice(0, limit).replace(/[\uD800-\uDBFF]$/u, '');
  return `${startText} [… ${(line.length - startText.length).toLocaleString('en-US')} more characters]`;
}

const maxOutputLength = 2_000;

/** Formats notebook cells with their ids, sources and the beginning of their output texts. */
export const formatNotebookLines = (cells: readonly NotebookCell[]): string[] =>
  cells.flatMap(({ id, type, language, source, outputs }) => [
    `[cell ${id}: ${type}${language === undefined ? '' : `, ${language}`}]`,
    ...splitLines(source),
    ...outputs.flatMap((output) => [
      '[output]',
      ...splitLines(truncateLine(output, maxOutputLength)),
    ]),
    '',
  ]);

const splitLines = (text: string): string[] =>
  text.split(/\r\n|\r|\n/u).map((line) => truncateLine(line, windowLimits.lineLength));

/**
 * Maximum number of lines between a symbol and the line that the model names, because models often give inexact line
 * numbers.
 */
const maxLineDistance = 3;

/**
 * Finds the position of a symbol in the given line, or else in the nearest line that contains the symbol. Prefers whole
 * words. For `a.b.c`, returns the position of `c`.
 * @param line Line number, starting at 1.
 * @returns the line, starting at 1, and the column, starting at 0; undefined if no near line contains the symbol
 */
export function findSymbolPosition(
  lines: readonly string[],
  line: number,
  symbol: string,
): { readonly line: number; readonly column: number } | undefined {
  for (const findColumn of [findWordColumn, findColumnAnywhere]) {
    for (let distance = 0; distance <= maxLineDistance; distance++) {
      for (const candidate of distance === 0 ? [line] : [line - distance, line + distance]) {
        const column = findColumn(lines[candidate - 1] ?? '', symbol);
        if (column >= 0) return { line: candidate, column: column + findLastNameOffset(symbol) };
      }
    }
  }
  return undefined;
}

const findColumnAnywhere = (text: string, symbol: string): number => text.indexOf(symbol);

function findWordColumn(text: string, symbol: string): number {
  for (let column = text.indexOf(symbol); column >= 0; column = text.indexOf(symbol, column + 1)) {
    const [before, after] = [text.charAt(column - 1), text.charAt(column + symbol.length)];
    if (!isNamePart(before) && !isNamePart(after)) return column;
  }
  return -1;
}

const isNamePart = (character: string): boolean => /[\p{L}\p{N}_$]/u.test(character);

/** Returns the offset of the last name in a chain such as `a.b.c`. */
function findLastNameOffset(symbol: string): number {
  const tailMatch = /[\p{L}\p{N}_$#]+[^\p{L}\p{N}_$]*$/u.exec(symbol);
  return tailMatch?.index ?? 0;
}
