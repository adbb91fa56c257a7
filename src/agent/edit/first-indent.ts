import type { TextParts } from './find-exact.ts';
import type { Hunk } from './hunk.ts';
import { leadingWhitespace, opensBlock } from './indentation.ts';
import { countUnmatchedClosingBrackets, restoreLostIndent } from './lost-indent.ts';

/**
 * Adapts the replacement of an exact match that begins inside or after the indentation of a line.
 * If the replacement contains indentation that the search lacks, removes it, because the file would
 * otherwise contain it twice. Returns the replacement unchanged for other matches, and undefined if
 * its indentation is not clear.
 */
export function restoreFirstIndent(text: TextParts, start: number, hunk: Hunk): string | undefined {
  const { search, replace } = hunk;
  const indent = indentBefore(text, start);
  const isLineStart = start === 0 || text.slice(start - 1, start) === '\n';
  if (isLineStart && /^[ \t]/u.test(search)) return restoreLostIndent(text, start, hunk);
  if (indent === '' || !/^[ \t]*\S/u.test(search) || !isLineEnd(text, start + search.length))
    return replace;
  // The search can have a part of the indentation.
  const own = leadingWhitespace(search);
  const lineIndent = indent + own;
  const [first = '', ...rest] = replace.split('\n');
  const isFirstRemoved = first.trim() === '' && search.includes('\n') && rest.some(isIndented);
  if (isFirstRemoved || beginsWithLaterLine(search, first, lineIndent)) return undefined;
  const firstIndent = leadingWhitespace(first);
  if (firstIndent === lineIndent) return [first.slice(indent.length), ...rest].join('\n');
  if (search.trimEnd().includes('\n') || rest.every((line) => line.trim() === '')) return replace;
  if (firstIndent !== own) return own === '' ? replace : undefined;
  const style = detectStyleAfterFirstLine(first, rest, lineIndent);
  if (style === undefined) return undefined;
  const add = style === 'search' ? indent : '';
  return [first, ...rest.map((line) => (line.trim() === '' ? line : add + line))].join('\n');
}

/**
 * Checks whether a replacement begins with a later line of the search, whose indentation differs
 * from that of the removed first line.
 */
function beginsWithLaterLine(search: string, first: string, indent: string): boolean {
  const [removed = '', ...later] = search.split('\n');
  if (first.trim() === '' || first.trim() === removed.trim()) return false;
  const line = later.find((line) => line.trim() === first.trim());
  return line !== undefined && leadingWhitespace(line) !== indent;
}

const isIndented = (line: string): boolean => /^[ \t]+\S/u.test(line);

/** Returns the white space between the start of a line and an offset; empty after other text. */
function indentBefore(text: TextParts, offset: number): string {
  for (let length = 256; ; length *= 4) {
    const before = text.slice(Math.max(0, offset - length), offset);
    const indent = before.slice(before.lastIndexOf('\n') + 1);
    if (/[^ \t]/u.test(indent)) return '';
    if (indent.length < before.length || before.length === offset) return indent;
  }
}

const isLineEnd = (text: TextParts, offset: number): boolean =>
  offset === text.length || text.slice(offset - 1, offset + 1).includes('\n');

/**
 * Determines whether the lines after the first one are indented like the search or like the file.
 * Returns undefined if both or neither are plausible.
 */
function detectStyleAfterFirstLine(
  first: string,
  rest: readonly string[],
  indent: string,
): 'search' | 'file' | undefined {
  const lines = rest.filter((line) => line.trim() !== '');
  if (lines.every((line) => line.startsWith(indent))) {
    const next = leadingWhitespace(lines[0] ?? '');
    // A block that the first line opens needs deeper lines.
    return opensBlock.test(first) && next === indent ? 'search' : 'file';
  }
  if (countUnmatchedClosingBrackets([first, ...lines].join('\n')) > 0) return 'file';
  return rest.slice(0, -1).some((line) => line.trim() === '') ? undefined : 'search';
}
