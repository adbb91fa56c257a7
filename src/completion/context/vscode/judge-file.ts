import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { foldPath } from '../../../base/fold-path.ts';
import type { EditorRule } from '../../reason.ts';
import { compileGlob, type PathPattern } from '../../../workspace/glob.ts';
import { ancestorFolders } from '../../../workspace/ignore-rules.ts';
import { isLikelySecret } from '../../../workspace/secret-file.ts';
import { foldName, type IgnoreFiles } from '../../../workspace/vscode/ignore-files.ts';
import { inspectRealPath, inspectVirtualPath } from '../../../workspace/vscode/real-paths.ts';

/**
 * Checks whether `files.exclude` excludes a file or a folder above it. Workspace and folder settings can only add
 * to the user's exclusions, never revoke them. Ignores case.
 * @param path relative to the folder, with forward slashes
 */
export function isHidden(folder: vscode.Uri, path: string): boolean {
  const places = [...ancestorFolders(path).filter((above) => above !== ''), path];
  return excludedGlobs(folder).some((glob) => {
    const forms = [(text: string): string => text, foldName];
    return forms.some((form) => {
      const matches = compiled(form(glob));
      return places.some((place) => matches(form(place)));
    });
  });
}

/** Returns the globs of every settings layer. Merged settings would let a workspace revoke the user's exclusions. */
function excludedGlobs(folder: vscode.Uri): readonly string[] {
  const found = vscode.workspace
    .getConfiguration('files', folder)
    .inspect<Readonly<Record<string, unknown>>>('exclude');
  // Users may override the defaults.
  const layers = [
    { ...found?.defaultValue, ...found?.globalValue },
    found?.workspaceValue ?? {},
    found?.workspaceFolderValue ?? {},
  ];
  const globs = layers.flatMap((layer) =>
    // A conditional glob hides build output next to its source. That is not worth a disk access.
    Object.entries(layer).flatMap(([glob, on]) => (on === true ? [glob] : [])),
  );
  return [...new Set(globs)].map((glob) =>
    glob.startsWith('**/') || glob.startsWith('/') ? glob : `/${glob}`,
  );
}

/** An unreadable glob may match any file. */
function compiled(glob: string): PathPattern {
  try {
    return compileGlob(glob);
  } catch {
    return () => true;
  }
}

/** Permissions derived from a file's name and location. */
export interface FileAccess {
  /** Rule against sending the file; undefined when suggestions are allowed in it. */
  readonly rule: EditorRule | undefined;
  /** Allows sending snippets of the file while the user edits another file. */
  readonly isShareable: boolean;
}

export interface IgnoreSources {
  /** Undefined when the user turned off git ignore rules. */
  readonly git: IgnoreFiles | undefined;
  readonly own: IgnoreFiles;
}

export const secretFile: FileAccess = { rule: 'secret-file', isShareable: false };
export const excludedFile: FileAccess = { rule: 'excluded-file', isShareable: false };
export const uncheckedFile: FileAccess = { rule: 'unchecked-file', isShareable: false };
const shareable: FileAccess = { rule: undefined, isShareable: true };
const onlyItself: FileAccess = { rule: undefined, isShareable: false };

/**
 * Checks a file by its name and its location after resolving links.
 * @throws a file system error when the location or an ignore file cannot be read
 */
export async function checkFile(uri: vscode.Uri, ignore: IgnoreSources): Promise<FileAccess> {
  if (isLikelySecret(uri.path)) return secretFile;
  const isInside = vscode.workspace.getWorkspaceFolder(uri) !== undefined;
  if (uri.scheme !== 'file') {
    if (!isInside) return onlyItself;
    // Other file systems do not report the targets of links.
    const { isLink, isThroughLink: throughLink } = await inspectVirtualPath(uri);
    if (isLink || throughLink) return uncheckedFile;
    return (await isExcluded(uri, ignore)) ? excludedFile : shareable;
  }
  const real = vscode.Uri.file((await inspectRealPath(uri.fsPath)).path);
  if (isLikelySecret(real.path)) return secretFile;
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
      root: vscode.Uri.file((await inspectRealPath(uri.fsPath)).path),
    })),
  );
}

/** Checks the rules of every workspace folder that contains the file, or of its own folder outside of them. */
async function isExcluded(uri: vscode.Uri, ignore: IgnoreSources): Promise<boolean> {
  if (isInRepository(uri.path)) return true;
  const folders = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri);
  const around = folders.filter((folder) => (pathBelow(folder, uri) ?? '') !== '');
  for (const folder of around) if (isHidden(folder, pathBelow(folder, uri) ?? '')) return true;
  for (const folder of around.length > 0 ? around : [vscode.Uri.joinPath(uri, '..')]) {
    const root = await repositoryOf(folder);
    const path = pathBelow(root, uri) ?? '';
    // Patterns for a name in any folder, and patterns from the root.
    const isOutside = around.length === 0;
    if (isOutside && [path, uri.path.slice(1)].some((each) => isHidden(root, each))) return true;
    if (await ignore.own.ignores(root, path)) return true;
    if (await ignore.git?.ignores(root, path)) return true;
  }
  return false;
}

/** Checks whether a file is in `.git`, which contains for example commit messages in progress. */
const isInRepository = (path: string): boolean => foldPath(path).split('/').includes('.git');

/** Returns the repository root above the folder, or the folder itself outside of repositories. */
async function repositoryOf(folder: vscode.Uri): Promise<vscode.Uri> {
  if (folder.scheme !== 'file') return folder;
  for (let folderPath = folder.fsPath; ; folderPath = dirname(folderPath)) {
    if (await exists(join(folderPath, '.git'))) return vscode.Uri.file(folderPath);
    if (dirname(folderPath) === folderPath) return folder;
  }
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Returns the path below a folder; empty for the folder itself, undefined outside of it. */
function pathBelow(folder: vscode.Uri, uri: vscode.Uri): string | undefined {
  if (uri.scheme !== folder.scheme || uri.authority !== folder.authority) return undefined;
  if (uri.path === folder.path) return '';
  const start = folder.path.endsWith('/') ? folder.path : `${folder.path}/`;
  return uri.path.startsWith(start) ? uri.path.slice(start.length) : undefined;
}
