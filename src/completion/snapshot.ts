/**
 * Text around the cursor at one point in time. A suggestion depends only on the snapshot, not on later changes of the
 * document. Line ends are `\n`, and lengths are limited by {@link snapshotLimits}.
 */
export interface Snapshot {
  /** URI of the document. Each notebook cell is a separate document. */
  readonly documentUri: string;
  readonly languageId: string;
  /**
   * Path that the model receives: relative to the workspace folder and with forward slashes. For a file outside the
   * workspace, only the file name.
   */
  readonly path: string;
  /** Cursor position, 0-based, in UTF-16 code units. */
  readonly position: { readonly line: number; readonly character: number };
  /** Text directly before the cursor. */
  readonly prefix: string;
  /** Text directly after the cursor. */
  readonly suffix: string;
  /** Indentation of one level: a tab or several spaces. */
  readonly indentUnit: string;
}

/** Maximum lengths of the texts in a {@link Snapshot}, in characters. */
export const snapshotLimits = { prefix: 12_000, suffix: 4_000 } as const;
