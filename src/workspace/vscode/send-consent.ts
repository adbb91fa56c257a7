import * as vscode from 'vscode';
import { looksSecret } from '../secret-file.ts';
import { isOnDisk, outermost, realPlace, realRoot, slashed, virtualPlace } from './real-paths.ts';
import { cellOf } from './documents.ts';
import { confirm } from '../../platform/notifications.ts';

/**
 * Whether a file may hold secrets: by its name, by the name of what a link leads to, or because it is named as one of
 * the workspace and a link leads out of it. What cannot be looked at may hold anything. Never rejects.
 */
export async function mayHoldSecrets(uri: vscode.Uri): Promise<boolean> {
  const file = cellOf({ uri })?.notebook.uri ?? uri;
  if (looksSecret(file.path)) return true;
  try {
    return isOnDisk(file) ? await leadsAstray(file) : await isThroughLink(file);
  } catch {
    return true;
  }
}

/** Whether a file may be sent: one that may hold secrets when the person says so. */
export const maySendFile = async (uri: vscode.Uri, label: string): Promise<boolean> =>
  !(await mayHoldSecrets(uri)) || confirmSecret(label, vscode.l10n.t('Send Anyway'));

/**
 * Asks before what may hold secrets is sent.
 * @param send The button that does it.
 */
export async function confirmSecret(label: string, send: string): Promise<boolean> {
  const question = vscode.l10n.t('{0} may hold secrets. It would be sent to the service.', label);
  return (await confirm({ question }, send)) === send;
}

/** Asks before text of a folder that is not trusted, or of a file that may hold secrets, is sent. */
export async function maySendSelection({ isUntitled, uri }: vscode.TextDocument): Promise<boolean> {
  if (isUntitled) return true;
  if (!vscode.workspace.isTrusted && !(await confirmUntrusted())) return false;
  return maySendFile(uri, vscode.workspace.asRelativePath(uri));
}

async function confirmUntrusted(): Promise<boolean> {
  const send = vscode.l10n.t('Send');
  const question = vscode.l10n.t('Send the selected text of this untrusted folder to the service?');
  const detail = vscode.l10n.t('The workspace is in Restricted Mode.');
  return (await confirm({ question, detail }, send)) === send;
}

async function leadsAstray({ fsPath }: vscode.Uri): Promise<boolean> {
  const { path } = await realPlace(fsPath);
  if (looksSecret(slashed(path))) return true;
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => isOnDisk(uri));
  const roots = await Promise.all(folders.map(realRoot));
  const isNamedInside = outermost(roots, fsPath, 'path') !== undefined;
  return isNamedInside && outermost(roots, path, 'real') === undefined;
}

/** Where links of other file systems lead nobody tells. What is in none of their folders is no file, as a new text. */
async function isThroughLink(uri: vscode.Uri): Promise<boolean> {
  if (vscode.workspace.getWorkspaceFolder(uri) === undefined) return false;
  return (await virtualPlace(uri)).throughLink;
}
