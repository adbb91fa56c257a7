import type * as vscode from 'vscode';
import type { ServiceValues } from './placeholders.ts';

/** Data that the product stored outside of files. A fixture contains it as one JSON file. */
export interface StoredState {
  readonly globalState: Readonly<Record<string, unknown>>;
  readonly workspaceState: Readonly<Record<string, unknown>>;
  readonly secrets: Readonly<Record<string, string>>;
}

/** Instructions for `extension-entry.ts`, which reads them before it activates the product. */
export interface Preparation {
  /** Folder of the fixture to install; null to start with empty storage. */
  readonly fixture: string | null;
  readonly values: ServiceValues;
}

/** Objects that `extension-entry.ts` stores in `globalThis` under {@link preparedKey}. */
export interface PreparedHost {
  /** The context passed to the product. */
  readonly context: vscode.ExtensionContext;
  /** The API object passed to the product; a suite replaces dialogs in it. */
  readonly api: typeof vscode;
  /** Views that the product registered, by id. A suite opens them with a simulated page. */
  readonly views: ReadonlyMap<string, vscode.WebviewViewProvider>;
  /**
   * Files of the fixture after the replacement of placeholders, keyed by path in the storage
   * folder.
   */
  readonly storedFiles: ReadonlyMap<string, Uint8Array>;
  readonly state: StoredState;
  readonly settings: Readonly<Record<string, unknown>>;
}

export const preparedKey = 'inferenceServiceStoredData';
export const preparationFile = 'preparation.json';
