/** Values that differ between machines or runs, by the placeholder that replaces them in a fixture. */
export interface RunValues {
  /** URI of the opened folder. */
  readonly __WORKSPACE_URI__: string;
  /** Path of the opened folder. */
  readonly __WORKSPACE_PATH__: string;
  /** Name that the extension derives from the workspace URI: a hash of this URI. */
  readonly __WORKSPACE_NAME__: string;
  /** Folder of the extension's global storage. */
  readonly __STORAGE_PATH__: string;
  /** Base URL of the local service. */
  readonly __BASE_URL__: string;
  readonly __ORIGIN__: string;
  readonly __API_KEY__: string;
  readonly __ADMIN_KEY__: string;
  /** Last six characters of the API key. The extension stores only these characters outside of secret storage. */
  readonly __API_KEY_END__: string;
  readonly __ADMIN_KEY_END__: string;
  /**
   * Current local date, such as `2026-11-21`. A fixed date is not possible, because the extension deletes spending
   * records that are older than two months.
   */
  readonly __TODAY__: string;
}

/** Part of {@link RunValues} that the test runner knows. The extension host adds the other values. */
export type PlaceholderValues = Pick<
  RunValues,
  '__BASE_URL__' | '__ORIGIN__' | '__API_KEY__' | '__ADMIN_KEY__'
>;

/** Replaces placeholders with the values of this run. */
export const replacePlaceholders = (text: string, values: Partial<RunValues>): string =>
  Object.entries(values).reduce((result, [name, value]) => result.replaceAll(name, value), text);

/**
 * Replaces the values of this run with placeholders. Replaces longer values first, because a value can contain another
 * one.
 */
export const insertPlaceholders = (text: string, values: Partial<RunValues>): string =>
  Object.entries(values)
    .filter(([, value]) => value !== '')
    .toSorted(([, a], [, b]) => b.length - a.length)
    .reduce((result, [name, value]) => result.replaceAll(value, name), text);

/** Checks whether a stored file is a text that may contain placeholders. All other files are copied unchanged. */
export const canHavePlaceholders = (path: string): boolean =>
  !/(?:^|\/)(?:blobs|media|attestations)\//u.test(path) && !/\.(?:png|jpe?g|webp)$/u.test(path);
