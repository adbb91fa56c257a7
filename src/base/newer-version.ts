import { isRecord, parseJson } from './json.ts';

/**
 * Current format version of all stored files. Other stored data, such as permissions, have separate
 * versions.
 */
const storedVersion = 1;

/**
 * Checks whether a stored value has a `version` above `currentVersion`. A version that is not a
 * number counts as newer, a missing version does not.
 */
export function hasNewerVersion(value: unknown, currentVersion: number): boolean {
  if (!isRecord(value) || value['version'] === undefined) return false;
  const { version } = value;
  return typeof version !== 'number' || version > currentVersion;
}

/**
 * Checks whether a newer version of the extension wrote a text: its first line, or the whole text,
 * is a JSON object with a newer `version`. Such a text must not be changed or deleted without a
 * request by the user.
 */
export function isFromNewerVersion(text: string): boolean {
  const [line = ''] = text.split('\n', 1);
  return hasNewerVersion(parseJson(line) ?? parseJson(text), storedVersion);
}
