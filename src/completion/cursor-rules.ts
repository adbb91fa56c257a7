import { isInComment } from './language/is-in-comment.ts';
import type { CompletionSettings } from './ports.ts';
import type { EngineRule } from './reason.ts';
import { linePrefix, lineSuffix, type Snapshot } from './snapshot.ts';
import type { Motion } from './typing-rhythm.ts';

/** Longer lines are data, or were written by a program. */
const longestLine = 600;
/** What may stand behind the cursor: brackets and quotes that the editor closed, and what ends a statement. */
const onlyClosers = /^[\s)\]}>"'`;,]*$/u;
const endsInWord = /[\p{L}\p{N}_$]$/u;

/** Why typing at this place is not worth a question; undefined when it is. */
export function cursorRule(
  snapshot: Snapshot,
  { motion, settings }: { motion: Motion; settings: CompletionSettings },
): EngineRule | undefined {
  if (!settings.automatic) return 'manual';
  const before = linePrefix(snapshot);
  const behind = lineSuffix(snapshot);
  if (before.length + behind.length > longestLine) return 'long-line';
  if (!onlyClosers.test(behind)) return 'code-behind-cursor';
  if (motion === 'erasing' && endsInWord.test(before)) return 'erasing';
  if (snapshot.prefix.trim() === '' && snapshot.suffix.trim() === '') return 'empty-document';
  return !settings.inComments && isInComment(snapshot) ? 'comment' : undefined;
}

/** Why not even a command asks here. */
export const hardRule = (snapshot: Snapshot): EngineRule | undefined =>
  linePrefix(snapshot).length + lineSuffix(snapshot).length > longestLine ? 'long-line' : undefined;
