/** Search/replace block of an `edit_file` call. */
export interface FileEdit {
  readonly search: string;
  readonly replace: string;
}

/** Parses the output of `read_file`. Returns the text of each line by its line number, from 1. */
export const readLines = (output: string): ReadonlyMap<number, string> =>
  new Map(
    [...output.matchAll(/^(\d+)\t(.*)$/gm)].map(([, line, text = '']) => [Number(line), text]),
  );

/**
 * Function that returns the new text of a line, or undefined to delete the line. `lastLine` is the line number of the
 * last line of the file.
 */
export type LineChange = (text: string, line: number, lastLine: number) => string | undefined;

/**
 * Creates one search/replace block for all changed lines. Includes neighboring lines until the search text is unique in
 * the file. Returns undefined if no line changes.
 */
export function createEdit(
  linesByNumber: ReadonlyMap<number, string>,
  change: LineChange,
): FileEdit | undefined {
  const entries = [...linesByNumber];
  const oldLines = entries.map(([, text]) => text);
  const newLines = entries.map(([line, text]) => change(text, line, entries.at(-1)?.[0] ?? 0));
  let startIndex = oldLines.findIndex((text, index) => newLines[index] !== text);
  let endIndex = oldLines.findLastIndex((text, index) => newLines[index] !== text) + 1;
  if (startIndex < 0) return undefined;
  const fullText = oldLines.join('\n');
  const isUnique = (): boolean => {
    const text = oldLines.slice(startIndex, endIndex).join('\n');
    // A deleted line needs a neighboring line, so that no empty line remains.
    const hasRemainingLine = newLines
      .slice(startIndex, endIndex)
      .some((line) => line !== undefined);
    return hasRemainingLine && text !== '' && fullText.indexOf(text) === fullText.lastIndexOf(text);
  };
  while (!isUnique() && (startIndex > 0 || endIndex < oldLines.length)) {
    if (endIndex < oldLines.length) endIndex += 1;
    else startIndex -= 1;
  }
  const replacementLines = newLines
    .slice(startIndex, endIndex)
    .filter((text) => text !== undefined);
  return {
    search: oldLines.slice(startIndex, endIndex).join('\n'),
    replace: replacementLines.join('\n'),
  };
}

export interface SearchHit {
  readonly path: string;
  /** Line number, from 1. */
  readonly line: number;
  readonly text: string;
}

/** Parses search results. Each result is `path:line: text`, or `line: text` below a line with the path. */
export function parseSearchHits(output: string): SearchHit[] {
  let path = '';
  return output.split('\n').flatMap((row): SearchHit[] => {
    const match =
      /^([^\s:]+):(\d+)(?::\d+)?:? ?(.*)$/.exec(row) ?? /^()(\d+)[:\t] ?(.*)$/.exec(row);
    if (match === null) {
      path = pathRowPattern.exec(row)?.[1] ?? path;
      return [];
    }
    const [, rowPath = '', line, text = ''] = match;
    return rowPath === '' && path === ''
      ? []
      : [{ path: rowPath || path, line: Number(line), text }];
  });
}

const pathRowPattern =
  /^[-*\s]*`?((?:[^\s`:()[\]]*\/)*[^\s`:()[\]]+(?:\/|\.\w{1,10}))`?(?: \(.*\))?$/;

/**
 * Creates a global pattern that matches the name as a whole word outside of paths. Create a separate pattern for each
 * text, because a global pattern stores its position.
 */
export const createWordPattern = (name: string): RegExp =>
  new RegExp(
    `(?<![\\w$/])${name.replaceAll('$', '\\$')}(?![\\w$]|\\.(?:[cm]?[jt]sx?|py|json|md)\\b|/\\S)`,
    'g',
  );

/** Creates a pattern for lines that declare the name. */
export const createDeclarationPattern = (name: string): RegExp =>
  new RegExp(
    `\\b(?:function\\*?|const|let|var|class|interface|type|enum|struct|trait|def|fn|func)\\s+${name.replaceAll('$', '\\$')}(?![\\w$])`,
  );
