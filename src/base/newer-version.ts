import { isRecord, parseJson } from './json.ts';

/**
 * Current format version of all stored files. Data that is not stored in files, such as permissions, has its own
 * versions.
 */
const storedFileVersion = 1;

/**
 * Checks whether a stored value has a `version` above `currentVersion`. A `version` that is not a
 * number counts as newer. A missing `version` does not count as newer.
 */
export function hasNewerVersion(value: unknown, currentVersion: number): boolean {
  if (!isRecord(value) || value['version'] === undefined) return false;
  const { version } = value;
  return typeof version !== 'number' || version > currentVersion;
}

/**
 * Checks whether a newer version of the extension wrote a stored text. In such a text, the first line or the whole text
 * is a JSON object with a newer `version`. Callers must not change or delete such a text unless the user requests it.
 */
export function isFromNewerVersion(text: string): boolean {
  const [line = ''] = text.split('\n', 1);
  return hasNewerVersion(parseJson(line) ?? parseJson(text), storedFileVersion);
}
