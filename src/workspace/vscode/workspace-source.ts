import * as vscode from 'vscode';
import { type FileSource, type FolderEntry, largestScannedFile } from '../search.ts';

/** The files of a folder in a virtual workspace. */
export class WorkspaceSource implements FileSource {
  readonly #root: vscode.Uri;

  constructor(root: vscode.Uri) {
    this.#root = root;
  }

  async entries(path: string): Promise<readonly FolderEntry[]> {
    try {
      const found = await vscode.workspace.fs.readDirectory(this.#uri(path));
      return found.map(([name, type]) => ({ name, kind: kindOf(type) }));
    } catch {
      return [];
    }
  }

  async read(path: string): Promise<Uint8Array | undefined> {
    try {
      const { size } = await vscode.workspace.fs.stat(this.#uri(path));
      return size > largestScannedFile
        ? undefined
        : await vscode.workspace.fs.readFile(this.#uri(path));
    } catch {
      return undefined;
    }
  }

  #uri(path: string): vscode.Uri {
    return path === '' ? this.#root : vscode.Uri.joinPath(this.#root, path);
  }
}

/** A link is something else, whatever it points to. */
function kindOf(type: vscode.FileType): FolderEntry['kind'] {
  if (type === vscode.FileType.File) return 'file';
  return type === vscode.FileType.Directory ? 'folder' : 'other';
}
