import { homedir } from 'node:os';
import { posix } from 'node:path';
import * as vscode from 'vscode';
import {
  defaultImageFolder,
  type FolderPlace,
  type FolderProblem,
  imageFolder,
} from '../image-folder.ts';
import type { ImageRecord } from '../image-record.ts';
import type { Action } from '../../platform/notifications.ts';

/**
 * The folder for the pictures of a document, or of none. `ask` when only the person can say: for a document that lies in
 * no folder of the workspace, and without a workspace.
 */
export function folderFor(document: vscode.TextDocument | undefined): FolderChoice {
  const root = rootOf(document);
  if (root === undefined) return { kind: 'ask' };
  const setting = vscode.workspace
    .getConfiguration('inferenceService.image', document ?? root.uri)
    .get<unknown>('folder');
  const text = typeof setting === 'string' ? setting : defaultImageFolder;
  const found = imageFolder(text, {
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
): NonNullable<FolderPlace['document']> {
  const names = posix.relative(root.uri.path, uri.path).split('/');
  return { name: names.at(-1) ?? '', folder: names.slice(0, -1) };
}

/** Where the person wants a picture. */
export interface ChosenPlace {
  readonly target: vscode.Uri;
  /** Whether they were asked about a file that lies there already. */
  readonly mayReplace: boolean;
}

/** Asks where a picture is to be written; the ending follows its bytes. */
export async function askForPlace(
  record: ImageRecord,
  name: string,
): Promise<ChosenPlace | undefined> {
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
