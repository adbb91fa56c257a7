import { posix } from 'node:path';
import * as vscode from 'vscode';
import { type PathFacts, refusePathName } from '../path-rules.ts';
import { ToolError } from '../tool-error.ts';
import {
  below,
  byFolder,
  isOnDisk,
  outermost,
  realOrOwn,
  realPlace,
  realRoot,
  slashed,
  virtualPlace,
} from './real-paths.ts';

/**
 * Converts a path, with slashes of either kind, to a URI. The URI may be outside every workspace folder.
 * @throws ToolError when the path is invalid on this system or ambiguous.
 */
export function uriOfPath(written: string, folders: readonly vscode.WorkspaceFolder[]): vscode.Uri {
  const path = posix.normalize(written.replaceAll('\\', '/')).replace(/(?<=.)\/$/u, '');
  if (/^\/?[a-z]:/iu.test(path)) return onDrive(path);
  if (path.startsWith('/')) return absolute(path, folders);
  const [folder, rest] = inFolder(path, folders);
  const uri = folder.uri.with({
    path: posix.join(folder.uri.path, rest).replace(/(?<=.)\/$/u, ''),
  });
  return isOnDisk(uri) && process.platform === 'win32' ? onDrive(uri.path) : uri;
}

function onDrive(path: string): vscode.Uri {
  const isWhole = /^\/?[a-z]:\//iu.test(path);
  if (isWhole && process.platform === 'win32') return vscode.Uri.file(path);
  throw refused('The path names no place on this system.');
}

/** Assigns the path to the folder that its first segment names, or to the first folder. A single folder has no name. */
function inFolder(
  path: string,
  folders: readonly vscode.WorkspaceFolder[],
): readonly [vscode.WorkspaceFolder, string] {
  const [first = '', ...rest] = path.split('/');
  const named = folders.length > 1 ? folders.filter(({ name }) => name === first) : [];
  if (named.length > 1) {
    throw new ToolError('ambiguous', `Several folders are called ${first}. Write the whole path.`);
  }
  const [folder] = named.length > 0 ? named : folders;
  if (folder === undefined) throw refused('No folder is open.');
  return [folder, named.length > 0 ? rest.join('/') : path];
}

function absolute(path: string, folders: readonly vscode.WorkspaceFolder[]): vscode.Uri {
  const elsewhere = folders.filter(({ uri }) => !isOnDisk(uri));
  const holder = elsewhere.find(({ uri }) => below(uri.path, path) !== undefined);
  // Without a workspace folder on disk, an absolute path belongs to the virtual file system.
  const base = holder ?? (elsewhere.length === folders.length ? elsewhere[0] : undefined);
  if (base !== undefined) return base.uri.with({ path });
  return process.platform === 'win32' ? onDrive(path) : vscode.Uri.file(path);
}

const refused = (message: string): ToolError => new ToolError('refused-path', message);

/** Path from the model, resolved in the workspace. */
export interface ResolvedPath {
  readonly uri: vscode.Uri;
  /** Path relative to its workspace folder, prefixed with the folder name if several are open. */
  readonly label: string;
  readonly facts: PathFacts;
}

/** Resolves paths from the model to URIs, with the facts that the path rules need. */
export interface Paths {
  /**
   * Resolves the path and determines its link target and kind. The file need not exist.
   * @param path Relative to the first workspace folder, `folder/…` with several, absolute, or a `file:` URI's path.
   * @throws ToolError `refused-path` for names that no rule may allow.
   */
  resolve(path: string): Promise<ResolvedPath>;
  /**
   * Verifies directly before a change that the path still leads to the location that the rules checked.
   * @throws ToolError `refused-path` when a link or another kind of file has replaced it.
   */
  recheck(resolved: ResolvedPath): Promise<void>;
}

/** Resolves locations that were not given as a path, such as those in a stored record. */
export interface Places {
  /**
   * Inspects the location of a URI. The file need not exist, and its name is not restricted.
   * @throws ToolError `refused-path` when no open folder has its scheme and authority, or when the URI has a fragment
   *   or an unnormalized path.
   */
  locate(uri: vscode.Uri): Promise<ResolvedPath>;
}

export interface WorkspacePathsOptions {
  readonly folders: () => readonly vscode.WorkspaceFolder[];
  readonly isTrusted: () => boolean;
  /** Folders on disk that tools must not access, such as the storage folders of VS Code. */
  readonly closed: readonly vscode.Uri[];
}

/** Resolves paths in the open workspace, on disk or in a virtual file system. Rejects all in an untrusted workspace. */
export class WorkspacePaths implements Paths, Places {
  readonly #options: WorkspacePathsOptions;
  /** Maps each resolved path to its real location at the time of the check. */
  readonly #places = new WeakMap<ResolvedPath, string>();

  constructor(options: WorkspacePathsOptions) {
    this.#options = options;
  }

  async resolve(path: string): Promise<ResolvedPath> {
    const folders = this.#folders();
    const refusal = refusePathName(path);
    if (refusal !== undefined) throw refusedPath(refusal.text);
    return this.#look(uriOfPath(path, folders), folders);
  }

  async locate(uri: vscode.Uri): Promise<ResolvedPath> {
    const folders = this.#folders();
    const isPlain = uri.fragment === '' && posix.normalize(uri.path) === uri.path;
    if (!isPlain || !folders.some((folder) => isSameSystem(folder.uri, uri))) {
      throw refusedPath('The place is in no file system of this workspace.');
    }
    return this.#look(uri, folders);
  }

  async recheck(resolved: ResolvedPath): Promise<void> {
    const now = await this.#look(resolved.uri, this.#folders());
    const before = this.#places.get(resolved);
    const moved = before !== undefined && before !== this.#places.get(now);
    if (moved || !haveSameFacts(now.facts, resolved.facts)) {
      throw refusedPath(
        'The path leads to another place than before, or to something else. Look again.',
      );
    }
  }

  #folders(): readonly vscode.WorkspaceFolder[] {
    if (!this.#options.isTrusted()) throw refusedPath('The user does not trust this workspace.');
    const folders = this.#options.folders();
    if (folders.length === 0) throw refusedPath('No folder is open.');
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
      // The original error message would reveal the real location.
      const { code = 'unknown' } = error as { code?: string };
      throw refusedPath(`The path cannot be looked at (${code}).`);
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
    throw refusedPath('The editor keeps its own state there. No tool may reach it.');
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

const haveSameFacts = (a: PathFacts, b: PathFacts): boolean =>
  a.path === b.path &&
  a.inside === b.inside &&
  a.realPath === b.realPath &&
  a.realInside === b.realInside &&
  a.isLink === b.isLink &&
  a.kind === b.kind;

const isSameSystem = (a: vscode.Uri, b: vscode.Uri): boolean =>
  a.scheme === b.scheme && a.authority === b.authority && a.query === b.query;

const refusedPath = (message: string): ToolError => new ToolError('refused-path', message);

/**
 * Resolves the location of a file from a URI that VS Code reported.
 * @returns undefined if no path from a model could lead to the file. The path rules can't check such a file.
 */
export async function placeOfUri(paths: Paths, uri: vscode.Uri): Promise<ResolvedPath | undefined> {
  // Here a backslash is part of a name. In a model's path it would be a separator.
  if (uri.path.includes('\\')) return undefined;
  const path = uri.scheme === 'file' ? uri.fsPath : uri.path;
  const place = await paths.resolve(path).catch(() => undefined);
  const isSame = place?.uri.scheme === uri.scheme && place.uri.authority === uri.authority;
  return isSame ? place : undefined;
}

/** Stores the resolved paths of a tool call between its approval and its run, keyed by its arguments object. */
export class JudgedPaths {
  readonly #paths: Paths;
  readonly #places = new WeakMap<object, readonly ResolvedPath[]>();

  constructor(paths: Paths) {
    this.#paths = paths;
  }

  /** Resolves the paths while the call is planned. */
  async resolve(args: object, paths: readonly string[]): Promise<readonly ResolvedPath[]> {
    const places = await Promise.all(paths.map((path) => this.#paths.resolve(path)));
    this.#places.set(args, places);
    return places;
  }

  /**
   * Returns the paths for the run of the call.
   * @throws ToolError `refused-path` when a location was replaced since the plan.
   */
  async recheck(args: object, paths: readonly string[]): Promise<readonly ResolvedPath[]> {
    const judged = this.#places.get(args);
    if (judged === undefined) return this.#unjudged(paths);
    for (const place of judged) await this.#paths.recheck(place);
    return judged;
  }

  /** Allows only paths inside the workspace, because a call without a plan was never approved. */
  async #unjudged(paths: readonly string[]): Promise<readonly ResolvedPath[]> {
    const places = await Promise.all(paths.map((path) => this.#paths.resolve(path)));
    if (places.every(({ facts }) => facts.realInside)) return places;
    throw new ToolError('refused-path', 'The path is outside the workspace.');
  }
}
