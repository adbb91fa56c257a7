/**
 * Text around the cursor at one point in time. All decisions about a suggestion use only the
 * snapshot. Limited by {@link snapshotLimits}; line ends are `\n`.
 */
export interface Snapshot {
  /** URI of the document. Each notebook cell has its own. */
  readonly document: string;
  readonly languageId: string;
  /**
   * Path shown to the model: relative to the workspace folder, with forward slashes, or the file name outside of
   * it.
   */
  readonly path: string;
  /** Cursor position, zero-based, in UTF-16 units. */
  readonly position: { readonly line: number; readonly character: number };
  /** Text directly before the cursor. */
  readonly prefix: string;
  /** Text directly after the cursor. */
  readonly suffix: string;
  /** One step of indentation: a tab, or spaces. */
  readonly indentUnit: string;
}

/** Maximum lengths in a {@link Snapshot}, in characters. */
export const snapshotLimits = { prefix: 12_000, suffix: 4_000 } as const;

/** Returns the text before the cursor on its line. */
export const linePrefix = ({ prefix }: Snapshot): string =>
  prefix.slice(prefix.lastIndexOf('\n') + 1);

/** Returns the text after the cursor on its line. */
export function lineSuffix({ suffix }: Snapshot): string {
  const end = suffix.indexOf('\n');
  return end < 0 ? suffix : suffix.slice(0, end);
}
