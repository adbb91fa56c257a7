import { isRecord } from './json.ts';

/**
 * Returns the objects and strings of a stored list except the entries for which `isReplaced`
 * returns true. Retains unreadable objects unchanged, because a newer version may have written
 * them.
 */
export const listOtherEntries = (
  stored: unknown,
  isReplaced: (entry: unknown) => boolean,
): readonly unknown[] =>
  (Array.isArray(stored) ? stored : []).filter(
    (entry: unknown) => (isRecord(entry) || typeof entry === 'string') && !isReplaced(entry),
  );
