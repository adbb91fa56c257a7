/**
 * The text around a cursor at one moment: all that a decision about a suggestion is made from. Bounded by
 * {@link snapshotLimits}, whatever the size of the document. Line ends are `\n`.
 */
export interface Snapshot {
  /** The address of the document as text; cells of a notebook have one each. */
  readonly document: string;
  readonly languageId: string;
  /** For the model: below the workspace's folder, with forward slashes; else the name alone. */
  readonly path: string;
  /** Of the cursor, both from 0, in UTF-16 units. */
  readonly position: { readonly line: number; readonly character: number };
  /** What stands directly before the cursor. */
  readonly prefix: string;
  /** What stands directly behind it. */
  readonly suffix: string;
  /** One step of indentation: a tab, or spaces. */
  readonly indentUnit: string;
}

/** Most characters of a {@link Snapshot}. */
export const snapshotLimits = { prefix: 12_000, suffix: 4_000 } as const;

/** The part of the cursor's line that stands before it. */
export const linePrefix = ({ prefix }: Snapshot): string =>
  prefix.slice(prefix.lastIndexOf('\n') + 1);

/** The part of the cursor's line that stands behind it. */
export function lineSuffix({ suffix }: Snapshot): string {
  const end = suffix.indexOf('\n');
  return end < 0 ? suffix : suffix.slice(0, end);
}
