/** A hunk of a unified diff. Its lines contain their line breaks. */
interface DiffHunk {
  /** Index of the first old line. */
  readonly start: number;
  readonly oldLines: readonly string[];
  readonly newLines: readonly string[];
}

/** Files that the headers of a diff name. `/dev/null` stands for no file. */
export interface DiffFiles {
  readonly from: string;
  readonly to: string;
}

/** Returns the files that the headers of a diff name, one for each header. */
export function listDiffFiles(lines: readonly string[]): readonly DiffFiles[] {
  return lines.flatMap((line, index) => {
    const from = /^--- (?<path>\S.*)$/u.exec(line)?.groups?.['path'];
    const to = /^\+\+\+ (?<path>\S.*)$/u.exec(lines[index + 1] ?? '')?.groups?.['path'];
    return from === undefined || to === undefined
      ? []
      : [{ from: toPath(from, 'a/'), to: toPath(to, 'b/') }];
  });
}

/** Removes the time and the prefix that Git adds. */
function toPath(header: string, prefix: string): string {
  const path = (header.split('\t', 1)[0] ?? '').trim().replaceAll(/^"|"$/gu, '');
  return path.startsWith(prefix) ? path.slice(prefix.length) : path;
}

/**
 * Applies a unified diff at the lines that it states, without any tolerance. Works with line feeds
 * only. Returns undefined if a line number, a line count or a line of the diff is not exact.
 */
export function applyExactDiff(text: string, diff: readonly string[]): string | undefined {
  const hunks = parseHunks(diff);
  if (hunks === undefined || hunks.length === 0) return undefined;
  const lines = splitKeepingBreaks(text);
  const result: string[] = [];
  let next = 0;
  for (const { start, oldLines, newLines } of hunks) {
    if (start < next || oldLines.some((line, index) => lines[start + index] !== line))
      return undefined;
    result.push(...lines.slice(next, start), ...newLines);
    next = start + oldLines.length;
  }
  if (next > lines.length) return undefined;
  result.push(...lines.slice(next));
  // Only the last line can have no line break.
  if (result.slice(0, -1).some((line) => !line.endsWith('\n'))) return undefined;
  return result.join('');
}

const splitKeepingBreaks = (text: string): readonly string[] =>
  text.match(/[^\n]*\n|[^\n]+$/gu) ?? [];

function parseHunks(diff: readonly string[]): readonly DiffHunk[] | undefined {
  const hunks: DiffHunk[] = [];
  for (let index = 0; index < diff.length;) {
    const header = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@/u.exec(diff[index] ?? '');
    index += 1;
    if (header === null) continue;
    const count = { old: Number(header[2] ?? 1), new: Number(header[3] ?? 1) };
    const [oldLines, newLines]: [string[], string[]] = [[], []];
    while (oldLines.length < count.old || newLines.length < count.new) {
      const line = diff[index];
      if (line === undefined) return undefined;
      const content = line.slice(1).replace(/^\uFEFF/u, '');
      // A missing line break follows the line as a remark.
      const lineBreak = diff[index + 1]?.startsWith('\\ No newline') === true ? '' : '\n';
      if (line.startsWith('-')) oldLines.push(content + lineBreak);
      else if (line.startsWith('+')) newLines.push(content + lineBreak);
      else if (line === '' || line.startsWith(' ')) {
        oldLines.push(content + lineBreak);
        newLines.push(content + lineBreak);
      } else if (!line.startsWith('\\ No newline')) return undefined;
      index += 1;
    }
    if (oldLines.length !== count.old || newLines.length !== count.new) return undefined;
    if (diff[index]?.startsWith('\\ No newline') === true) index += 1;
    // Further lines mean that the counts are wrong.
    if (/^[-+ ]/u.test(diff[index] ?? '') && !/^--- \S/u.test(diff[index] ?? '')) return undefined;
    hunks.push({ start: Number(header[1]) - (count.old === 0 ? 0 : 1), oldLines, newLines });
  }
  return hunks;
}
