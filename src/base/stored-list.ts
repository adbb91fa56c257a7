import { isRecord } from './json.ts';

/**
 * Returns the entries of a stored list except those for which `isReplaced` returns true. Entries are unchanged, even if
 * this version can't read them, because a newer version may have written them. Drops everything except objects and
 * strings.
 */
export const listOtherEntries = (
  stored: unknown,
  isReplaced: (entry: unknown) => boolean,
): readonly unknown[] =>
  (Array.isArray(stored) ? stored : []).filter(
    (entry: unknown) => (isRecord(entry) || typeof entry === 'string') && !isReplaced(entry),
  );
