import { chmod, lstat, symlink } from 'node:fs/promises';
import * as vscode from 'vscode';
import { restoredMode } from '../restore-plan.ts';
import type { Kept } from '../turn-record.ts';
import type { PlaceRefusal, RestorePlaces } from './restore-check.ts';
import { statOf } from './snapshot.ts';

/** Makes the file hold exactly these bytes; does not touch one that does. */
export async function writeExactly(uri: vscode.Uri, bytes: Uint8Array): Promise<void> {
  const now = await vscode.workspace.fs.readFile(uri).then(undefined, () => undefined);
  if (now !== undefined && Buffer.compare(now, bytes) === 0) return;
  await vscode.workspace.fs.writeFile(uri, bytes);
}

/** Makes a symbolic link where there was one and now is nothing. What it points to is not touched. */
export async function putLink(uri: vscode.Uri, { link }: Kept): Promise<void> {
  if (link === undefined || uri.scheme !== 'file') return;
  const there = await lstat(uri.fsPath).catch(() => undefined);
  if (there !== undefined) return;
  await vscode.workspace.fs.createDirectory(vscode.Uri.joinPath(uri, '..'));
  await symlink(link, uri.fsPath);
}

/** Lets a file that was made anew be run if it could be, and keeps it private if it was. */
export async function putMode(uri: vscode.Uri, { mode }: Kept): Promise<void> {
  if (mode !== undefined && uri.scheme === 'file') await chmod(uri.fsPath, restoredMode(mode));
}

/**
 * Makes folders that shall be there, and removes those that shall not when they are empty.
 * @param folders By URI, whether each shall be there.
 * @returns those that stay as they are for where they are.
 */
export async function putFolders(
  folders: ReadonlyMap<string, boolean>,
  places: RestorePlaces,
): Promise<readonly PlaceRefusal[]> {
  const refusals: PlaceRefusal[] = [];
  const deepestFirst = [...folders].toSorted(([a], [b]) => b.length - a.length);
  for (const [name, shallBe] of deepestFirst) {
    const refusal = await places.refusalOf(name);
    if (refusal !== undefined) {
      refusals.push(refusal);
      continue;
    }
    const uri = vscode.Uri.parse(name);
    if (shallBe) {
      if ((await statOf(uri)) === undefined) await vscode.workspace.fs.createDirectory(uri);
    } else if (await isEmptyFolder(uri)) await vscode.workspace.fs.delete(uri);
  }
  return refusals;
}

async function isEmptyFolder(uri: vscode.Uri): Promise<boolean> {
  const stat = await statOf(uri);
  // A link to an empty folder is not a folder of ours.
  if (stat?.type !== vscode.FileType.Directory) return false;
  return (await vscode.workspace.fs.readDirectory(uri)).length === 0;
}
