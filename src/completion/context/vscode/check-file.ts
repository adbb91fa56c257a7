import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { foldPath } from '../../../base/fold-path.ts';
import type { EditorCause } from '../../reason.ts';
import { compileGlob, type PathPattern } from '../../../workspace/glob.ts';
import { listAncestorFolders } from '../../../workspace/ignore-rules.ts';
import { isLikelySecret } from '../../../workspace/secret-file.ts';
import { foldName, type IgnoreFiles } from '../../../workspace/vscode/ignore-files.ts';
import { inspectRealPath, inspectVirtualPath } from '../../../workspace/vscode/real-paths.ts';

/**
 * Checks whether the setting `files.exclude` excludes a file or one of its parent folders. Workspace settings can add
 * exclusions, but cannot remove the user's exclusions. Ignores case.
 * @param path path relative to the folder, with forward slashes
 */
export function isExcludedFromFiles(folder: vscode.Uri, path: string): boolean {
  const pathsToCheck = [...listAncestorFolders(path).filter((ancestor) => ancestor !== ''), path];
  return getExcludedGlobs(folder).some((glob) => {
    const normalizers = [(text: string): string => text, foldName];
    return normalizers.some((normalize) => {
      const matches = compileOrMatchAll(normalize(glob));
      return pathsToCheck.some((candidatePath) => matches(normalize(candidatePath)));
    });
  });
}

/**
 * Returns the globs that the user or the workspace excludes. Combines the values of all settings levels, such as user
 * and workspace, because a workspace could remove the user's exclusions from the merged value.
 */
function getExcludedGlobs(folder: vscode.Uri): readonly string[] {
  const excludeSetting = vscode.workspace
    .getConfiguration('files', folder)
    .inspect<Readonly<Record<string, unknown>>>('exclude');
  // The default globs apply only if the user does not override them.
  const settingLayers = [
    { ...excludeSetting?.defaultValue, ...excludeSetting?.globalValue },
    excludeSetting?.workspaceValue ?? {},
    excludeSetting?.workspaceFolderValue ?? {},
  ];
  const globs = settingLayers.flatMap((settingLayer) =>
    // Globs that depend on a sibling file are skipped. Such globs usually hide build output, which does not justify a
    // disk access.
    Object.entries(settingLayer).flatMap(([glob, isEnabled]) => (isEnabled === true ? [glob] : [])),
  );
  return [...new Set(globs)].map((glob) =>
    glob.startsWith('**/') || glob.startsWith('/') ? glob : `/${glob}`,
  );
}

/** Compiles a glob. For safety, an invalid glob matches all files. */
function compileOrMatchAll(glob: string): PathPattern {
  try {
    return compileGlob(glob);
  } catch {
    return () => true;
  }
}

/** Permissions that result from the name and the location of a file. */
export interface FileAccess {
  /** Rule that prevents suggestions in the file and sending its text; undefined if both are allowed. */
  readonly blockingCause: EditorCause | undefined;
  /** True if snippets of the file may be sent while the user edits another file. */
  readonly isShareable: boolean;
}

export interface IgnoreSources {
  /** Git ignore files; undefined if the user turned off the setting to respect Git ignore files. */
  readonly gitIgnore: IgnoreFiles | undefined;
  readonly extensionIgnore: IgnoreFiles;
}

export const secretFileAccess: FileAccess = { blockingCause: 'secret-file', isShareable: false };
export const excludedFileAccess: FileAccess = {
  blockingCause: 'excluded-file',
  isShareable: false,
};
export const uncheckedFileAccess: FileAccess = {
  blockingCause: 'unchecked-file',
  isShareable: false,
};
const shareableFileAccess: FileAccess = { blockingCause: undefined, isShareable: true };
const suggestionsOnlyFileAccess: FileAccess = { blockingCause: undefined, isShareable: false };

/**
 * Checks the name and the location of a file, and the target if the file is a symbolic link.
 * @throws a file system error if the file or an ignore file cannot be read
 */
export async function checkFile(uri: vscode.Uri, ignore: IgnoreSources): Promise<FileAccess> {
  if (isLikelySecret(uri.path)) return secretFileAccess;
  const isInside = vscode.workspace.getWorkspaceFolder(uri) !== undefined;
  if (uri.scheme !== 'file') {
    if (!isInside) return suggestionsOnlyFileAccess;
    // Other file systems do not report the targets of symbolic links.
    const { isLink, isThroughLink } = await inspectVirtualPath(uri);
    if (isLink || isThroughLink) return uncheckedFileAccess;
    return (await isExcluded(uri, ignore)) ? excludedFileAccess : shareableFileAccess;
  }
  const realUri = vscode.Uri.file((await inspectRealPath(uri.fsPath)).path);
  if (isLikelySecret(realUri.path)) return secretFileAccess;
  if (await isExcluded(uri, ignore)) return excludedFileAccess;
  const workspaceFolders = await resolveRealFolders();
  const containingRealFolders = workspaceFolders.filter(
    ({ root }) => getRelativePath(root, realUri) !== undefined,
  );
  if (containingRealFolders.length === 0 && (await isExcluded(realUri, ignore)))
    return excludedFileAccess;
  for (const { folder, root } of containingRealFolders) {
    const workspaceUri = vscode.Uri.joinPath(folder, getRelativePath(root, realUri) ?? '');
    if (await isExcluded(workspaceUri, ignore)) return excludedFileAccess;
  }
  return isInside && containingRealFolders.length > 0
    ? shareableFileAccess
    : suggestionsOnlyFileAccess;
}

interface RealFolder {
  readonly folder: vscode.Uri;
  readonly root: vscode.Uri;
}

async function resolveRealFolders(): Promise<readonly RealFolder[]> {
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

/**
 * Checks the ignore rules of each workspace folder that contains the file. For a file outside the workspace, checks the
 * rules of the file's own folder.
 */
async function isExcluded(uri: vscode.Uri, ignore: IgnoreSources): Promise<boolean> {
  if (isInGitFolder(uri.path)) return true;
  const folders = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri);
  const containingFolders = folders.filter((folder) => (getRelativePath(folder, uri) ?? '') !== '');
  for (const folder of containingFolders)
    if (isExcludedFromFiles(folder, getRelativePath(folder, uri) ?? '')) return true;
  for (const folder of containingFolders.length > 0
    ? containingFolders
    : [vscode.Uri.joinPath(uri, '..')]) {
    const root = await findRepository(folder);
    const path = getRelativePath(root, uri) ?? '';
    // For a file outside the workspace, globs are matched against the relative path and the absolute path.
    const isOutside = containingFolders.length === 0;
    if (
      isOutside &&
      [path, uri.path.slice(1)].some((candidate) => isExcludedFromFiles(root, candidate))
    )
      return true;
    if (await ignore.extensionIgnore.isIgnored(root, path)) return true;
    if (await ignore.gitIgnore?.isIgnored(root, path)) return true;
  }
  return false;
}

/**
 * Checks whether a file is inside a `.git` folder, such as a commit message. Suggestions are not allowed in such a
 * file.
 */
const isInGitFolder = (path: string): boolean => foldPath(path).split('/').includes('.git');

/**
 * Returns the root of the repository that contains a folder. Returns the folder itself if no repository contains it.
 */
async function findRepository(folder: vscode.Uri): Promise<vscode.Uri> {
  if (folder.scheme !== 'file') return folder;
  for (let folderPath = folder.fsPath; ; folderPath = dirname(folderPath)) {
    if (await checkPathExists(join(folderPath, '.git'))) return vscode.Uri.file(folderPath);
    if (dirname(folderPath) === folderPath) return folder;
  }
}

const checkPathExists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Returns the path relative to a folder. Empty for the folder itself; undefined for a path outside of the folder. */
function getRelativePath(folder: vscode.Uri, uri: vscode.Uri): string | undefined {
  if (uri.scheme !== folder.scheme || uri.authority !== folder.authority) return undefined;
  if (uri.path === folder.path) return '';
  const folderPrefix = folder.path.endsWith('/') ? folder.path : `${folder.path}/`;
  return uri.path.startsWith(folderPrefix) ? uri.path.slice(folderPrefix.length) : undefined;
}
