import { getLeadingWhitespace } from './longest-copy.ts';

/**
 * Counts the lines, up to `max`, of the scope that starts at the first line. A scope is a statement with its block, an
 * element with its content, a paragraph of prose, or a single line. Inside a block, the scope also includes all
 * following statements of this block.
 */
export function countScopeLines(lines: readonly string[], max: number): number {
  const first = lines.findIndex((line) => line.trim() !== '');
  if (first < 0) return 0;
  if (isProse(lines[first]!)) return Math.min(max, findParagraphEnd(lines, first));
  const base = getLeadingWhitespace(lines[first]!).length;
  const end = findConstructEnd(lines, first);
  return Math.min(max, base === 0 ? end : findStatementsEnd(lines, end, base));
}

/**
 * Returns the index of the line after the statements that start at `start` and are indented by at least `base`
 * characters.
 */
function findStatementsEnd(lines: readonly string[], start: number, base: number): number {
  const next = lines.findIndex((line, index) => index >= start && line.trim() !== '');
  if (next < 0 || getLeadingWhitespace(lines[next]!).length < base) return start;
  return findStatementsEnd(lines, findConstructEnd(lines, next), base);
}

/** Checks whether a line is prose: it has at least five words, and no punctuation that is typical of code. */
const isProse = (line: string): boolean =>
  /^[\s>*#\d.-]*\p{L}[^{}();=<>[\]]*$/u.test(line) && line.trim().split(/\s+/).length >= 5;

function findParagraphEnd(lines: readonly string[], first: number): number {
  const end = lines.findIndex((line, index) => index > first && /^\s*(?:["'`]{3}.*)?$/.test(line));
  return end < 0 ? lines.length : end;
}

/** Returns the index of the line after a statement or an element, with its block or content. */
function findConstructEnd(lines: readonly string[], start: number): number {
  const openedBy = /^\s*<[a-z!]/i.test(lines[start]!) ? countOpenedTags : countOpenedBrackets;
  let depth = 0;
  let end = start;
  do depth += openedBy(lines[end++]!);
  while (depth > 0 && end < lines.length);
  return depth <= 0 && /:\s*$/.test(lines[end - 1]!) ? findBlockEnd(lines, start, end) : end;
}

/** Returns the index of the line after the block that line `start` opens, including branches such as `else`. */
function findBlockEnd(lines: readonly string[], start: number, from: number): number {
  const base = getLeadingWhitespace(lines[start]!).length;
  const branch = /^\s*(?:else|elif|except|finally|case)\b/;
  let end = from;
  for (let next = from; next < lines.length; next++) {
    const line = lines[next]!;
    if (line.trim() === '') continue;
    const indent = getLeadingWhitespace(line).length;
    if (indent < base || (indent === base && !branch.test(line))) break;
    end = next + 1;
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
  return [...line.matchAll(tagPattern)].reduce((depth, [, closing, name = '', selfClosing]) => {
    if (closing === '/') return depth - 1;
    return selfClosing === '/' || voidElementPattern.test(name) ? depth : depth + 1;
  }, 0);
}
