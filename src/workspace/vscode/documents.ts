import { posix } from 'node:path';
import * as vscode from 'vscode';

/**
 * How a model is told where a document is: below its workspace folder, with the folder's name where there are several;
 * outside of them the name alone, since the rest tells who the person is. One line, with forward slashes.
 */
export function pathForModel(document: Pick<vscode.TextDocument, 'uri'>): string {
  const cell = cellOf(document);
  if (cell === undefined) return pathOfFile(document.uri);
  return `${pathOfFile(cell.notebook.uri)}#cell-${cell.index + 1}`;
}

/** As {@link pathForModel}, for what is no cell. */
export function pathOfFile(uri: vscode.Uri): string {
  const path =
    vscode.workspace.getWorkspaceFolder(uri) === undefined
      ? posix.basename(uri.path)
      : vscode.workspace.asRelativePath(uri);
  return path.replaceAll(/\p{Cc}/gu, ' ');
}

const cells = new WeakMap<object, vscode.NotebookCell>();

/** The cell of a notebook whose text the document is. */
export function cellOf(
  document: Pick<vscode.TextDocument, 'uri'>,
): vscode.NotebookCell | undefined {
  if (document.uri.scheme !== 'vscode-notebook-cell') return undefined;
  const known = cells.get(document);
  if (known !== undefined && known.index >= 0) return known;
  for (const notebook of vscode.workspace.notebookDocuments) {
    if (notebook.uri.path !== document.uri.path) continue;
    const address = document.uri.toString();
    const cell = notebook.getCells().find((each) => each.document.uri.toString() === address);
    if (cell === undefined) continue;
    cells.set(document, cell);
    return cell;
  }
  return undefined;
}

/** The open document of an address, which is a URI as text. */
export const openDocument = (address: string): vscode.TextDocument | undefined =>
  vscode.workspace.textDocuments.find(
    ({ uri, isClosed }) => !isClosed && uri.toString() === address,
  );

/** Addresses of the documents in tabs, the visible ones first. One that was not shown yet may have no text. */
export function addressesInTabs(): ReadonlySet<string> {
  const visible = vscode.window.visibleTextEditors.map(({ document }) => document.uri);
  const tabs = vscode.window.tabGroups.all
    .flatMap((group) => group.tabs.toSorted((a, b) => Number(b.isActive) - Number(a.isActive)))
    .flatMap(({ input }) => (input instanceof vscode.TabInputText ? [input.uri] : []));
  return new Set([...visible, ...tabs].map((uri) => uri.toString()));
}
