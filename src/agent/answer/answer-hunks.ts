import { applyHunks } from '../edit/apply-hunks.ts';
import type { Hunk } from '../edit/hunk.ts';

/**
 * Parses a unified diff or SEARCH/REPLACE blocks. Returns undefined if the lines contain neither, and
 * `malformed` if the lines contain an incomplete one.
 */
export function parseAnswerHunks(
  lines: readonly string[],
): readonly Hunk[] | 'malformed' | undefined {
  if (lines.some((line) => searchMark.test(line))) return parseSearchBlocks(lines);
  return isDiff(lines) ? parseDiff(lines) : undefined;
}

const searchMark = /^\s*<{5,9} ?(?:SEARCH|ORIGINAL|HEAD)\b/u;
const separatorMark = /^\s*={5,9}\s*$/u;
const replaceMark = /^\s*>{5,9} ?(?:REPLACE|UPDATED|\w+)\s*$/u;
const hunkHeader = /^@@(?: -\d+(?:,\d+)? \+\d+(?:,\d+)?)?.*(?:@@|$)/u;

const isDiff = (lines: readonly string[]): boolean =>
  lines.some(
    (line, index) =>
      /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/u.test(line) ||
      (/^--- \S/u.test(line) && /^\+\+\+ \S/u.test(lines[index + 1] ?? '')),
  );

function parseSearchBlocks(lines: readonly string[]): readonly Hunk[] | 'malformed' {
  const hunks: Hunk[] = [];
  let [search, replace]: [string[] | undefined, string[] | undefined] = [undefined, undefined];
  for (const line of lines) {
    if (search === undefined) {
      if (searchMark.test(line)) search = [];
    } else if (replace === undefined) {
      if (searchMark.test(line)) return 'malformed';
      if (separatorMark.test(line)) replace = [];
      else search.push(line);
    } else if (replaceMark.test(line)) {
      hunks.push({ search: search.join('\n'), replace: replace.join('\n') });
      [search, replace] = [undefined, undefined];
    } else if (separatorMark.test(line) || searchMark.test(line)) return 'malformed';
    else replace.push(line);
  }
  return search === undefined && hunks.length > 0 ? hunks : 'malformed';
}

/** Parses the lines of a unified diff, with or without headers of files and hunks. */
export function parseDiff(lines: readonly string[]): readonly Hunk[] | 'malformed' {
  const hunks: Hunk[] = [];
  let [search, replace]: [string[], string[]] = [[], []];
  const finishHunk = (): void => {
    if (search.join('\n') !== replace.join('\n'))
      // A hunk without other lines also removes the line break.
      hunks.push({
        search: search.join('\n') + (replace.length === 0 ? '\n' : ''),
        replace: replace.join('\n'),
      });
    [search, replace] = [[], []];
  };
  for (const [index, line] of lines.entries()) {
    const isHeader =
      (/^--- \S/u.test(line) && /^\+\+\+ \S/u.test(lines[index + 1] ?? '')) ||
      (/^\+\+\+ \S/u.test(line) && /^--- \S/u.test(lines[index - 1] ?? '')) ||
      /^(?:diff --git|index [0-9a-f]+\.\.|(?:new|deleted) file mode|similarity index) ?/u.test(
        line,
      );
    if (isHeader || hunkHeader.test(line)) finishHunk();
    else if (line.startsWith('\\ No newline')) continue;
    else if (line.startsWith('+')) replace.push(line.slice(1));
    else if (line.startsWith('-')) search.push(line.slice(1));
    else if (line === '' || line.startsWith(' ')) {
      search.push(line.slice(1));
      replace.push(line.slice(1));
    } else return 'malformed';
  }
  finishHunk();
  return hunks.length > 0 ? hunks : 'malformed';
}

/** Lines of a file that an answer changes, with the lines around them. */
export interface SurroundedLines {
  readonly original: readonly string[];
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/**
 * Applies hunks to the original lines. Uses the surrounding lines as context only. Returns undefined
 * if the hunks do not match, or change surrounding lines.
 */
export function applyToLines(
  hunks: readonly Hunk[],
  { original, before, after }: SurroundedLines,
): readonly string[] | undefined {
  const head = before.map((line) => `${line}\n`).join('');
  const tail = after.map((line) => `\n${line}`).join('');
  const whole = applyHunks(head + original.join('\n') + tail, hunks);
  if (whole.type === 'applied') {
    const { text } = whole;
    if (text.length < head.length + tail.length || !text.startsWith(head) || !text.endsWith(tail))
      return undefined;
    return text.slice(head.length, text.length - tail.length).split('\n');
  }
  // The lines around the selection may contain the same text.
  const inside = applyHunks(original.join('\n'), hunks);
  return inside.type === 'applied' ? inside.text.split('\n') : undefined;
}
