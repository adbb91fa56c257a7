import { realpath } from 'node:fs/promises';
import * as vscode from 'vscode';
import { foldPath } from '../../base/fold-path.ts';

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
