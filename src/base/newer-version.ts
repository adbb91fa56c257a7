import { isRecord, parseJson } from './json.ts';

/** Format version of all stored files. Stored states such as permissions have separate versions. */
const storedVersion = 1;

/**
 * Checks whether a stored value has a `version` above `currentVersion`. A version that is not a number counts as newer.
 * A value without a version does not.
 */
export function hasNewerVersion(value: unknown, currentVersion: number): boolean {
  if (!isRecord(value) || value['version'] === undefined) return false;
  const { version } = value;
  return typeof version !== 'number' || version > currentVersion;
}

/**
 * Checks whether a newer version of the extension wrote a text. Its first line, or the whole text, is then a JSON object
 * with a newer `version`. Such a text must not be changed or deleted unless the user requests it.
 */
export function isFromNewerVersion(text: string): boolean {
  const [line = ''] = text.split('\n', 1);
  return hasNewerVersion(parseJson(line) ?? parseJson(text), storedVersion);
}
