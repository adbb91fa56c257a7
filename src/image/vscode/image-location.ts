import { homedir } from 'node:os';
import { posix } from 'node:path';
import * as vscode from 'vscode';
import { type FolderContext, type FolderProblem, resolveImageFolder } from '../image-folder.ts';
import type { ImageRecord } from '../image-record.ts';
import { FolderMovedError, ImageSourceError } from './image-failure.ts';
import { type Action, confirm } from '../../platform/notifications.ts';
import { workspaceSetting } from '../../platform/settings.ts';
import { below, isOnDisk, realOrOwn, realPlace } from '../../workspace/vscode/real-paths.ts';
import { isInWorkspace } from '../../workspace/vscode/labels.ts';

/**
 * The folder for the pictures of a document, or of none. `ask` when only the person can say: for a document that lies in
 * no folder of the workspace, and without a workspace.
 */
export function imageFolderFor(document: vscode.TextDocument | undefined): FolderChoice {
  const root = rootOf(document);
  if (root === undefined) return { kind: 'ask' };
  const text = workspaceSetting(settingName, document ?? root.uri);
  const found = resolveImageFolder(text, {
    hasWorkspace: true,
    ...(document === undefined ? {} : { document: placeOf(document.uri, root) }),
  });
  if (found.kind === 'problem') return { kind: 'problem', text: problemText(found.code) };
  const base =
    found.base === 'document' && document !== undefined
      ? vscode.Uri.joinPath(fileOf(document.uri), '..')
      : root.uri;
  return { kind: 'folder', folder: vscode.Uri.joinPath(base, ...found.segments) };
}

export type FolderChoice =
  | { readonly kind: 'folder'; readonly folder: vscode.Uri }
  | { readonly kind: 'ask' }
  /** What is wrong with the setting, for the person. */
  | { readonly kind: 'problem'; readonly text: string };

function rootOf(document: vscode.TextDocument | undefined): vscode.WorkspaceFolder | undefined {
  if (document === undefined) return vscode.workspace.workspaceFolders?.[0];
  return document.isUntitled
    ? undefined
    : vscode.workspace.getWorkspaceFolder(fileOf(document.uri));
}

function placeOf(
  uri: vscode.Uri,
  root: vscode.WorkspaceFolder,
): NonNullable<FolderContext['document']> {
  const names = posix.relative(root.uri.path, uri.path).split('/');
  return { name: names.at(-1) ?? '', folder: names.slice(0, -1) };
}

/** Where the person wants a picture. */
export interface SaveTarget {
  readonly target: vscode.Uri;
  /** Whether they were asked about a file that lies there already. */
  readonly mayReplace: boolean;
}

/** Asks where a picture is to be written; the ending follows its bytes. */
export async function promptForSaveTarget(
  record: ImageRecord,
  name: string,
): Promise<SaveTarget | undefined> {
  // Without any folder the dialog would propose no name.
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file(homedir());
  const chosen = await vscode.window.showSaveDialog({
    title: vscode.l10n.t('Save Image'),
    defaultUri: vscode.Uri.joinPath(folder, name),
    filters: { [vscode.l10n.t('Image')]: endings[record.format] },
  });
  if (chosen === undefined) return undefined;
  const isRight = endings[record.format].includes(
    posix.extname(chosen.path).slice(1).toLowerCase(),
  );
  if (isRight) return { target: chosen, mayReplace: true };
  const target = chosen.with({ path: `${chosen.path}.${endings[record.format][0]}` });
  return { target, mayReplace: false };
}

const endings: Readonly<Record<ImageRecord['format'], string[]>> = {
  jpeg: ['jpg', 'jpeg'],
  png: ['png'],
  webp: ['webp'],
};

/** A cell of a notebook lies where its notebook does. */
const fileOf = (uri: vscode.Uri): vscode.Uri =>
  uri.scheme === 'vscode-notebook-cell'
    ? (vscode.workspace.notebookDocuments.find(({ uri: { path } }) => path === uri.path)?.uri ??
      uri)
    : uri;

/** What is wrong with the setting. Its value is not told: a repository may have written it. */
function problemText(code: FolderProblem['code']): string {
  switch (code) {
    case 'unknown-variable':
      return vscode.l10n.t('The setting {0} has a variable that does not exist.', settingName);
    case 'misplaced-variable':
      return vscode.l10n.t(
        'In the setting {0}, a variable must stand at the beginning.',
        settingName,
      );
    case 'no-document':
    case 'no-workspace':
    case 'no-place':
      return vscode.l10n.t('The setting {0} needs a document. Open one.', settingName);
    case 'bad-name':
      return vscode.l10n.t(
        'The setting {0} has a name that a folder for pictures cannot have. Use letters, digits, spaces, dots and hyphens.',
        settingName,
      );
    default:
      return vscode.l10n.t(
        'The setting {0} must name a folder inside of the workspace.',
        settingName,
      );
  }
}

/** What a person can do about a setting that names no folder for pictures. */
export const openFolderSetting = (): Action => ({
  label: vscode.l10n.t('Open Settings'),
  run: () => vscode.commands.executeCommand('workbench.action.openSettings', `@id:${settingName}`),
});

const settingName = 'inferenceService.image.folder';

/** A folder that a picture may be written to. */
export interface AuthorizedFolder {
  readonly uri: vscode.Uri;
  /** Where the link leads that the person agreed to; undefined for a folder that really is in the workspace. */
  readonly linkTarget: string | undefined;
}

/**
 * Asks before a picture is written where a repository could have decided the place: in a workspace that is not
 * trusted, and through a link that leads out of it.
 * @returns undefined when the person said no
 */
export async function authorizeFolder(uri: vscode.Uri): Promise<AuthorizedFolder | undefined> {
  const label = vscode.workspace.asRelativePath(uri);
  const linkTarget = await resolveOutsideTarget(uri);
  const allowed = { uri, linkTarget };
  const write = vscode.l10n.t('Write');
  if (linkTarget !== undefined) {
    const question = vscode.l10n.t('Write the picture outside of the workspace?');
    const detail = vscode.l10n.t('{0} is a link that leads to {1}.', label, linkTarget);
    return (await confirm({ question, detail }, write)) === write ? allowed : undefined;
  }
  if (vscode.workspace.isTrusted || !isInWorkspace(uri)) return allowed;
  const question = vscode.l10n.t('Write the picture into this workspace?');
  const detail = vscode.l10n.t(
    'It is in Restricted Mode. The picture would be written to {0}.',
    label,
  );
  return (await confirm({ question, detail }, write)) === write ? allowed : undefined;
}

/**
 * To be called right before writing: making a picture takes minutes, in which a program can replace a folder by a link.
 * @throws FolderMovedError when the folder leads to another place than the one that was allowed
 */
export async function assertSameLinkTarget({ uri, linkTarget }: AuthorizedFolder): Promise<void> {
  if ((await resolveOutsideTarget(uri)) === linkTarget) return;
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
export async function authorizeUpload(file: vscode.Uri): Promise<vscode.Uri> {
  assertTrusted(file);
  if (!isOnDisk(file)) return file;
  const outside = await resolveOutsideTarget(file);
  if (outside === undefined) return vscode.Uri.file((await realPlace(file.fsPath)).path);
  const send = vscode.l10n.t('Send');
  const label = vscode.workspace.asRelativePath(file);
  const question = vscode.l10n.t('Send a picture from outside of the workspace to the service?');
  const detail = vscode.l10n.t('{0} is a link that leads to {1}.', label, outside);
  if ((await confirm({ question, detail }, send)) === send) return vscode.Uri.file(outside);
  throw new ImageSourceError(
    vscode.l10n.t('The picture lies outside of the workspace. It was not sent.'),
  );
}

/** Where a folder or file really is, when a link leads out of its workspace folder. */
async function resolveOutsideTarget(uri: vscode.Uri): Promise<string | undefined> {
  const root = vscode.workspace.getWorkspaceFolder(uri);
  if (root === undefined || !isOnDisk(uri)) return undefined;
  const [place, realRoot] = await Promise.all([realPlace(uri.fsPath), realOrOwn(root.uri)]);
  return below(realRoot, place.path) === undefined ? place.path : undefined;
}
