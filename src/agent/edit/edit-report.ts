import type { AppliedHunks, Hunk, Match, Place } from './hunk.ts';
import { diffLines, type LineChange } from '../../base/line-diff.ts';

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

export interface Edited {
  /** The file, as people see it. */
  readonly label: string;
  readonly before: string;
  readonly change: AppliedHunks;
  /** What is in the file now: other than was meant where the editor formats on saving. */
  readonly saved: string;
  /** The text before was the one that the model had seen. */
  readonly isKnown: boolean;
  /** Whether the model may be told lines of the file that it did not write. */
  readonly showsLines: boolean;
}

export interface EditReport {
  readonly text: string;
  /** Whether the model knows from it, and from what it knew before, the whole file. */
  readonly tellsAll: boolean;
}

/** Characters of a change that the editor made, or that was not matched exactly, that the model is shown. */
const shownLimit = 4_000;

/** What an edit did, for the model: the lines as they are numbered now, and whatever it cannot know. */
export function editReport(edited: Edited): EditReport {
  const { label, before, change, saved, isKnown, showsLines } = edited;
  const inexact = change.matches.flatMap((match, index) =>
    match === 'exact' ? [] : [`Edit ${index + 1} ${ways[match]}.`],
  );
  const notes = [`Changed ${label}: ${lineRanges(before, change.places)}.`, ...inexact];
  if (inexact.length > 0 && showsLines) notes.push(shortened(unifiedDiff(before, change.text)));
  const formatted = saved === change.text ? '' : unifiedDiff(change.text, saved);
  if (formatted !== '') notes.push(...further(formatted, showsLines));
  if (!isKnown)
    notes.push('The file had changed since you read it: read it again before you edit more.');
  const tellsFormatted = formatted === '' || (showsLines && formatted.length <= shownLimit);
  return { text: notes.join('\n'), tellsAll: isKnown && tellsFormatted };
}

const further = (formatted: string, showsLines: boolean): string[] =>
  showsLines
    ? ['Saving changed it further:', shortened(formatted)]
    : ['Saving changed it further.'];

const ways: Readonly<Record<Exclude<Match, 'exact'>, string>> = {
  tolerant: 'was found with other white space, indentation or punctuation',
  similar: 'was found in lines that are a little different',
};

const shortened = (diff: string): string =>
  diff.length <= shownLimit ? diff : `${diff.slice(0, shownLimit)}\n[… read the file for the rest]`;

/** `line 3, lines 10-12`, as they are numbered after the change. */
function lineRanges(before: string, places: readonly Place[]): string {
  const ranges: [first: number, last: number][] = [];
  let [line, at] = [1, 0];
  for (const { start, end, text } of places) {
    line += breaksIn(before.slice(at, start));
    const first = line;
    line += breaksIn(text);
    const last = text.endsWith('\n') ? Math.max(first, line - 1) : line;
    const previous = ranges.at(-1);
    if (previous !== undefined && first <= previous[1] + 1)
      previous[1] = Math.max(previous[1], last);
    else ranges.push([first, last]);
    at = end;
  }
  const shown = ranges
    .slice(0, 20)
    .map(([first, last]) => (first === last ? `line ${first}` : `lines ${first}-${last}`));
  const more = ranges.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more places` : shown.join(', ');
}

function breaksIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
