import type { WantedLines } from './answer.ts';
import { indentationOf } from '../language/indentation.ts';
import { languageAt } from '../language/language-at.ts';
import { linePrefix, lineSuffix, type Snapshot } from '../snapshot.ts';

/**
 * How much to ask for: a block on a blank line and behind what opens one that is not there yet, else the rest of the
 * line. Brackets that the editor closed by itself count as the end of the line.
 */
export function wantedLines(snapshot: Snapshot): WantedLines {
  const before = linePrefix(snapshot);
  const behind = lineSuffix(snapshot).trim();
  if (before.trim() === '') return behind === '' ? 'block' : 'line';
  if (before.length > longestLine) return 'line';
  const { opens, breaksAfterOpening } = languageAt(snapshot);
  // White space behind `key:` says that a value comes next; behind `{` it says nothing.
  if (!opens.test(breaksAfterOpening ? before.trimEnd() : before)) return 'line';
  if (behind !== '' && !/^[)\]}][)\]};,]*$/u.test(behind)) return 'line';
  return hasBlock(snapshot, before) ? 'line' : 'block';
}

/** Longer ones are data. */
const longestLine = 1_000;

/** Whether the lines that belong to the one of the cursor are there already. */
function hasBlock({ suffix }: Snapshot, line: string): boolean {
  const next = nextLine(suffix);
  return next !== undefined && indentationOf(next).length > indentationOf(line).length;
}

/** The first line with content below the cursor's. */
export function nextLine(suffix: string): string | undefined {
  const below = suffix.indexOf('\n');
  const content = below < 0 ? -1 : suffix.slice(below).search(/\S/u);
  if (content < 0) return undefined;
  const start = suffix.lastIndexOf('\n', below + content) + 1;
  const end = suffix.indexOf('\n', start);
  return end < 0 ? suffix.slice(start) : suffix.slice(start, end);
}
