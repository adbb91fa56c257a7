import { posix } from 'node:path';
import * as vscode from 'vscode';
import { type PathFacts, checkPathName } from '../path-rules.ts';
import { ToolError } from '../tool-error.ts';
import {
  relativeBelow,
  toFolderUri,
  isOnDisk,
  findOutermostRoot,
  realPathOrSelf,
  inspectRealPath,
  realRoot,
  toSlashes,
  inspectVirtualPath,
} from './real-paths.ts';

/**
 * Converts a path, with slashes of either kind, to a URI. The URI may be outside every workspace folder.
 * @throws ToolError when the path is invalid on this system or ambiguous.
 */
export function resolveUri(
  inputPath: string,
  folders: readonly vscode.WorkspaceFolder[],
): vscode.Uri {
  const path = posix.normalize(inputPath.replaceAll('\\', '/')).replace(/(?<=.)\/$/u, '');
  if (/^\/?[a-z]:/iu.test(path)) return toDriveUri(path);
  if (path.startsWith('/')) return toAbsoluteUri(path, folders);
  const [folder, rest] = findFolder(path, folders);
  const uri = folder.uri.with({
    path: posix.join(folder.uri.path, rest).replace(/(?<=.)\/$/u, ''),
  });
  return isOnDisk(uri) && process.platform === 'win32' ? toDriveUri(uri.path) : uri;
}

function toDriveUri(path: string): vscode.Uri {
  const isAbsolute = /^\/?[a-z]:\//iu.test(path);
  if (isAbsolute && process.platform === 'win32') return vscode.Uri.file(path);
  throw refusedPathError('The path names no place on this system.');
}

/** Assigns the path to the folder that its first segment names, or to the first folder. A single folder has no name. */
function findFolder(
  path: string,
  folders: readonly vscode.WorkspaceFolder[],
): readonly [vscode.WorkspaceFolder, string] {
  const [first = '', ...rest] = path.split('/');
  const matching = folders.length > 1 ? folders.filter(({ name }) => name === first) : [];
  if (matching.length > 1) {
    throw new ToolError('ambiguous', `Several folders are called ${first}. Write the whole path.`);
  }
  const [folder] = matching.length > 0 ? matching : folders;
  if (folder === undefined) throw refusedPathError('No folder is open.');
  return [folder, matching.length > 0 ? rest.join('/') : path];
}

function toAbsoluteUri(path: string, folders: readonly vscode.WorkspaceFolder[]): vscode.Uri {
  const virtualFolders = folders.filter(({ uri }) => !isOnDisk(uri));
  const containingFolder = virtualFolders.find(
    ({ uri }) => relativeBelow(uri.path, path) !== undefined,
  );
  // Without a workspace folder on disk, an absolute path belongs to the virtual file system.
  const base =
    containingFolder ?? (virtualFolders.length === folders.length ? virtualFolders[0] : undefined);
  if (base !== undefined) return base.uri.with({ path });
  return process.platform === 'win32' ? toDriveUri(path) : vscode.Uri.file(path);
}

const refusedPathError = (message: string): ToolError => new ToolError('refused-path', message);

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
export interface UriLocator {
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
  readonly closedFolders: readonly vscode.Uri[];
}

/** Resolves paths in the open workspace, on disk or in a virtual file system. Rejects all in an untrusted workspace. */
export class WorkspacePaths implements Paths, UriLocator {
  readonly #options: WorkspacePathsOptions;
  /** Maps each resolved path to its real location at the time of the check. */
  readonly #locations = new WeakMap<ResolvedPath, string>();

  constructor(options: WorkspacePathsOptions) {
    this.#options = options;
  }

  async resolve(path: string): Promise<ResolvedPath> {
    const folders = this.#folders();
    const refusal = checkPathName(path);
    if (refusal !== undefined) throw createRefusedPathError(refusal.text);
    return this.#inspect(resolveUri(path, folders), folders);
  }

  async locate(uri: vscode.Uri): Promise<ResolvedPath> {
    const folders = this.#folders();
    const isPlain = uri.fragment === '' && posix.normalize(uri.path) === uri.path;
    if (!isPlain || !folders.some((folder) => isSameFileSystem(folder.uri, uri))) {
      throw createRefusedPathError('The place is in no file system of this workspace.');
    }
    return this.#inspect(uri, folders);
  }

  async recheck(resolved: ResolvedPath): Promise<void> {
    const current = await this.#inspect(resolved.uri, this.#folders());
    const previousLocation = this.#locations.get(resolved);
    const hasMoved =
      previousLocation !== undefined && previousLocation !== this.#locations.get(current);
    if (hasMoved || !haveSameFacts(current.facts, resolved.facts)) {
      throw createRefusedPathError(
        'The path leads to another place than before, or to something else. Look again.',
      );
    }
  }

  #folders(): readonly vscode.WorkspaceFolder[] {
    if (!this.#options.isTrusted())
      throw createRefusedPathError('The user does not trust this workspace.');
    const folders = this.#options.folders();
    if (folders.length === 0) throw createRefusedPathError('No folder is open.');
    return folders;
  }

  async #inspect(
    uri: vscode.Uri,
    folders: readonly vscode.WorkspaceFolder[],
  ): Promise<ResolvedPath> {
    try {
      const [resolved, location] = isOnDisk(uri)
        ? await inspectOnDisk(uri, folders, this.#options.closedFolders)
        : await inspectVirtual(uri, folders);
      this.#locations.set(resolved, location);
      return resolved;
    } catch (error) {
      if (error instanceof ToolError) throw error;
      // The original error message would reveal the real location.
      const { code = 'unknown' } = error as { code?: string };
      throw createRefusedPathError(`The path cannot be looked at (${code}).`);
    }
  }
}

type InspectedPath = readonly [resolved: ResolvedPath, location: string];

async function inspectOnDisk(
  named: vscode.Uri,
  folders: readonly vscode.WorkspaceFolder[],
  closedFolders: readonly vscode.Uri[],
): Promise<InspectedPath> {
  const roots = await Promise.all(folders.filter(({ uri }) => isOnDisk(uri)).map(realRoot));
  const uri = toFolderUri(named, roots);
  const { path: location, isLink, kind } = await inspectRealPath(uri.fsPath);
  const closedPaths = await Promise.all(closedFolders.filter(isOnDisk).map(realPathOrSelf));
  if (closedPaths.some((folder) => relativeBelow(folder, location) !== undefined)) {
    throw createRefusedPathError('The editor keeps its own state there. No tool may reach it.');
  }
  const [inside, realInside] = [
    findOutermostRoot(roots, uri.fsPath, 'path'),
    findOutermostRoot(roots, location, 'real'),
  ];
  const facts = {
    path: inside?.rest ?? toSlashes(uri.fsPath),
    inside: inside !== undefined,
    realPath: realInside?.rest ?? toSlashes(location),
    realInside: realInside !== undefined,
    isLink,
    kind,
  };
  return [{ uri, label: labelOf(facts, inside?.folder, folders), facts }, location];
}

async function inspectVirtual(
  uri: vscode.Uri,
  folders: readonly vscode.WorkspaceFolder[],
): Promise<InspectedPath> {
  const roots = folders
    .filter((folder) => isSameFileSystem(folder.uri, uri))
    .map((folder) => ({ folder, path: folder.uri.path, real: folder.uri.path }));
  const found = findOutermostRoot(roots, uri.path, 'path');
  const { isThroughLink, isLink, kind } = await inspectVirtualPath(uri);
  const path = found?.rest ?? uri.path;
  const inside = found !== undefined;
  const facts = {
    path,
    inside,
    realPath: path,
    realInside: inside && !isThroughLink,
    isLink,
    kind,
  };
  return [{ uri, label: labelOf(facts, found?.folder, folders), facts }, uri.toString()];
}

function labelOf(
  { path, inside }: Pick<PathFacts, 'path' | 'inside'>,
  folder: vscode.WorkspaceFolder | undefined,
  folders: readonly vscode.WorkspaceFolder[],
): string {
  if (!inside || folder === undefined) return path;
  if (folders.length === 1) return path === '' ? '.' : path;
  const isUnique = folders.filter(({ name }) => name === folder.name).length === 1;
  return posix.join(isUnique ? folder.name : folder.uri.path, path);
}

const haveSameFacts = (a: PathFacts, b: PathFacts): boolean =>
  a.path === b.path &&
  a.inside === b.inside &&
  a.realPath === b.realPath &&
  a.realInside === b.realInside &&
  a.isLink === b.isLink &&
  a.kind === b.kind;

const isSameFileSystem = (a: vscode.Uri, b: vscode.Uri): boolean =>
  a.scheme === b.scheme && a.authority === b.authority && a.query === b.query;

const createRefusedPathError = (message: string): ToolError =>
  new ToolError('refused-path', message);

/**
 * Resolves the location of a file from a URI that VS Code reported.
 * @returns undefined if no path from a model could lead to the file. The path rules can't check such a file.
 */
export async function resolveExactUri(
  paths: Paths,
  uri: vscode.Uri,
): Promise<ResolvedPath | undefined> {
  // Here a backslash is part of a name. In a model's path it would be a separator.
  if (uri.path.includes('\\')) return undefined;
  const path = uri.scheme === 'file' ? uri.fsPath : uri.path;
  const resolved = await paths.resolve(path).catch(() => undefined);
  const isSame = resolved?.uri.scheme === uri.scheme && resolved.uri.authority === uri.authority;
  return isSame ? resolved : undefined;
}

/** Stores the resolved paths of a tool call between its approval and its run, keyed by its arguments object. */
export class CheckedPaths {
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
