import { posix } from 'node:path';
import * as vscode from 'vscode';

/**
 * Returns the path of a document for the model, on a single line with forward slashes. The path is relative to the
 * workspace folder, and includes the folder name if several folders are open. For a notebook cell, returns the path of
 * the notebook with the 1-based number of the cell. For a document outside the workspace, returns only the file name,
 * because a full path can reveal the user's name.
 */
export function getPathForModel(document: Pick<vscode.TextDocument, 'uri'>): string {
  const cell = findCell(document);
  if (cell === undefined) return getFilePath(document.uri);
  return `${getFilePath(cell.notebook.uri)}#cell-${cell.index + 1}`;
}

/**
 * Returns the path of a file for the model, as {@link getPathForModel} does for documents other than
 * notebook cells.
 */
export function getFilePath(uri: vscode.Uri): string {
  const path =
    vscode.workspace.getWorkspaceFolder(uri) === undefined
      ? posix.basename(uri.path)
      : vscode.workspace.asRelativePath(uri);
  return path.replaceAll(/\p{Cc}/gu, ' ');
}

const cellCache = new WeakMap<object, vscode.NotebookCell>();

/** Returns the notebook cell that contains the document, or undefined for any other document. */
export function findCell(
  document: Pick<vscode.TextDocument, 'uri'>,
): vscode.NotebookCell | undefined {
  if (document.uri.scheme !== 'vscode-notebook-cell') return undefined;
  const cachedCell = cellCache.get(document);
  if (cachedCell !== undefined && cachedCell.index >= 0) return cachedCell;
  for (const notebook of vscode.workspace.notebookDocuments) {
    if (notebook.uri.path !== document.uri.path) continue;
    const uriText = document.uri.toString();
    const cell = notebook.getCells().find((cell) => cell.document.uri.toString() === uriText);
    if (cell === undefined) continue;
    cellCache.set(document, cell);
    return cell;
  }
  return undefined;
}

/** Finds an open document by the string form of its URI. */
export const findOpenDocument = (uriText: string): vscode.TextDocument | undefined =>
  vscode.workspace.textDocuments.find(
    ({ uri, isClosed }) => !isClosed && uri.toString() === uriText,
  );

/**
 * Lists the URIs of visible editors, then of all other text tabs. Returns URIs instead of documents, because VS Code
 * may not have loaded the document of a tab that was never visible in this window.
 */
export function listTabUris(): ReadonlySet<string> {
  const visibleUris = vscode.window.visibleTextEditors.map(({ document }) => document.uri);
  const tabUris = vscode.window.tabGroups.all
    .flatMap((group) => group.tabs.toSorted((a, b) => Number(b.isActive) - Number(a.isActive)))
    .flatMap(({ input }) => (input instanceof vscode.TabInputText ? [input.uri] : []));
  return new Set([...visibleUris, ...tabUris].map((uri) => uri.toString()));
}

export const isNotebookPath = ({ path }: vscode.Uri): boolean => /\.ipynb$/iu.test(path);

/**
 * Checks whether a file must be written on disk, because it is a notebook that no tab shows as text: if its text document
 * has unsaved changes, even for a moment, VS Code opens a notebook editor, which saves the notebook in its own format.
 * False if the text document already has unsaved changes, because they would be lost on disk.
 */
export const needsDiskWrite = (uri: vscode.Uri): boolean =>
  isNotebookPath(uri) &&
  !listTabUris().has(uri.toString()) &&
  findOpenDocument(uri.toString())?.isDirty !== true;

/** Checks whether a file is open as a notebook with unsaved changes. Nothing can be merged into such a notebook. */
export const isUnsavedNotebook = (uriText: string): boolean =>
  vscode.workspace.notebookDocuments.some(
    ({ uri, isDirty }) => isDirty && uri.toString() === uriText,
  );
