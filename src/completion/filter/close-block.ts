import { wantedLines } from '../answer/scope.ts';
import { indentationOf } from '../language/indentation.ts';
import { languageAt } from '../language/language-at.ts';
import { linePrefix, lineSuffix, type Snapshot } from '../snapshot.ts';
import { unmatched } from './brackets.ts';

/**
 * With what stands behind the cursor on a line of its own at the end, when the text fills a block between brackets that
 * the editor closed on the cursor's line. The fit with the line takes it out again, and the brackets land below the block.
 */
export function closeBlock(text: string, snapshot: Snapshot): string {
  const behind = lineSuffix(snapshot).trim();
  if (behind === '' || !text.includes('\n') || wantedLines(snapshot) === 'line') return text;
  if (unmatched(text, languageAt(snapshot)).length > 0) return text;
  return `${text}\n${indentationOf(linePrefix(snapshot))}${behind}`;
}
