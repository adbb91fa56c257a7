import type { WantedLines } from '../answer.ts';
import { languageOf } from '../language/language.ts';
import { linePrefix, lineSuffix, type Snapshot } from '../snapshot.ts';

/** How much to ask for at this place. */
export function wantedLines(snapshot: Snapshot): WantedLines {
  const before = linePrefix(snapshot);
  const behind = lineSuffix(snapshot).trim();
  const isBlank = before.trim() === '';
  if (isBlank) return behind === '' ? 'block' : 'line';
  if (!languageOf(snapshot.languageId).opens.test(before.trimEnd())) return 'line';
  // The editor closes brackets by itself: what the person sees as the end of the line is in front of its closers.
  if (behind !== '' && !/^[)\]}>;,]+$/u.test(behind)) return 'line';
  return hasBlock(snapshot, before) ? 'line' : 'block';
}

/** Whether the lines that belong to the one of the cursor are there already. */
function hasBlock({ suffix }: Snapshot, line: string): boolean {
  const next = suffix
    .split('\n')
    .slice(1)
    .find((each) => each.trim() !== '');
  return next !== undefined && indentationOf(next).length > indentationOf(line).length;
}

const indentationOf = (line: string): string => /^[\t ]*/u.exec(line)?.[0] ?? '';
