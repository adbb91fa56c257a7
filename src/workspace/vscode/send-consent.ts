import * as vscode from 'vscode';
import { isLikelySecret } from '../secret-file.ts';
import {
  isOnDisk,
  findOutermostRoot,
  inspectRealPath,
  resolveWorkspaceRoot,
  toForwardSlashes,
  inspectVirtualPath,
} from './real-paths.ts';
import { findCell } from './documents.ts';
import { confirm } from '../../platform/notifications.ts';

/**
 * Checks whether a file may contain secrets. Returns true if the name of the file or of its link target suggests
 * secrets. Also returns true if a link leads outside the workspace, or if the file can't be inspected. Never rejects.
 */
export async function mayContainSecrets(uri: vscode.Uri): Promise<boolean> {
  const fileUri = findCell({ uri })?.notebook.uri ?? uri;
  if (isLikelySecret(fileUri.path)) return true;
  try {
    return isOnDisk(fileUri)
      ? await isRealPathUnsafe(fileUri)
      : await isReachedThroughLink(fileUri);
  } catch {
    return true;
  }
}

/** Returns true if a file may be sent. Asks the user to confirm a file that may contain secrets. */
export const confirmSendFile = async (uri: vscode.Uri, label: string): Promise<boolean> =>
  !(await mayContainSecrets(uri)) || confirmSendSecret(label, vscode.l10n.t('Send Anyway'));

/**
 * Asks the user to confirm before a file that may contain secrets is sent.
 * @param confirmLabel Label of the confirm button.
 */
export async function confirmSendSecret(label: string, confirmLabel: string): Promise<boolean> {
  const question = vscode.l10n.t('{0} may hold secrets. It would be sent to the service.', label);
  return (await confirm({ question }, confirmLabel)) === confirmLabel;
}

/**
 * Asks the user to confirm before text from an untrusted workspace, or from a file that may contain secrets, is sent.
 */
export async function confirmSendSelection({
  isUntitled,
  uri,
}: vscode.TextDocument): Promise<boolean> {
  if (isUntitled) return true;
  if (!vscode.workspace.isTrusted && !(await confirmUntrustedWorkspace())) return false;
  return confirmSendFile(uri, vscode.workspace.asRelativePath(uri));
}

async function confirmUntrustedWorkspace(): Promise<boolean> {
  const sendLabel = vscode.l10n.t('Send');
  const question = vscode.l10n.t('Send the selected text of this untrusted folder to the service?');
  const detail = vscode.l10n.t('The workspace is in Restricted Mode.');
  return (await confirm({ question, detail }, sendLabel)) === sendLabel;
}

async function isRealPathUnsafe({ fsPath }: vscode.Uri): Promise<boolean> {
  const { path } = await inspectRealPath(fsPath);
  if (isLikelySecret(toForwardSlashes(path))) return true;
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => isOnDisk(uri));
  const roots = await Promise.all(folders.map(resolveWorkspaceRoot));
  const isNamedInside = findOutermostRoot(roots, fsPath, 'path') !== undefined;
  return isNamedInside && findOutermostRoot(roots, path, 'realPath') === undefined;
}

/**
 * Checks whether a file in a virtual file system is reached through a link. Virtual file systems do not report where a
 * link leads, so the target may contain secrets. Returns false for files outside the workspace and for untitled
 * documents.
 */
async function isReachedThroughLink(uri: vscode.Uri): Promise<boolean> {
  if (vscode.workspace.getWorkspaceFolder(uri) === undefined) return false;
  return (await inspectVirtualPath(uri)).isThroughLink;
}
