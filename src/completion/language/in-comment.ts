import { linePrefix, type Snapshot } from '../snapshot.ts';
import { languageOf } from './language.ts';

/** Whether what is typed at the cursor becomes part of a comment. Looks back a bounded number of characters. */
export function isInComment(snapshot: Snapshot): boolean {
  const language = languageOf(snapshot.languageId);
  const line = linePrefix(snapshot).trimStart();
  return language.lineComments.some((mark) => line.startsWith(mark));
}
