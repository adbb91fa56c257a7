import { looksSecret } from '../workspace/secret-file.ts';

/** What of a diff may be sent. */
export interface SentDiff {
  readonly text: string;
  /** How many files are left out because they look like ones of keys or passwords. */
  readonly secretFiles: number;
}

/**
 * A diff without files that look secret, and not longer than `characters`: each file keeps its beginning, short ones
 * are whole, and what is cut says so.
 * @param diff As `git diff` prints it.
 */
export function boundedDiff(diff: string, characters: number): SentDiff {
  const files = filesOf(diff);
  const open = files.filter((file) => !isSecret(file));
  const share = shareFor(
    open.map(({ length }) => length),
    characters,
  );
  const text = open.map((file) => cut(file, share)).join('\n');
  return { text: text.slice(0, characters), secretFiles: files.length - open.length };
}

/** Each begins with its `diff --git` line. */
function filesOf(diff: string): readonly string[] {
  const begin = diff.search(/^diff --/mu);
  if (begin < 0) return [];
  return diff.slice(begin).split(/\n(?=diff --)/u);
}

/** How much each file may have, so that all together fit: what short ones do not need goes to the long ones. */
function shareFor(lengths: readonly number[], characters: number): number {
  let left = characters;
  let share = characters;
  const sorted = lengths.toSorted((a, b) => a - b);
  for (const [index, length] of sorted.entries()) {
    share = Math.floor(left / (sorted.length - index));
    if (length > share) return share;
    left -= length;
  }
  return share;
}

/** At the end of a line. */
function cut(file: string, share: number): string {
  if (file.length <= share) return file;
  const mark = '\n[cut]';
  const kept = file.slice(0, Math.max(0, share - mark.length));
  const end = kept.lastIndexOf('\n');
  return (end < 0 ? kept : kept.slice(0, end)) + mark;
}

/**
 * Whether any name that the file could have is one of a secret file, or too long to look at. Where a path ends in `diff --git a/x b/x` is not
 * certain when it holds spaces: every place is tried.
 */
function isSecret(file: string): boolean {
  const head = headOf(file);
  return head.some((line) => {
    const paths = pathsIn(line);
    return paths === 'too-long' || paths.some((path) => looksSecret(path));
  });
}

/** The lines before the first hunk: they alone hold names. */
function headOf(file: string): readonly string[] {
  const lines = file.split('\n', mostHeadLines);
  const hunk = lines.findIndex((line) => line.startsWith('@@'));
  return hunk < 0 ? lines : lines.slice(0, hunk);
}

const mostHeadLines = 12;
const mostWords = 64;
/** Characters; two paths of the longest kind. */
const longestNames = 8_200;

/** What cannot be looked at whole may be anything. */
function pathsIn(line: string): readonly string[] | 'too-long' {
  const names =
    /^(?:diff --(?:git|cc|combined)|---|\+\+\+|(?:rename|copy) (?:from|to)) (?<names>.+)$/u;
  const text = names.exec(line.trimEnd())?.groups?.['names'];
  if (text === undefined) return [];
  const words = unquoted(text).split(' ');
  if (words.length > mostWords || text.length > longestNames) return 'too-long';
  return words.flatMap((_, at) => [
    words.slice(at).join(' ').trim(),
    words.slice(0, at).join(' ').trim(),
  ]);
}

/** Git writes unusual names in quotes, their bytes as octal numbers. What stands in for those bytes does not matter. */
const unquoted = (text: string): string =>
  text
    .replaceAll(/\\[0-7]{3}/gu, '?')
    .replaceAll(/\\(.)/gu, '$1')
    .replaceAll('"', '');
