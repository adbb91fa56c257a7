import * as vscode from 'vscode';
import { below, isOnDisk, realOrOwn, realPlace } from '../../workspace/vscode/real-paths.ts';
import { maySendFile } from '../../workspace/vscode/send-consent.ts';
import { ask } from '../../platform/notifications.ts';
import { FolderMovedError, ImageSourceError } from './image-failure.ts';

/** A folder that a picture may be written to. */
export interface AllowedFolder {
  readonly uri: vscode.Uri;
  /** Where the link leads that the person agreed to; undefined for a folder that really is in the workspace. */
  readonly elsewhere: string | undefined;
}

/**
 * Asks before a picture is written where a repository could have decided the place: in a workspace that is not
 * trusted, and through a link that leads out of it.
 * @returns undefined when the person said no
 */
export async function mayWriteTo(uri: vscode.Uri): Promise<AllowedFolder | undefined> {
  const label = vscode.workspace.asRelativePath(uri);
  const elsewhere = await leadsElsewhere(uri);
  const allowed = { uri, elsewhere };
  const write = vscode.l10n.t('Write');
  if (elsewhere !== undefined) {
    const question = vscode.l10n.t('Write the picture outside of the workspace?');
    const detail = vscode.l10n.t('{0} is a link that leads to {1}.', label, elsewhere);
    return (await ask({ question, detail }, write)) === write ? allowed : undefined;
  }
  if (vscode.workspace.isTrusted || !isInWorkspace(uri)) return allowed;
  const question = vscode.l10n.t('Write the picture into this workspace?');
  const detail = vscode.l10n.t(
    'It is in Restricted Mode. The picture would be written to {0}.',
    label,
  );
  return (await ask({ question, detail }, write)) === write ? allowed : undefined;
}

/**
 * To be called right before writing: making a picture takes minutes, in which a program can replace a folder by a link.
 * @throws FolderMovedError when the folder leads to another place than the one that was allowed
 */
export async function assertUnmoved({ uri, elsewhere }: AllowedFolder): Promise<void> {
  if ((await leadsElsewhere(uri)) === elsewhere) return;
  throw new FolderMovedError(
    vscode.l10n.t(
      'The folder {0} leads to another place than before, so nothing was written there.',
      vscode.workspace.asRelativePath(uri),
    ),
  );
}

/**
 * Nothing of a folder that is not trusted is sent.
 * @throws ImageSourceError for the person
 */
export function assertTrusted(file: vscode.Uri): void {
  if (vscode.workspace.isTrusted || !isInWorkspace(file)) return;
  throw new ImageSourceError(
    vscode.l10n.t('Nothing of this folder is sent until you trust the workspace.'),
  );
}

/**
 * Asks before a picture is sent that a link of the workspace leads out to.
 * @returns where the file really is: a link that changes meanwhile leads nowhere else
 * @throws ImageSourceError when it may not be sent; what the disk says
 */
export async function fileToSend(file: vscode.Uri): Promise<vscode.Uri> {
  assertTrusted(file);
  if (!isOnDisk(file)) return file;
  const elsewhere = await leadsElsewhere(file);
  if (elsewhere === undefined) return vscode.Uri.file((await realPlace(file.fsPath)).path);
  const send = vscode.l10n.t('Send');
  const label = vscode.workspace.asRelativePath(file);
  const question = vscode.l10n.t('Send a picture from outside of the workspace to the service?');
  const detail = vscode.l10n.t('{0} is a link that leads to {1}.', label, elsewhere);
  if ((await ask({ question, detail }, send)) === send) return vscode.Uri.file(elsewhere);
  throw new ImageSourceError(
    vscode.l10n.t('The picture lies outside of the workspace. It was not sent.'),
  );
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
  return (await ask({ question, detail }, send)) === send;
}

const isInWorkspace = (uri: vscode.Uri): boolean =>
  vscode.workspace.getWorkspaceFolder(uri) !== undefined;

/** Where a folder or file really is, when a link leads out of its workspace folder. */
async function leadsElsewhere(uri: vscode.Uri): Promise<string | undefined> {
  const root = vscode.workspace.getWorkspaceFolder(uri);
  if (root === undefined || !isOnDisk(uri)) return undefined;
  const [place, realRoot] = await Promise.all([realPlace(uri.fsPath), realOrOwn(root.uri)]);
  return below(realRoot, place.path) === undefined ? place.path : undefined;
}
