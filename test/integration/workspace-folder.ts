import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';

/**
 * Number of folders that were created in this run. Stored in a global variable, because each suite is a separate
 * bundle.
 */
const folderCounter = globalThis as { foldersInWorkspace?: number };

/**
 * Creates a folder in the open workspace and returns its path. No other folder of the run has the same name, because VS
 * Code may keep documents of a deleted folder. The names are the same in every run, because tests search for files by
 * folder name.
 */
export function makeFolder(prefix: string): string {
  const [root] = vscode.workspace.workspaceFolders ?? [];
  if (root === undefined) throw new Error('No folder is open.');
  folderCounter.foldersInWorkspace = (folderCounter.foldersInWorkspace ?? 0) + 1;
  const path = join(root.uri.fsPath, `${prefix}-${folderCounter.foldersInWorkspace}`);
  mkdirSync(path);
  return path;
}
