import type { Snapshot } from '../snapshot.ts';
import { cursorContext } from './cursor-context.ts';
import { languageAt } from './language-at.ts';

/**
 * Whether what is typed at the cursor becomes part of a comment. Looks back a bounded number of characters: the inside
 * of a longer block comment counts as code.
 */
export function isInComment(snapshot: Snapshot): boolean {
  const { state } = cursorContext(snapshot, languageAt(snapshot)).scanner;
  return state === 'line-comment' || state === 'block-comment';
}
