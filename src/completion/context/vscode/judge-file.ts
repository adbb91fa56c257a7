import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { foldPath } from '../../../base/fold-path.ts';
import type { EditorRule } from '../../reason.ts';
import { compileGlob, type PathPattern } from '../../../workspace/glob.ts';
import { foldersAbove } from '../../../workspace/ignore-rules.ts';
import { looksSecret } from '../../../workspace/secret-file.ts';
import { foldName, type IgnoreFiles } from '../../../workspace/vscode/ignore-files.ts';
import { realPlace, virtualPlace } from '../../../workspace/vscode/real-paths.ts';

/**
 * Whether the setting `files.exclude` leaves out a file, or a folder that it is in. What the person leaves out stays so
 * whatever a workspace or a folder of it says: their settings only add to it. Case never counts.
 * @param path Below the folder, with forward slashes.
 */
export function isHidden(folder: vscode.Uri, path: string): boolean {
  const places = [...foldersAbove(path).filter((above) => above !== ''), path];
  return excludedGlobs(folder).some((glob) => {
    const forms = [(text: string): string => text, foldName];
    return forms.some((form) => {
      const matches = compiled(form(glob));
      return places.some((place) => matches(form(place)));
    });
  });
}

/** Of every layer of the settings; merged ones would let the last of them take back what another one says. */
function excludedGlobs(folder: vscode.Uri): readonly string[] {
  const found = vscode.workspace
    .getConfiguration('files', folder)
    .inspect<Readonly<Record<string, unknown>>>('exclude');
  // People may take back what they are given to begin with.
  const layers = [
    { ...found?.defaultValue, ...found?.globalValue },
    found?.workspaceValue ?? {},
    found?.workspaceFolderValue ?? {},
  ];
  const globs = layers.flatMap((layer) =>
    // One that depends on a file beside it hides what was built from it, which is not worth asking the disk.
    Object.entries(layer).flatMap(([glob, on]) => (on === true ? [glob] : [])),
  );
  return [...new Set(globs)].map((glob) =>
    glob.startsWith('**/') || glob.startsWith('/') ? glob : `/${glob}`,
  );
}

/** What cannot be read may mean any file. */
function compiled(glob: string): PathPattern {
  try {
    return compileGlob(glob);
  } catch {
    return () => true;
  }
}

/** What the name and the place of a file say. */
export interface FileAccess {
  /** Why nothing of it may be told; undefined for a file that may be worked on. */
  readonly rule: EditorRule | undefined;
  /** Whether pieces of it may go along when another file is worked on. */
  readonly isShareable: boolean;
}

export interface IgnoreSources {
  /** Undefined when the person does not want them to count. */
  readonly git: IgnoreFiles | undefined;
  readonly own: IgnoreFiles;
}

export const secretFile: FileAccess = { rule: 'secret-file', isShareable: false };
export const excludedFile: FileAccess = { rule: 'excluded-file', isShareable: false };
export const uncheckedFile: FileAccess = { rule: 'unchecked-file', isShareable: false };
const shareable: FileAccess = { rule: undefined, isShareable: true };
const onlyItself: FileAccess = { rule: undefined, isShareable: false };

/**
 * Judges a file by its name and by the place where links lead.
 * @throws what the file system says when that, or an ignore file, cannot be looked at.
 */
export async function checkFile(uri: vscode.Uri, ignore: IgnoreSources): Promise<FileAccess> {
  if (looksSecret(uri.path)) return secretFile;
  const isInside = vscode.workspace.getWorkspaceFolder(uri) !== undefined;
  if (uri.scheme !== 'file') {
    if (!isInside) return onlyItself;
    // Where a link leads nobody tells of other file systems.
    const { isLink, throughLink } = await virtualPlace(uri);
    if (isLink || throughLink) return uncheckedFile;
    return (await isExcluded(uri, ignore)) ? excludedFile : shareable;
  }
  const real = vscode.Uri.file((await realPlace(uri.fsPath)).path);
  if (looksSecret(real.path)) return secretFile;
  if (await isExcluded(uri, ignore)) return excludedFile;
  const insides = await realFolders();
  const inside = insides.filter(({ root }) => pathBelow(root, real) !== undefined);
  if (inside.length === 0 && (await isExcluded(real, ignore))) return excludedFile;
  for (const { folder, root } of inside) {
    const place = vscode.Uri.joinPath(folder, pathBelow(root, real) ?? '');
    if (await isExcluded(place, ignore)) return excludedFile;
  }
  return isInside && inside.length > 0 ? shareable : onlyItself;
}

interface RealFolder {
  readonly folder: vscode.Uri;
  readonly root: vscode.Uri;
}

async function realFolders(): Promise<readonly RealFolder[]> {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(
    ({ uri }) => uri.scheme === 'file',
  );
  return Promise.all(
    folders.map(async ({ uri }) => ({
      folder: uri,
      root: vscode.Uri.file((await realPlace(uri.fsPath)).path),
    })),
  );
}

/** By every workspace folder that contains it: one may lie in another. Outside of them by its own folder. */
async function isExcluded(uri: vscode.Uri, ignore: IgnoreSources): Promise<boolean> {
  if (isInRepository(uri.path)) return true;
  const folders = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri);
  const around = folders.filter((folder) => (pathBelow(folder, uri) ?? '') !== '');
  for (const folder of around) if (isHidden(folder, pathBelow(folder, uri) ?? '')) return true;
  for (const folder of around.length > 0 ? around : [vscode.Uri.joinPath(uri, '..')]) {
    const root = await repositoryOf(folder);
    const path = pathBelow(root, uri) ?? '';
    // What is meant by its name, wherever it is, and what is meant from the top.
    const isOutside = around.length === 0;
    if (isOutside && [path, uri.path.slice(1)].some((each) => isHidden(root, each))) return true;
    if (await ignore.own.leavesOut(root, path)) return true;
    if (await ignore.git?.leavesOut(root, path)) return true;
  }
  return false;
}

/** In the folder in which git keeps what belongs to itself, such as messages that are being written. */
const isInRepository = (path: string): boolean => foldPath(path).split('/').includes('.git');

/** The folder with `.git` in which git would look for ignore files; the folder itself outside of repositories. */
async function repositoryOf(folder: vscode.Uri): Promise<vscode.Uri> {
  if (folder.scheme !== 'file') return folder;
  for (let at = folder.fsPath; ; at = dirname(at)) {
    if (await exists(join(at, '.git'))) return vscode.Uri.file(at);
    if (dirname(at) === at) return folder;
  }
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Undefined for what is not below the folder; empty for the folder itself. */
function pathBelow(folder: vscode.Uri, uri: vscode.Uri): string | undefined {
  if (uri.scheme !== folder.scheme || uri.authority !== folder.authority) return undefined;
  if (uri.path === folder.path) return '';
  const start = folder.path.endsWith('/') ? folder.path : `${folder.path}/`;
  return uri.path.startsWith(start) ? uri.path.slice(start.length) : undefined;
}
