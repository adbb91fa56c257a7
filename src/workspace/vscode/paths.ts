import { posix } from 'node:path';
import * as vscode from 'vscode';
import { type PathFacts, findPathNameProblem } from '../path-rules.ts';
import { ToolError } from '../tool-error.ts';
import {
  getRelativePath,
  toFolderUri,
  isOnDisk,
  findOutermostRoot,
  resolveRealPathOrSelf,
  inspectRealPath,
  resolveWorkspaceRoot,
  toForwardSlashes,
  inspectVirtualPath,
} from './real-paths.ts';

/**
 * Converts a path, with slashes of either kind, to a URI. The URI may be outside all workspace folders.
 * @throws ToolError if the path is ambiguous or is invalid on this operating system.
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
  throw createRefusedPathError('The path names no place on this system.');
}

/**
 * Returns the workspace folder of a path, and the path relative to this folder. If several folders are open, the first
 * segment of the path can name the folder. A path that names no folder is in the first folder.
 */
function findFolder(
  path: string,
  folders: readonly vscode.WorkspaceFolder[],
): readonly [vscode.WorkspaceFolder, string] {
  const [firstSegment = '', ...rest] = path.split('/');
  const matchingFolders =
    folders.length > 1 ? folders.filter(({ name }) => name === firstSegment) : [];
  if (matchingFolders.length > 1) {
    throw new ToolError(
      'ambiguous',
      `Several folders are called ${firstSegment}. Write the whole path.`,
    );
  }
  const [folder] = matchingFolders.length > 0 ? matchingFolders : folders;
  if (folder === undefined) throw createRefusedPathError('No folder is open.');
  return [folder, matchingFolders.length > 0 ? rest.join('/') : path];
}

function toAbsoluteUri(path: string, folders: readonly vscode.WorkspaceFolder[]): vscode.Uri {
  const virtualFolders = folders.filter(({ uri }) => !isOnDisk(uri));
  const containingFolder = virtualFolders.find(
    ({ uri }) => getRelativePath(uri.path, path) !== undefined,
  );
  // Resolves an absolute path in the virtual file system if no workspace folder is on disk.
  const baseFolder =
    containingFolder ?? (virtualFolders.length === folders.length ? virtualFolders[0] : undefined);
  if (baseFolder !== undefined) return baseFolder.uri.with({ path });
  return process.platform === 'win32' ? toDriveUri(path) : vscode.Uri.file(path);
}

/** Path from the model, resolved in the workspace. */
export interface ResolvedPath {
  readonly uri: vscode.Uri;
  /**
   * Path relative to its workspace folder, prefixed with the folder name if several folders are open. Outside the
   * workspace, the full path.
   */
  readonly label: string;
  readonly facts: PathFacts;
}

/** Resolves paths from the model to URIs, with the facts that the path rules need. */
export interface PathResolver {
  /**
   * Resolves the path and determines its link target and kind. The file need not exist.
   * @param path Absolute path, which may be written as in a `file:` URI, or path relative to the first workspace
   * folder. If several folders are open, the first segment can name another folder (`folder/…`).
   * @throws ToolError `refused-path` for a path with a name that is never allowed.
   */
  resolvePath(path: string): Promise<ResolvedPath>;
  /**
   * Checks, before a change, that the path still leads to the location for which the path rules were evaluated.
   * @throws ToolError `refused-path` if the location or the kind of file has changed.
   */
  checkPathUnchanged(resolvedPath: ResolvedPath): Promise<void>;
}

/** Inspects locations by their URIs, such as URIs in a stored record, instead of by paths from the model. */
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
  readonly forbiddenFolders: readonly vscode.Uri[];
}

/**
 * Resolves paths in the open workspace, on disk or in a virtual file system. Rejects all paths in
 * an untrusted workspace.
 */
export class WorkspacePaths implements PathResolver, UriLocator {
  readonly #options: WorkspacePathsOptions;
  /** Real location of each resolved path at the time when the path was resolved. */
  readonly #locations = new WeakMap<ResolvedPath, string>();

  constructor(options: WorkspacePathsOptions) {
    this.#options = options;
  }

  async resolvePath(path: string): Promise<ResolvedPath> {
    const folders = this.#getFolders();
    const refusal = findPathNameProblem(path);
    if (refusal !== undefined) throw createRefusedPathError(refusal.text);
    return this.#inspectPath(resolveUri(path, folders), folders);
  }

  async locate(uri: vscode.Uri): Promise<ResolvedPath> {
    const folders = this.#getFolders();
    const isPlain = uri.fragment === '' && posix.normalize(uri.path) === uri.path;
    if (!isPlain || !folders.some((folder) => isSameFileSystem(folder.uri, uri))) {
      throw createRefusedPathError('The place is in no file system of this workspace.');
    }
    return this.#inspectPath(uri, folders);
  }

  async checkPathUnchanged(resolvedPath: ResolvedPath): Promise<void> {
    const currentPath = await this.#inspectPath(resolvedPath.uri, this.#getFolders());
    const previousLocation = this.#locations.get(resolvedPath);
    const hasMoved =
      previousLocation !== undefined && previousLocation !== this.#locations.get(currentPath);
    if (hasMoved || !haveSameFacts(currentPath.facts, resolvedPath.facts)) {
      throw createRefusedPathError(
        'The path leads to another place than before, or to something else. Look again.',
      );
    }
  }

  #getFolders(): readonly vscode.WorkspaceFolder[] {
    if (!this.#options.isTrusted())
      throw createRefusedPathError('The user does not trust this workspace.');
    const folders = this.#options.folders();
    if (folders.length === 0) throw createRefusedPathError('No folder is open.');
    return folders;
  }

  async #inspectPath(
    uri: vscode.Uri,
    folders: readonly vscode.WorkspaceFolder[],
  ): Promise<ResolvedPath> {
    try {
      const [resolvedPath, location] = isOnDisk(uri)
        ? await inspectDiskUri(uri, folders, this.#options.forbiddenFolders)
        : await inspectVirtualUri(uri, folders);
      this.#locations.set(resolvedPath, location);
      return resolvedPath;
    } catch (error) {
      if (error instanceof ToolError) throw error;
      // Omits the original error message, which would reveal the real location.
      const { code = 'unknown' } = error as { code?: string };
      throw createRefusedPathError(`The path cannot be looked at (${code}).`);
    }
  }
}

type InspectedPath = readonly [resolved: ResolvedPath, location: string];

async function inspectDiskUri(
  namedUri: vscode.Uri,
  folders: readonly vscode.WorkspaceFolder[],
  forbiddenFolders: readonly vscode.Uri[],
): Promise<InspectedPath> {
  const roots = await Promise.all(
    folders.filter(({ uri }) => isOnDisk(uri)).map(resolveWorkspaceRoot),
  );
  const uri = toFolderUri(namedUri, roots);
  const { path: location, isLink, kind } = await inspectRealPath(uri.fsPath);
  const forbiddenPaths = await Promise.all(
    forbiddenFolders.filter(isOnDisk).map(resolveRealPathOrSelf),
  );
  if (forbiddenPaths.some((folder) => getRelativePath(folder, location) !== undefined)) {
    throw createRefusedPathError('The editor keeps its own state there. No tool may reach it.');
  }
  const [rootMatch, realRootMatch] = [
    findOutermostRoot(roots, uri.fsPath, 'path'),
    findOutermostRoot(roots, location, 'realPath'),
  ];
  const facts = {
    path: rootMatch?.rest ?? toForwardSlashes(uri.fsPath),
    isInWorkspace: rootMatch !== undefined,
    realPath: realRootMatch?.rest ?? toForwardSlashes(location),
    isRealPathInWorkspace: realRootMatch !== undefined,
    isLink,
    kind,
  };
  return [{ uri, label: formatLabel(facts, rootMatch?.folder, folders), facts }, location];
}

async function inspectVirtualUri(
  uri: vscode.Uri,
  folders: readonly vscode.WorkspaceFolder[],
): Promise<InspectedPath> {
  const roots = folders
    .filter((folder) => isSameFileSystem(folder.uri, uri))
    .map((folder) => ({ folder, path: folder.uri.path, realPath: folder.uri.path }));
  const rootMatch = findOutermostRoot(roots, uri.path, 'path');
  const { isThroughLink, isLink, kind } = await inspectVirtualPath(uri);
  const path = rootMatch?.rest ?? uri.path;
  const isInWorkspace = rootMatch !== undefined;
  const facts = {
    path,
    isInWorkspace,
    realPath: path,
    isRealPathInWorkspace: isInWorkspace && !isThroughLink,
    isLink,
    kind,
  };
  return [{ uri, label: formatLabel(facts, rootMatch?.folder, folders), facts }, uri.toString()];
}

function formatLabel(
  { path, isInWorkspace }: Pick<PathFacts, 'path' | 'isInWorkspace'>,
  folder: vscode.WorkspaceFolder | undefined,
  folders: readonly vscode.WorkspaceFolder[],
): string {
  if (!isInWorkspace || folder === undefined) return path;
  if (folders.length === 1) return path === '' ? '.' : path;
  const isUnique = folders.filter(({ name }) => name === folder.name).length === 1;
  const canNameFolder = isUnique && isPathSegment(folder.name);
  return posix.join(canNameFolder ? folder.name : folder.uri.path, path);
}

/**
 * Checks whether a path can begin with the name of a workspace folder. A `.code-workspace` file can give a folder any
 * name, also one that would lead to another place, such as `apps/web` or `..`.
 */
const isPathSegment = (name: string): boolean =>
  !/[\\/]|^[a-z]:|^(?:\.{1,2}|file:.*)?$/iu.test(name) && findPathNameProblem(name) === undefined;

const haveSameFacts = (a: PathFacts, b: PathFacts): boolean =>
  a.path === b.path &&
  a.isInWorkspace === b.isInWorkspace &&
  a.realPath === b.realPath &&
  a.isRealPathInWorkspace === b.isRealPathInWorkspace &&
  a.isLink === b.isLink &&
  a.kind === b.kind;

const isSameFileSystem = (a: vscode.Uri, b: vscode.Uri): boolean =>
  a.scheme === b.scheme && a.authority === b.authority && a.query === b.query;

const createRefusedPathError = (message: string): ToolError =>
  new ToolError('refused-path', message);

/**
 * Resolves a file from a URI that VS Code returned.
 * @returns undefined if no path from a model can lead to the file. The path rules can't check such a file.
 */
export async function resolveExactUri(
  paths: PathResolver,
  uri: vscode.Uri,
): Promise<ResolvedPath | undefined> {
  // A backslash in a URI is part of a name, but `resolve` would treat it as a separator.
  if (uri.path.includes('\\')) return undefined;
  const path = uri.scheme === 'file' ? uri.fsPath : uri.path;
  const resolvedPath = await paths.resolvePath(path).catch(() => undefined);
  const hasSameAuthority =
    resolvedPath?.uri.scheme === uri.scheme && resolvedPath.uri.authority === uri.authority;
  return hasSameAuthority ? resolvedPath : undefined;
}

/**
 * Stores the resolved paths of each tool call from its planning, before the user approves it, until its run. The key is
 * the arguments object of the call.
 */
export class CheckedPaths {
  readonly #paths: PathResolver;
  readonly #resolvedPaths = new WeakMap<object, readonly ResolvedPath[]>();

  constructor(paths: PathResolver) {
    this.#paths = paths;
  }

  /** Resolves and stores the paths when the tool call is planned, before the user approves it. */
  async resolvePaths(args: object, paths: readonly string[]): Promise<readonly ResolvedPath[]> {
    const resolvedPaths = await Promise.all(paths.map((path) => this.#paths.resolvePath(path)));
    this.#resolvedPaths.set(args, resolvedPaths);
    return resolvedPaths;
  }

  /**
   * Returns the resolved paths when the call runs. Uses the stored paths if the call was planned; otherwise resolves
   * the paths now.
   * @throws ToolError `refused-path` if a location has changed since the call was planned.
   */
  async recheck(args: object, paths: readonly string[]): Promise<readonly ResolvedPath[]> {
    const resolvedPaths = this.#resolvedPaths.get(args);
    if (resolvedPaths === undefined) return this.#resolveUnplannedPaths(paths);
    for (const resolvedPath of resolvedPaths) await this.#paths.checkPathUnchanged(resolvedPath);
    return resolvedPaths;
  }

  /**
   * Resolves paths of a call that was not planned. Allows only paths in the workspace, because the
   * user has not approved the call.
   */
  async #resolveUnplannedPaths(paths: readonly string[]): Promise<readonly ResolvedPath[]> {
    const resolvedPaths = await Promise.all(paths.map((path) => this.#paths.resolvePath(path)));
    if (resolvedPaths.every(({ facts }) => facts.isRealPathInWorkspace)) return resolvedPaths;
    throw new ToolError('refused-path', 'The path is outside the workspace.');
  }
}
