import { isRecord, parseJson } from './json.ts';

/** Format version of all stored files. States such as the permissions have versions of their own. */
const storedVersion = 1;

/**
 * Checks whether a stored value has a `version` above `currentVersion`. A version that is not a number counts as newer,
 * a value without one does not.
 */
export function isNewer(value: unknown, currentVersion: number): boolean {
  if (!isRecord(value) || value['version'] === undefined) return false;
  const { version } = value;
  return typeof version !== 'number' || version > currentVersion;
}

/**
 * Checks whether a newer version of the extension wrote a stored text: its first line, or all of it, is a JSON object
 * with a newer `version`. Such a text must not be changed or deleted, except when the user asks for it.
 */
export function isFromNewerVersion(text: string): boolean {
  const [line = ''] = text.split('\n', 1);
  return isNewer(parseJson(line) ?? parseJson(text), storedVersion);
}
