import { posix } from 'node:path';
import * as vscode from 'vscode';
import { oneLine } from '../../../base/hidden-characters.ts';
import { isInWorkspace } from '../../../workspace/vscode/labels.ts';
import { isOnDisk } from '../../../workspace/vscode/real-paths.ts';
import { ask } from '../../../platform/notifications.ts';

/**
 * The files and folders among the addresses that were dropped. Those outside of the workspace only when the person says
 * so, before anything looks at them: a page of the web can put any address on a drag. Undefined where there are none.
 */
export async function droppedPlaces(
  addresses: readonly string[],
): Promise<readonly vscode.Uri[] | undefined> {
  const places = addresses.flatMap((address) => placeOf(address) ?? []);
  if (places.length === 0) return undefined;
  const outside = places.filter((place) => !isInWorkspace(place));
  return outside.length === 0 || (await confirmOutside(outside))
    ? places
    : places.filter(isInWorkspace);
}

/** Undefined for what is no address of a file system of the workspace, or of the disk. */
function placeOf(address: string): vscode.Uri | undefined {
  try {
    const schemes = vscode.workspace.workspaceFolders?.map((folder) => folder.uri.scheme) ?? [];
    const uri = asSeenHere(vscode.Uri.parse(address.trim(), true), schemes);
    if (!isOnDisk(uri) && !schemes.includes(uri.scheme)) return undefined;
    // By its dots it could be named as one of the workspace, and lie outside.
    return uri.with({ path: posix.normalize(uri.path) });
  } catch {
    return undefined;
  }
}

/**
 * Where this runs on another machine than the window, the window names the files there by that machine. Of the name
 * only the kind is known here; a file of another kind of machine is none of this one.
 */
function asSeenHere(uri: vscode.Uri, schemes: readonly string[]): vscode.Uri {
  const [kind] = uri.authority.split('+');
  const isHere = kind === vscode.env.remoteName && !schemes.includes(remote);
  return uri.scheme === remote && isHere ? uri.with({ scheme: 'file', authority: '' }) : uri;
}

const remote = 'vscode-remote';

async function confirmOutside(places: readonly vscode.Uri[]): Promise<boolean> {
  const attach = vscode.l10n.t('Attach');
  const question = vscode.l10n.t('Attach what lies outside of the workspace?');
  const detail = places.map(nameOf).join('\n');
  return (await ask({ question, detail }, attach)) === attach;
}

const nameOf = (uri: vscode.Uri): string =>
  oneLine(isOnDisk(uri) ? uri.fsPath : uri.toString(true));
