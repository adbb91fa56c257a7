import { posix } from 'node:path';
import * as vscode from 'vscode';
import { imageFolder } from '../../image/image-folder.ts';
import type { ImageRecord } from '../../image/image-record.ts';

/** Where pictures for a document go, or why the setting names no place. `undefined` when the person must be asked. */
export function folderFor(
  document: vscode.TextDocument | undefined,
): vscode.Uri | string | undefined {
  const uri = document?.isUntitled === true ? undefined : document?.uri;
  const root =
    uri === undefined
      ? vscode.workspace.workspaceFolders?.[0]
      : vscode.workspace.getWorkspaceFolder(placeOf(uri));
  if (document?.isUntitled === true || root === undefined) return undefined;
  const setting = vscode.workspace
    .getConfiguration('inferenceService.image', document)
    .get('folder', 'images');
  const file = uri === undefined ? undefined : posix.relative(root.uri.path, uri.path);
  const found = imageFolder(setting, file === undefined ? {} : { file });
  if ('problem' in found) return problemText(setting, found.problem);
  return vscode.Uri.joinPath(root.uri, ...found.segments);
}

/** Asks where a picture is to be written; the ending follows its bytes. */
export async function askForPlace(
  record: ImageRecord,
  name: string,
): Promise<vscode.Uri | undefined> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const chosen = await vscode.window.showSaveDialog({
    title: vscode.l10n.t('Save Image'),
    ...(folder === undefined ? {} : { defaultUri: vscode.Uri.joinPath(folder, name) }),
    filters: { [vscode.l10n.t('Image')]: endings[record.format] },
  });
  if (chosen === undefined) return undefined;
  const isRight = endings[record.format].includes(
    posix.extname(chosen.path).slice(1).toLowerCase(),
  );
  return isRight ? chosen : chosen.with({ path: `${chosen.path}.${endings[record.format][0]}` });
}

const endings: Readonly<Record<ImageRecord['format'], string[]>> = {
  jpeg: ['jpg', 'jpeg'],
  png: ['png'],
  webp: ['webp'],
};

/** A cell of a notebook lies where its notebook does. */
const placeOf = (uri: vscode.Uri): vscode.Uri =>
  uri.scheme === 'vscode-notebook-cell'
    ? (vscode.workspace.notebookDocuments.find(({ uri: each }) => each.path === uri.path)?.uri ??
      uri)
    : uri;

function problemText(setting: string, problem: string): string {
  switch (problem) {
    case 'unknown-variable':
      return vscode.l10n.t(
        'The setting inferenceService.image.folder has a variable that does not exist: {0}',
        setting,
      );
    default:
      return vscode.l10n.t(
        'The setting inferenceService.image.folder must name a folder inside of the workspace: {0}',
        setting,
      );
  }
}
