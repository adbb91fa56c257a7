import type { Stats } from 'node:fs';
import { lstat, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, posix, resolve } from 'node:path';
import * as vscode from 'vscode';
import { foldPath } from '../../base/fold-path.ts';
import type { PathFacts } from '../path-rules.ts';

/** Path of a workspace folder before and after links are resolved. */
export interface WorkspaceRoot {
  readonly folder: vscode.WorkspaceFolder;
  /** Path with which the user opened the folder. */
  readonly path: string;
  /** Path with all links resolved. */
  readonly realPath: string;
}

export const resolveWorkspaceRoot = async (
  folder: vscode.WorkspaceFolder,
): Promise<WorkspaceRoot> => ({
  folder,
  path: folder.uri.fsPath,
  realPath: await resolveRealPathOrSelf(folder.uri),
});

/** Returns the real path, or the given path if the folder does not exist. */
export const resolveRealPathOrSelf = ({ fsPath }: vscode.Uri): Promise<string> =>
  realpath(fsPath).catch(() => fsPath);

/**
 * Returns the outermost root that contains the path; undefined if no root contains it. With the outermost root, the
 * rules check the longest relative path.
 */
export function findOutermostRoot(
  roots: readonly WorkspaceRoot[],
  path: string,
  pathKind: 'path' | 'realPath',
): { readonly folder: vscode.WorkspaceFolder; readonly rest: string } | undefined {
  return roots
    .flatMap((root) => {
      const rest = getRelativePath(root[pathKind], path);
      return rest === undefined ? [] : [{ folder: root.folder, rest }];
    })
    .toSorted((a, b) => b.rest.length - a.rest.length)[0];
}

/**
 * Converts a real path that a program printed to the corresponding path in the workspace folder, which the user may
 * have opened through a link.
 */
export function toFolderUri(uri: vscode.Uri, roots: readonly WorkspaceRoot[]): vscode.Uri {
  if (findOutermostRoot(roots, uri.fsPath, 'path') !== undefined) return uri;
  const rootMatch = findOutermostRoot(roots, uri.fsPath, 'realPath');
  return rootMatch === undefined ? uri : vscode.Uri.joinPath(rootMatch.folder.uri, rootMatch.rest);
}

/**
 * Returns `path` relative to `folder` with forward slashes; undefined for a path outside the folder. Compares whole
 * path segments, so `/a/bc` is not inside `/a/b`.
 */
export function getRelativePath(folder: string, path: string): string | undefined {
  const [folderNames, pathNames] = [splitPath(folder), splitPath(path)];
  const isBelow = folderNames.every(
    (name, index) => toComparableName(name) === toComparableName(pathNames[index] ?? ''),
  );
  return isBelow ? pathNames.slice(folderNames.length).join('/') : undefined;
}

const arePathsCaseInsensitive = process.platform === 'win32' || process.platform === 'darwin';
const toComparableName = (name: string): string =>
  arePathsCaseInsensitive ? foldPath(name) : name;

export const toForwardSlashes = (path: string): string =>
  process.platform === 'win32' ? path.replaceAll('\\', '/') : path;
const splitPath = (path: string): string[] =>
  toForwardSlashes(path)
    .split('/')
    .filter((name) => name !== '');

export const isOnDisk = ({ scheme }: vscode.Uri): boolean => scheme === 'file';

export interface RealPath extends Pick<PathFacts, 'isLink' | 'kind'> {
  /**
   * Absolute path with all links resolved. For a missing file, the links of its nearest existing parent folder are
   * resolved.
   */
  readonly path: string;
}

/** Maximum number of links to follow while a path is resolved. Linux has the same limit. */
const maxLinks = 40;

/**
 * Inspects a location on disk, existing or missing.
 * @param path Absolute path.
 * @throws if the location can't be inspected for a reason other than a missing file
 */
export async function inspectRealPath(path: string): Promise<RealPath> {
  const [realPath, linkStats, targetStats] = await Promise.all([
    resolveRealPath(path, maxLinks),
    returnUndefinedIfMissing(lstat(path)),
    returnUndefinedIfMissing(stat(path)),
  ]);
  return {
    path: realPath,
    isLink: linkStats?.isSymbolicLink() ?? false,
    kind: toFileKind(targetStats),
  };
}

/** Resolves all links of a path. The path and the link targets may be missing. */
async function resolveRealPath(path: string, remainingLinkCount: number): Promise<string> {
  const resolvedPath = await returnUndefinedIfMissing(realpath(path));
  const parent = dirname(path);
  if (resolvedPath !== undefined || parent === path) return resolvedPath ?? path;
  const realParent = await resolveRealPath(parent, remainingLinkCount);
  const candidatePath = join(realParent, basename(path));
  const stats = await returnUndefinedIfMissing(lstat(candidatePath));
  if (!stats?.isSymbolicLink()) return candidatePath;
  if (remainingLinkCount === 0) throw new Error('Too many links.');
  return resolveRealPath(
    resolve(realParent, await readlink(candidatePath)),
    remainingLinkCount - 1,
  );
}

function toFileKind(stats: Stats | undefined): PathFacts['kind'] {
  if (stats === undefined) return 'missing';
  if (stats.isFile()) return 'file';
  return stats.isDirectory() ? 'directory' : 'other';
}

/** Resolves with the result of the operation, or with undefined if the entry is missing or a parent is not a folder. */
async function returnUndefinedIfMissing<T>(resultPromise: Promise<T>): Promise<T | undefined> {
  try {
    return await resultPromise;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

export interface VirtualPath extends Pick<PathFacts, 'isLink' | 'kind'> {
  /**
   * True when the entry or a parent folder is a link. The target is unknown, because virtual file systems do not report
   * it.
   */
  readonly isThroughLink: boolean;
}

/**
 * Inspects a location in a virtual file system, existing or missing.
 * @throws if the location can't be inspected for a reason other than a missing file
 */
export async function inspectVirtualPath(uri: vscode.Uri): Promise<VirtualPath> {
  const [type, ...parentTypes] = await Promise.all(
    [uri.path, ...listParentPaths(uri.path)].map((path) => readType(uri.with({ path }))),
  );
  return {
    isLink: isLink(type),
    kind: toVirtualFileKind(type),
    isThroughLink: [type, ...parentTypes].some(isLink),
  };
}

async function readType(uri: vscode.Uri): Promise<vscode.FileType | undefined> {
  try {
    return (await vscode.workspace.fs.stat(uri)).type;
  } catch (error) {
    const isMissing = error instanceof vscode.FileSystemError && error.code === 'FileNotFound';
    if (isMissing) return undefined;
    throw error;
  }
}

/**
 * Checks whether a file type includes a flag. The type of a link to a file includes both the link flag and the file
 * flag.
 */
const hasFlag = (type: vscode.FileType, typeFlag: vscode.FileType): boolean =>
  (type & typeFlag) !== 0;

const isLink = (type: vscode.FileType | undefined): boolean =>
  type !== undefined && hasFlag(type, vscode.FileType.SymbolicLink);

function toVirtualFileKind(type: vscode.FileType | undefined): PathFacts['kind'] {
  if (type === undefined) return 'missing';
  if (hasFlag(type, vscode.FileType.Directory)) return 'directory';
  return hasFlag(type, vscode.FileType.File) ? 'file' : 'other';
}

function listParentPaths(path: string): string[] {
  const parent = posix.dirname(path);
  return parent === path ? [] : [parent, ...listParentPaths(parent)];
}
