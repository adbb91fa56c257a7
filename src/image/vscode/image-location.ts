import { homedir } from 'node:os';
import { posix } from 'node:path';
import * as vscode from 'vscode';
import { type FolderContext, type FolderProblem, resolveImageFolder } from '../image-folder.ts';
import type { ImageRecord } from '../image-record.ts';
import { FolderMovedError, ImageSourceError } from './image-failure.ts';
import { type Action, confirm, showError, showWithActions } from '../../platform/notifications.ts';
import { getWorkspaceSetting } from '../../platform/settings.ts';
import {
  getRelativePath,
  isOnDisk,
  resolveRealPathOrSelf,
  inspectRealPath,
} from '../../workspace/vscode/real-paths.ts';
import { isInWorkspace } from '../../workspace/vscode/labels.ts';

/**
 * Determines the folder for an image from the folder setting. Returns `ask` if the setting does not apply because no
 * workspace is open, or because the document is unsaved or outside of the workspace.
 * @param document document to which the image will be added; undefined without a document
 */
export function chooseImageFolder(document: vscode.TextDocument | undefined): FolderChoice {
  const root = findWorkspaceFolder(document);
  if (root === undefined) return { kind: 'ask' };
  const text = getWorkspaceSetting(folderSetting, document ?? root.uri);
  const imageFolder = resolveImageFolder(text, {
    hasWorkspace: true,
    ...(document === undefined ? {} : { document: splitDocumentPath(document.uri, root) }),
  });
  if (imageFolder.kind === 'problem')
    return { kind: 'problem', text: formatFolderProblem(imageFolder.code) };
  const base =
    imageFolder.base === 'document' && document !== undefined
      ? vscode.Uri.joinPath(toNotebookUri(document.uri), '..')
      : root.uri;
  return { kind: 'folder', folder: vscode.Uri.joinPath(base, ...imageFolder.segments) };
}

export type FolderChoice =
  | { readonly kind: 'folder'; readonly folder: vscode.Uri }
  | { readonly kind: 'ask' }
  /** Problem with the folder setting, as a message for the user. */
  | { readonly kind: 'problem'; readonly text: string };

function findWorkspaceFolder(
  document: vscode.TextDocument | undefined,
): vscode.WorkspaceFolder | undefined {
  if (document === undefined) return vscode.workspace.workspaceFolders?.[0];
  return document.isUntitled
    ? undefined
    : vscode.workspace.getWorkspaceFolder(toNotebookUri(document.uri));
}

function splitDocumentPath(
  uri: vscode.Uri,
  root: vscode.WorkspaceFolder,
): NonNullable<FolderContext['document']> {
  const names = posix.relative(root.uri.path, uri.path).split('/');
  return { name: names.at(-1) ?? '', folderNames: names.slice(0, -1) };
}

/** Location that the user chose for an image. */
export interface SaveTarget {
  readonly target: vscode.Uri;
  /** True if the user agreed to replace an existing file of this name. */
  readonly canReplace: boolean;
}

/** Shows the save dialog. Appends the extension of the image's format if the user typed another one. */
export async function promptForSaveTarget(
  record: ImageRecord,
  name: string,
): Promise<SaveTarget | undefined> {
  // The dialog can suggest a file name only together with a folder.
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file(homedir());
  const chosenUri = await vscode.window.showSaveDialog({
    title: vscode.l10n.t('Save As…'),
    defaultUri: vscode.Uri.joinPath(folder, name),
    filters: { [vscode.l10n.t('Image')]: fileExtensions[record.format] },
  });
  if (chosenUri === undefined) return undefined;
  const hasKnownExtension = fileExtensions[record.format].includes(
    posix.extname(chosenUri.path).slice(1).toLowerCase(),
  );
  if (hasKnownExtension) return { target: chosenUri, canReplace: true };
  const target = chosenUri.with({ path: `${chosenUri.path}.${fileExtensions[record.format][0]}` });
  return { target, canReplace: false };
}

const fileExtensions: Readonly<Record<ImageRecord['format'], string[]>> = {
  jpeg: ['jpg', 'jpeg'],
  png: ['png'],
  webp: ['webp'],
};

/** Returns the URI of the notebook for the URI of a notebook cell. Returns other URIs unchanged. */
const toNotebookUri = (uri: vscode.Uri): vscode.Uri =>
  uri.scheme === 'vscode-notebook-cell'
    ? (vscode.workspace.notebookDocuments.find(({ uri: { path } }) => path === uri.path)?.uri ??
      uri)
    : uri;

/**
 * Returns the message for an invalid folder setting. Omits the value of the setting, because an untrusted repository
 * can choose the value.
 */
function formatFolderProblem(code: FolderProblem['code']): string {
  switch (code) {
    case 'unknown-variable':
    case 'misplaced-variable':
      return vscode.l10n.t(
        'The setting {0} must name a folder inside of the workspace.',
        folderSetting,
      );
    case 'no-document':
    case 'no-workspace':
    case 'no-place':
      return vscode.l10n.t('The setting {0} needs a document. Open one.', folderSetting);
    case 'bad-name':
      return vscode.l10n.t('The setting {0} contains an invalid folder name.', folderSetting);
    default:
      return vscode.l10n.t(
        'The setting {0} must name a folder inside of the workspace.',
        folderSetting,
      );
  }
}

/** Creates an action that opens the folder setting. */
const createOpenSettingAction = (): Action => ({
  label: vscode.l10n.t('Open Settings'),
  run: () =>
    vscode.commands.executeCommand('workbench.action.openSettings', `@id:${folderSetting}`),
});

const folderSetting = 'inferenceService.image.folder';

/** Folder that the extension may write to. */
export interface AuthorizedFolder {
  readonly uri: vscode.Uri;
  /**
   * Real path of the folder, if a symbolic link leads out of the workspace and the user accepted this location.
   * Undefined without such a link.
   */
  readonly linkTarget: string | undefined;
}

/**
 * Asks the user for consent before files are written to a location that a repository could have chosen. This is any
 * location in an untrusted workspace, or the target of a symbolic link that leads out of the workspace.
 * @returns undefined if the user declines
 */
export async function authorizeFolder(uri: vscode.Uri): Promise<AuthorizedFolder | undefined> {
  const label = vscode.workspace.asRelativePath(uri);
  const linkTarget = await resolveOutsideTarget(uri);
  const authorizedFolder = { uri, linkTarget };
  const saveLabel = vscode.l10n.t('Save');
  if (linkTarget !== undefined) {
    const question = vscode.l10n.t('Write the image outside of the workspace?');
    const detail = vscode.l10n.t('{0} is a link that leads to {1}.', label, linkTarget);
    return (await confirm({ question, detail }, saveLabel)) === saveLabel
      ? authorizedFolder
      : undefined;
  }
  if (vscode.workspace.isTrusted || !isInWorkspace(uri)) return authorizedFolder;
  const question = vscode.l10n.t('Write the image into this workspace?');
  const detail = vscode.l10n.t(
    'It is in Restricted Mode. The image would be written to {0}.',
    label,
  );
  return (await confirm({ question, detail }, saveLabel)) === saveLabel
    ? authorizedFolder
    : undefined;
}

/**
 * Returns the folder in which to save the images of a document. Returns `ask` if the caller must show a save dialog.
 * Returns `none` if the user declined the folder or an error was shown.
 */
export async function resolveWritableFolder(
  document: vscode.TextDocument | undefined,
): Promise<AuthorizedFolder | 'ask' | 'none'> {
  const choice = chooseImageFolder(document);
  switch (choice.kind) {
    case 'ask':
      return 'ask';
    case 'problem':
      await showFolderProblem(choice.text);
      return 'none';
    case 'folder':
      return (await authorizeFolder(choice.folder)) ?? 'none';
  }
}

/** Shows a problem with the folder setting as an error, with an action that opens the setting. */
export const showFolderProblem = (text: string): Promise<void> =>
  showWithActions(showError, text, [createOpenSettingAction()]);

/**
 * Checks that the folder still leads to the authorized location. A program could replace the folder with a symbolic
 * link during the call, which can take minutes.
 * @throws FolderMovedError if the folder now leads to another location
 */
export async function assertSameLinkTarget({ uri, linkTarget }: AuthorizedFolder): Promise<void> {
  if ((await resolveOutsideTarget(uri)) === linkTarget) return;
  throw new FolderMovedError(
    vscode.l10n.t(
      'The folder {0} leads to another location than before, so nothing was written there.',
      vscode.workspace.asRelativePath(uri),
    ),
  );
}

/**
 * Rejects files in an untrusted workspace, so that they are never sent to the service.
 * @throws ImageSourceError with a message for the user
 */
export function assertTrusted(file: vscode.Uri): void {
  if (vscode.workspace.isTrusted || !isInWorkspace(file)) return;
  throw new ImageSourceError(
    vscode.l10n.t('Nothing of this folder is sent until you trust the workspace.'),
  );
}

/**
 * Asks the user for consent before an image outside of the workspace is sent, if a symbolic link in the workspace leads
 * to it.
 * @returns the real location of the image, so that later changes of the link have no effect
 * @throws ImageSourceError if the image must not be sent
 * @throws if the file system cannot resolve the link
 */
export async function authorizeUpload(file: vscode.Uri): Promise<vscode.Uri> {
  assertTrusted(file);
  if (!isOnDisk(file)) return file;
  const outsideTarget = await resolveOutsideTarget(file);
  if (outsideTarget === undefined)
    return vscode.Uri.file((await inspectRealPath(file.fsPath)).path);
  const sendLabel = vscode.l10n.t('Send');
  const label = vscode.workspace.asRelativePath(file);
  const question = vscode.l10n.t('Send an image from outside of the workspace to the service?');
  const detail = vscode.l10n.t('{0} is a link that leads to {1}.', label, outsideTarget);
  if ((await confirm({ question, detail }, sendLabel)) === sendLabel)
    return vscode.Uri.file(outsideTarget);
  throw new ImageSourceError(
    vscode.l10n.t('The image lies outside of the workspace. It was not sent.'),
  );
}

/**
 * Returns the real path of a file or folder if a symbolic link leads out of its workspace folder. Otherwise returns
 * undefined.
 */
async function resolveOutsideTarget(uri: vscode.Uri): Promise<string | undefined> {
  const root = vscode.workspace.getWorkspaceFolder(uri);
  if (root === undefined || !isOnDisk(uri)) return undefined;
  const [realPath, realRoot] = await Promise.all([
    inspectRealPath(uri.fsPath),
    resolveRealPathOrSelf(root.uri),
  ]);
  return getRelativePath(realRoot, realPath.path) === undefined ? realPath.path : undefined;
}
