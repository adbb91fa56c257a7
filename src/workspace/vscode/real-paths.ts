import type { Stats } from 'node:fs';
import { lstat, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, posix, resolve } from 'node:path';
import * as vscode from 'vscode';
import { foldPath } from '../../base/fold-path.ts';
import type { PathFacts } from '../path-rules.ts';

/** Workspace folder with its real path. */
export interface Root {
  readonly folder: vscode.WorkspaceFolder;
  /** Path as the folder was opened. */
  readonly path: string;
  /** Path with all links resolved. */
  readonly real: string;
}

export const realRoot = async (folder: vscode.WorkspaceFolder): Promise<Root> => ({
  folder,
  path: folder.uri.fsPath,
  real: await realOrOwn(folder.uri),
});

/** Returns the real path, or the given path if the folder does not exist. */
export const realOrOwn = ({ fsPath }: vscode.Uri): Promise<string> =>
  realpath(fsPath).catch(() => fsPath);

/** Returns the outermost root that contains the path, so that the rules check the longest relative path. */
export function outermost(
  roots: readonly Root[],
  path: string,
  by: 'path' | 'real',
): { readonly folder: vscode.WorkspaceFolder; readonly rest: string } | undefined {
  return roots
    .flatMap((root) => {
      const rest = below(root[by], path);
      return rest === undefined ? [] : [{ folder: root.folder, rest }];
    })
    .toSorted((a, b) => b.rest.length - a.rest.length)[0];
}

/** Maps a real path, as programs print it, back into the workspace folder that was opened through a link. */
export function byFolder(uri: vscode.Uri, roots: readonly Root[]): vscode.Uri {
  if (outermost(roots, uri.fsPath, 'path') !== undefined) return uri;
  const found = outermost(roots, uri.fsPath, 'real');
  return found === undefined ? uri : vscode.Uri.joinPath(found.folder.uri, found.rest);
}

/** Returns `path` relative to `folder` with forward slashes, or undefined outside of it. Compares whole names. */
export function below(folder: string, path: string): string | undefined {
  const [outer, inner] = [namesOf(folder), namesOf(path)];
  const isBelow = outer.every((name, at) => comparable(name) === comparable(inner[at] ?? ''));
  return isBelow ? inner.slice(outer.length).join('/') : undefined;
}

const ignoresCase = process.platform === 'win32' || process.platform === 'darwin';
const comparable = (name: string): string => (ignoresCase ? foldPath(name) : name);

export const slashed = (path: string): string =>
  process.platform === 'win32' ? path.replaceAll('\\', '/') : path;
const namesOf = (path: string): string[] =>
  slashed(path)
    .split('/')
    .filter((name) => name !== '');

export const isOnDisk = ({ scheme }: vscode.Uri): boolean => scheme === 'file';

export interface RealPlace extends Pick<PathFacts, 'isLink' | 'kind'> {
  /** Absolute path with all links resolved. For a missing file, the nearest existing parent is resolved. */
  readonly path: string;
}

/** Maximum number of links to follow, like Linux. */
const mostLinks = 40;

/**
 * Inspects a location on disk, which need not exist.
 * @param path Absolute path.
 * @throws the file system's error when the location can't be inspected
 */
export async function realPlace(path: string): Promise<RealPlace> {
  const [real, own, target] = await Promise.all([
    realPath(path, mostLinks),
    orMissing(lstat(path)),
    orMissing(stat(path)),
  ]);
  return { path: real, isLink: own?.isSymbolicLink() ?? false, kind: kindOf(target) };
}

/** Resolves all links, even when the end of the path or of a link target does not exist. */
async function realPath(path: string, linksLeft: number): Promise<string> {
  const known = await orMissing(realpath(path));
  const parent = dirname(path);
  if (known !== undefined || parent === path) return known ?? path;
  const realParent = await realPath(parent, linksLeft);
  const place = join(realParent, basename(path));
  const own = await orMissing(lstat(place));
  if (!own?.isSymbolicLink()) return place;
  if (linksLeft === 0) throw new Error('Too many links.');
  return realPath(resolve(realParent, await readlink(place)), linksLeft - 1);
}

function kindOf(stats: Stats | undefined): PathFacts['kind'] {
  if (stats === undefined) return 'missing';
  if (stats.isFile()) return 'file';
  return stats.isDirectory() ? 'directory' : 'other';
}

/** Returns undefined when the entry is missing or a parent is not a folder. */
async function orMissing<T>(looking: Promise<T>): Promise<T | undefined> {
  try {
    return await looking;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

export interface VirtualPlace extends Pick<PathFacts, 'isLink' | 'kind'> {
  /** True when a parent folder is a link. Other file systems do not report link targets. */
  readonly throughLink: boolean;
}

/**
 * Inspects a location in a virtual file system, which need not exist.
 * @throws the file system's error when the location can't be inspected
 */
export async function virtualPlace(uri: vscode.Uri): Promise<VirtualPlace> {
  const [own, ...parents] = await Promise.all(
    [uri.path, ...parentsOf(uri.path)].map((path) => typeOf(uri.with({ path }))),
  );
  return {
    isLink: isLink(own),
    kind: kindOfVirtualFile(own),
    throughLink: [own, ...parents].some(isLink),
  };
}

async function typeOf(uri: vscode.Uri): Promise<vscode.FileType | undefined> {
  try {
    return (await vscode.workspace.fs.stat(uri)).type;
  } catch (error) {
    const missing = error instanceof vscode.FileSystemError && error.code === 'FileNotFound';
    if (missing) return undefined;
    throw error;
  }
}

/** Checks one bit of a file type. A link to a file has the bits of both. */
const has = (type: vscode.FileType, bit: vscode.FileType): boolean => (type & bit) !== 0;

const isLink = (type: vscode.FileType | undefined): boolean =>
  type !== undefined && has(type, vscode.FileType.SymbolicLink);

function kindOfVirtualFile(type: vscode.FileType | undefined): PathFacts['kind'] {
  if (type === undefined) return 'missing';
  if (has(type, vscode.FileType.Directory)) return 'directory';
  return has(type, vscode.FileType.File) ? 'file' : 'other';
}

function parentsOf(path: string): string[] {
  const parent = posix.dirname(path);
  return parent === path ? [] : [parent, ...parentsOf(parent)];
}
