import { diffLines, type LineChange } from '../../base/line-diff.ts';
import type { Hunk } from './hunk.ts';

const context = 3;

/**
 * What turns one text into the other, as a unified diff without file headers; empty when they are equal. Complete,
 * however long.
 * Carriage returns at line ends do not show.
 */
export function unifiedDiff(before: string, after: string): string {
  const [a, b] = [linesOf(before), linesOf(after)];
  const lines: string[] = [];
  for (const group of groups(diffLines(a, b))) lines.push(...hunk(a, b, group));
  return lines.map((line) => line.replace(/\r$/u, '')).join('\n');
}

/** Lines with a mark behind the last one when it has no newline; none for an empty text. */
function linesOf(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  else lines.push(`${lines.pop() ?? ''}\n${unfinished}`);
  return lines;
}

const unfinished = '\\ No newline at end of file';

/** Changes whose context meets are shown together. */
function groups(changes: readonly LineChange[]): LineChange[][] {
  const result: LineChange[][] = [];
  for (const change of changes) {
    const last = result.at(-1);
    const end = last?.at(-1)?.from.end ?? -Infinity;
    if (last !== undefined && change.from.start - end <= 2 * context) last.push(change);
    else result.push([change]);
  }
  return result;
}

function hunk(a: readonly string[], b: readonly string[], group: readonly LineChange[]): string[] {
  const [first, last] = [group[0], group.at(-1)];
  if (first === undefined || last === undefined) return [];
  const lead = Math.min(context, first.from.start);
  const trail = Math.min(context, a.length - last.from.end);
  const from = { start: first.from.start - lead, end: last.from.end + trail };
  const to = { start: first.to.start - lead, end: last.to.end + trail };
  const lines = [`@@ -${spanOf(from)} +${spanOf(to)} @@`];
  let at = from.start;
  for (const change of group) {
    lines.push(...marked(' ', a.slice(at, change.from.start)));
    lines.push(...marked('-', a.slice(change.from.start, change.from.end)));
    lines.push(...marked('+', b.slice(change.to.start, change.to.end)));
    at = change.from.end;
  }
  return [...lines, ...marked(' ', a.slice(at, from.end))];
}

const marked = (mark: string, lines: readonly string[]): string[] =>
  lines.map((line) => `${mark}${line}`);

/** A range as the format has it: from line 1, and for an empty one the line before it. */
function spanOf({ start, end }: { readonly start: number; readonly end: number }): string {
  const count = end - start;
  const line = count === 0 ? start : start + 1;
  return count === 1 ? String(line) : `${line},${count}`;
}

/** Hunks as they are asked for, where they do not fit the file. */
export const hunkDiff = (hunks: readonly Hunk[]): string =>
  hunks
    .flatMap(({ search, replace }) => [
      '@@ @@',
      ...marked('-', linesOf(search)),
      ...marked('+', linesOf(replace)),
    ])
    .join('\n');
