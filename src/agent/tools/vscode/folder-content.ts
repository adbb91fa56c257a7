import * as vscode from 'vscode';

/** As many as are looked at; nobody reads more. */
export const contentLimit = 2_000;

/** What lies in a folder and its folders, by path below it; links are not followed. At most {@link contentLimit}. */
export async function folderContent(folder: vscode.Uri): Promise<string[]> {
  const found: string[] = [];
  const pending = [''];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const entries = await vscode.workspace.fs.readDirectory(vscode.Uri.joinPath(folder, next));
    for (const [name, type] of entries) {
      if (found.length === contentLimit) return found;
      const path = next === '' ? name : `${next}/${name}`;
      if (type === vscode.FileType.Directory) pending.push(path);
      else found.push(path);
    }
  }
  return found.toSorted();
}
