import { posix } from 'node:path';
import type * as vscode from 'vscode';
import { type PathFacts, refusePathName } from '../path-rules.ts';
import { ToolError } from '../tool-error.ts';
import {
  below,
  byFolder,
  isOnDisk,
  outermost,
  realOrOwn,
  realRoot,
  slashed,
} from './real-paths.ts';
import { uriOfPath } from './path-uri.ts';
import type { Paths, Places, ResolvedPath } from './agent-paths.ts';
import { realPlace } from './real-place.ts';
import { virtualPlace } from './virtual-place.ts';

export interface WorkspacePathsOptions {
  readonly folders: () => readonly vscode.WorkspaceFolder[];
  readonly isTrusted: () => boolean;
  /** Folders on disk that no tool may reach: where the editor keeps its state, and what was granted. */
  readonly closed: readonly vscode.Uri[];
}

/** Paths of the open workspace, on disk or in any other file system. In an untrusted workspace there are none. */
export class WorkspacePaths implements Paths, Places {
  readonly #options: WorkspacePathsOptions;
  /** Where each led when it was judged. */
  readonly #places = new WeakMap<ResolvedPath, string>();

  constructor(options: WorkspacePathsOptions) {
    this.#options = options;
  }

  async resolve(path: string): Promise<ResolvedPath> {
    const folders = this.#folders();
    const refusal = refusePathName(path);
    if (refusal !== undefined) throw refused(refusal.text);
    return this.#look(uriOfPath(path, folders), folders);
  }

  async locate(uri: vscode.Uri): Promise<ResolvedPath> {
    const folders = this.#folders();
    const isPlain = uri.fragment === '' && posix.normalize(uri.path) === uri.path;
    if (!isPlain || !folders.some((folder) => isSameSystem(folder.uri, uri))) {
      throw refused('The place is in no file system of this workspace.');
    }
    return this.#look(uri, folders);
  }

  async recheck(resolved: ResolvedPath): Promise<void> {
    const now = await this.#look(resolved.uri, this.#folders());
    const before = this.#places.get(resolved);
    const moved = before !== undefined && before !== this.#places.get(now);
    if (moved || !isSame(now.facts, resolved.facts)) {
      throw refused(
        'The path leads to another place than before, or to something else. Look again.',
      );
    }
  }

  #folders(): readonly vscode.WorkspaceFolder[] {
    if (!this.#options.isTrusted()) throw refused('The person does not trust this workspace.');
    const folders = this.#options.folders();
    if (folders.length === 0) throw refused('No folder is open.');
    return folders;
  }

  async #look(uri: vscode.Uri, folders: readonly vscode.WorkspaceFolder[]): Promise<ResolvedPath> {
    try {
      const [found, place] = isOnDisk(uri)
        ? await lookOnDisk(uri, folders, this.#options.closed)
        : await lookElsewhere(uri, folders);
      this.#places.set(found, place);
      return found;
    } catch (error) {
      if (error instanceof ToolError) throw error;
      // The message of the error would tell where it is.
      const { code = 'unknown' } = error as { code?: string };
      throw refused(`The path cannot be looked at (${code}).`);
    }
  }
}

type Looked = readonly [found: ResolvedPath, place: string];

async function lookOnDisk(
  named: vscode.Uri,
  folders: readonly vscode.WorkspaceFolder[],
  closed: readonly vscode.Uri[],
): Promise<Looked> {
  const roots = await Promise.all(folders.filter(({ uri }) => isOnDisk(uri)).map(realRoot));
  const uri = byFolder(named, roots);
  const { path: place, isLink, kind } = await realPlace(uri.fsPath);
  const shut = await Promise.all(closed.filter(isOnDisk).map(realOrOwn));
  if (shut.some((folder) => below(folder, place) !== undefined)) {
    throw refused('The editor keeps its own state there. No tool may reach it.');
  }
  const [inside, realInside] = [
    outermost(roots, uri.fsPath, 'path'),
    outermost(roots, place, 'real'),
  ];
  const facts = {
    path: inside?.rest ?? slashed(uri.fsPath),
    inside: inside !== undefined,
    realPath: realInside?.rest ?? slashed(place),
    realInside: realInside !== undefined,
    isLink,
    kind,
  };
  return [{ uri, label: labelOf(facts, inside?.folder, folders), facts }, place];
}

async function lookElsewhere(
  uri: vscode.Uri,
  folders: readonly vscode.WorkspaceFolder[],
): Promise<Looked> {
  const roots = folders
    .filter((folder) => isSameSystem(folder.uri, uri))
    .map((folder) => ({ folder, path: folder.uri.path, real: folder.uri.path }));
  const found = outermost(roots, uri.path, 'path');
  const { throughLink, isLink, kind } = await virtualPlace(uri);
  const path = found?.rest ?? uri.path;
  const inside = found !== undefined;
  const facts = { path, inside, realPath: path, realInside: inside && !throughLink, isLink, kind };
  return [{ uri, label: labelOf(facts, found?.folder, folders), facts }, uri.toString()];
}

function labelOf(
  { path, inside }: Pick<PathFacts, 'path' | 'inside'>,
  folder: vscode.WorkspaceFolder | undefined,
  folders: readonly vscode.WorkspaceFolder[],
): string {
  if (!inside || folder === undefined) return path;
  if (folders.length === 1) return path === '' ? '.' : path;
  const isOnlyOne = folders.filter(({ name }) => name === folder.name).length === 1;
  return posix.join(isOnlyOne ? folder.name : folder.uri.path, path);
}

const isSame = (a: PathFacts, b: PathFacts): boolean =>
  a.path === b.path &&
  a.inside === b.inside &&
  a.realPath === b.realPath &&
  a.realInside === b.realInside &&
  a.isLink === b.isLink &&
  a.kind === b.kind;

const isSameSystem = (a: vscode.Uri, b: vscode.Uri): boolean =>
  a.scheme === b.scheme && a.authority === b.authority && a.query === b.query;

const refused = (message: string): ToolError => new ToolError('refused-path', message);
