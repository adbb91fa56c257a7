import type { Stats } from 'node:fs';
import { lstat, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, posix, resolve } from 'node:path';
import * as vscode from 'vscode';
import { foldPath } from '../../base/fold-path.ts';
import type { PathFacts } from '../path-rules.ts';

/** A workspace folder as a place that contains others. */
export interface Root {
  readonly folder: vscode.WorkspaceFolder;
  /** As the folder was opened, and without links. */
  readonly path: string;
  readonly real: string;
}

export const realRoot = async (folder: vscode.WorkspaceFolder): Promise<Root> => ({
  folder,
  path: folder.uri.fsPath,
  real: await realOrOwn(folder.uri),
});

/** A folder that is not there has no other place. */
export const realOrOwn = ({ fsPath }: vscode.Uri): Promise<string> =>
  realpath(fsPath).catch(() => fsPath);

/** Of several that contain it, the one that leaves most of the path to the rules. */
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

/** Programs print the real places of files: those of a folder that was opened through a link are taken as in it. */
export function byFolder(uri: vscode.Uri, roots: readonly Root[]): vscode.Uri {
  if (outermost(roots, uri.fsPath, 'path') !== undefined) return uri;
  const found = outermost(roots, uri.fsPath, 'real');
  return found === undefined ? uri : vscode.Uri.joinPath(found.folder.uri, found.rest);
}

/** The rest of `path` below `folder`, with forward slashes; undefined when it is not below. Compares whole names. */
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
  /** Absolute, without links; of the nearest parent that exists, for what does not yet. */
  readonly path: string;
}

/** As many as Linux itself follows. */
const mostLinks = 40;

/**
 * Looks at a place on disk, which need not exist.
 * @param path absolute
 * @throws what the disk says when it cannot be looked at: then nothing is known of it
 */
export async function realPlace(path: string): Promise<RealPlace> {
  const [real, own, target] = await Promise.all([
    realPath(path, mostLinks),
    orMissing(lstat(path)),
    orMissing(stat(path)),
  ]);
  return { path: real, isLink: own?.isSymbolicLink() ?? false, kind: kindOf(target) };
}

/** Where the path leads, also when the end of it, or of a link on the way, does not exist. */
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

/** Undefined when there is nothing, or a parent is not a folder. */
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
  /** Whether a folder on the way is a link: nobody tells where those of other file systems lead. */
  readonly throughLink: boolean;
}

/**
 * Looks at a place that is not on disk, which need not exist.
 * @throws what its file system says when it cannot be looked at
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

/** A type is a set of bits: a link to a file is both. */
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
