import type * as vscode from 'vscode';
import type { PlaceholderValues } from './placeholders.ts';

/** Data that the extension stored outside of files. A fixture contains it as one JSON file. */
export interface StoredState {
  readonly globalState: Readonly<Record<string, unknown>>;
  readonly workspaceState: Readonly<Record<string, unknown>>;
  readonly secrets: Readonly<Record<string, string>>;
}

/** Instructions for `extension-entry.ts`, which it reads before it activates the extension. */
export interface Preparation {
  /** Folder of the fixture to install. If null, the extension starts with empty storage. */
  readonly fixtureFolder: string | null;
  readonly placeholderValues: PlaceholderValues;
}

/** Objects that `extension-entry.ts` stores in `globalThis` under {@link preparedKey}. */
export interface PreparedHost {
  /** Extension context that was passed to the extension. */
  readonly context: vscode.ExtensionContext;
  /** API object that was passed to the extension. Suites replace dialogs in it. */
  readonly vscodeApi: typeof vscode;
  /** Views that the extension registered, by id. Suites open them with a simulated page. */
  readonly views: ReadonlyMap<string, vscode.WebviewViewProvider>;
  /** Files of the fixture after placeholders were replaced, by path in the storage folder. */
  readonly storedFiles: ReadonlyMap<string, Uint8Array>;
  readonly state: StoredState;
  readonly settings: Readonly<Record<string, unknown>>;
}

export const preparedKey = 'inferenceServiceStoredData';
export const preparationFile = 'preparation.json';
