import type * as vscode from 'vscode';
import type { ServiceValues } from './placeholders.ts';

/** Everything that a version stored outside files: one JSON file of a fixture. */
export interface StoredState {
  readonly globalState: Readonly<Record<string, unknown>>;
  readonly workspaceState: Readonly<Record<string, unknown>>;
  readonly secrets: Readonly<Record<string, string>>;
}

/** Tells the entry of the extension under test what to do before it activates the product. */
export interface Preparation {
  /** Folder of the fixture to put in place; null when the storage starts empty. */
  readonly fixture: string | null;
  readonly values: ServiceValues;
}

/** Result of the entry of the extension under test: `globalThis` contains it as {@link preparedKey}. */
export interface Prepared {
  /** The context that the product got. */
  readonly context: vscode.ExtensionContext;
  /** The API object that the product got; a suite replaces dialogs in it. */
  readonly api: typeof vscode;
  /** Views that the product registered, by id. VS Code does not get them: a suite opens them with a page of its own. */
  readonly views: ReadonlyMap<string, vscode.WebviewViewProvider>;
  /** Files of the fixture with the values of this run, by their paths in the storage folder. */
  readonly storedFiles: ReadonlyMap<string, Uint8Array>;
  readonly state: StoredState;
  readonly settings: Readonly<Record<string, unknown>>;
}

export const preparedKey = 'inferenceServiceStoredData';
export const preparationFile = 'preparation.json';
