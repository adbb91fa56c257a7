import { getLeadingWhitespace } from './longest-copy.ts';

/**
 * Counts the lines, up to `maxLines`, of the scope that starts at the first line. A scope is a statement with its
 * block, an element with its content, a paragraph of prose, or a single line. Inside a block, the scope also includes
 * all following statements of this block.
 */
export function countScopeLines(lines: readonly string[], maxLines: number): number {
  const firstIndex = lines.findIndex((line) => line.trim() !== '');
  if (firstIndex < 0) return 0;
  if (isProse(lines[firstIndex]!)) return Math.min(maxLines, findParagraphEnd(lines, firstIndex));
  const baseIndentLength = getLeadingWhitespace(lines[firstIndex]!).length;
  const end = findConstructEnd(lines, firstIndex);
  return Math.min(
    maxLines,
    baseIndentLength === 0 ? end : findStatementsEnd(lines, end, baseIndentLength),
  );
}

/**
 * Returns the index of the line after the statements that start at `start` and are indented by at least
 * `baseIndentLength` characters.
 */
function findStatementsEnd(
  lines: readonly string[],
  start: number,
  baseIndentLength: number,
): number {
  const nextIndex = lines.findIndex((line, index) => index >= start && line.trim() !== '');
  if (nextIndex < 0 || getLeadingWhitespace(lines[nextIndex]!).length < baseIndentLength)
    return start;
  return findStatementsEnd(lines, findConstructEnd(lines, nextIndex), baseIndentLength);
}

/** Checks whether a line is prose: it has at least five words, and no punctuation that is typical of code. */
const isProse = (line: string): boolean =>
  /^[\s>*#\d.-]*\p{L}[^{}();=<>[\]]*$/u.test(line) && line.trim().split(/\s+/).length >= 5;

function findParagraphEnd(lines: readonly string[], startIndex: number): number {
  const end = lines.findIndex(
    (line, index) => index > startIndex && /^\s*(?:["'`]{3}.*)?$/.test(line),
  );
  return end < 0 ? lines.length : end;
}

/** Returns the index of the line after a statement or an element, with its block or content. */
function findConstructEnd(lines: readonly string[], start: number): number {
  const countOpenings = /^\s*<[a-z!]/i.test(lines[start]!) ? countOpenedTags : countOpenedBrackets;
  let depth = 0;
  let end = start;
  do depth += countOpenings(lines[end++]!);
  while (depth > 0 && end < lines.length);
  return depth <= 0 && /:\s*$/.test(lines[end - 1]!) ? findBlockEnd(lines, start, end) : end;
}

/** Returns the index of the line after the block that line `start` opens, including branches such as `else`. */
function findBlockEnd(lines: readonly string[], start: number, bodyStart: number): number {
  const baseIndentLength = getLeadingWhitespace(lines[start]!).length;
  const branchPattern = /^\s*(?:else|elif|except|finally|case)\b/;
  let end = bodyStart;
  for (let index = bodyStart; index < lines.length; index++) {
    const line = lines[index]!;
    if (line.trim() === '') continue;
    const indentLength = getLeadingWhitespace(line).length;
    if (
      indentLength < baseIndentLength ||
      (indentLength === baseIndentLength && !branchPattern.test(line))
    )
      break;
    end = index + 1;
  }
  return end;
}

const literalsAndCommentsPattern =
  /"(?:\\.|[^"\\])*"|(?<![&<\w])'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`|\/\/.*|#\s.*/g;

const countOpenedBrackets = (line: string): number =>
  (line.replaceAll(literalsAndCommentsPattern, '').match(/[([{}\])]/g) ?? []).reduce(
    (depth, bracket) => depth + ('([{'.includes(bracket) ? 1 : -1),
    0,
  );

const tagPattern = /<(\/?)([a-z][\w-]*)(?:[^>"']|"[^"]*"|'[^']*')*?(\/?)>/gi;
const voidElementPattern = /^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/i;

function countOpenedTags(line: string): number {
  return [...line.matchAll(tagPattern)].reduce(
    (depth, [, closingSlash, name = '', selfClosingSlash]) => {
      if (closingSlash === '/') return depth - 1;
      return selfClosingSlash === '/' || voidElementPattern.test(name) ? depth : depth + 1;
    },
    0,
  );
}
