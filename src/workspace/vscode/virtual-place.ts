import { posix } from 'node:path';
import * as vscode from 'vscode';
import type { PathFacts } from '../path-rules.ts';

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
    kind: kindOf(own),
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

function kindOf(type: vscode.FileType | undefined): PathFacts['kind'] {
  if (type === undefined) return 'missing';
  if (has(type, vscode.FileType.Directory)) return 'directory';
  return has(type, vscode.FileType.File) ? 'file' : 'other';
}

function parentsOf(path: string): string[] {
  const parent = posix.dirname(path);
  return parent === path ? [] : [parent, ...parentsOf(parent)];
}
