import * as vscode from 'vscode';

/**
 * Returns the label of a file for the model: its relative path, with the workspace folder's name if several folders are
 * open. For a file outside the workspace, returns the file name and a note instead of the path.
 */
export function formatUriLabel(uri: vscode.Uri): string {
  return isInWorkspace(uri)
    ? vscode.workspace.asRelativePath(uri, hasMultipleFolders())
    : `${getBaseName(uri)} (outside the workspace)`;
}

export const isInWorkspace = (uri: vscode.Uri): boolean =>
  vscode.workspace.getWorkspaceFolder(uri) !== undefined;

/**
 * Returns the paths by which the model refers to the workspace folders: `.` if only one folder is open, and otherwise
 * the names of the folders. If several folders have the same name, returns their full paths instead.
 */
export function listWorkspaceFolderPaths(): readonly string[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (!hasMultipleFolders()) return folders.map(() => '.');
  const isUnique = (name: string): boolean =>
    folders.filter((folder) => folder.name === name).length === 1;
  return folders.map(({ name, uri }) => (isUnique(name) ? name : uri.path));
}

export const hasMultipleFolders = (): boolean =>
  (vscode.workspace.workspaceFolders?.length ?? 0) > 1;

const getBaseName = (uri: vscode.Uri): string => uri.path.slice(uri.path.lastIndexOf('/') + 1);

export const pluralize = (count: number, singular: string, plural = `${singular}s`): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? singular : plural}`;
