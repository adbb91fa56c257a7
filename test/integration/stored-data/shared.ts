import type * as vscode from 'vscode';
import type { ServiceValues } from './placeholders.ts';

/** Data that a version stored outside of files. A fixture contains it as one JSON file. */
export interface StoredState {
  readonly globalState: Readonly<Record<string, unknown>>;
  readonly workspaceState: Readonly<Record<string, unknown>>;
  readonly secrets: Readonly<Record<string, string>>;
}

/** Instructions for the entry of the extension under test, read before it activates the product. */
export interface Preparation {
  /** Folder of the fixture to install; null to start with empty storage. */
  readonly fixture: string | null;
  readonly values: ServiceValues;
}

/**
 * Result of the entry of the extension under test, stored in `globalThis` under {@link
 * preparedKey}.
 */
export interface Prepared {
  /** The context passed to the product. */
  readonly context: vscode.ExtensionContext;
  /** The API object passed to the product; a suite replaces dialogs in it. */
  readonly api: typeof vscode;
  /**
   * Views that the product registered, by id. A suite opens them with its own page instead of VS
   * Code.
   */
  readonly views: ReadonlyMap<string, vscode.WebviewViewProvider>;
  /** Files of the fixture with the values of this run, by their paths in the storage folder. */
  readonly storedFiles: ReadonlyMap<string, Uint8Array>;
  readonly state: StoredState;
  readonly settings: Readonly<Record<string, unknown>>;
}

export const preparedKey = 'inferenceServiceStoredData';
export const preparationFile = 'preparation.json';
