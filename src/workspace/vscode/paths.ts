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
 * The place that a path means, with slashes of either kind; it may be outside of every folder.
 * @throws ToolError when it means none on this system, or more than one
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

/** With several folders the first name may be that of a folder; otherwise the path belongs to the first folder. */
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
  // Without a folder on disk the disk of this machine is none of the workspace's business.
  const base = holder ?? (elsewhere.length === folders.length ? elsewhere[0] : undefined);
  if (base !== undefined) return base.uri.with({ path });
  return process.platform === 'win32' ? onDrive(path) : vscode.Uri.file(path);
}

const refused = (message: string): ToolError => new ToolError('refused-path', message);

/** A path that a model named, found in the workspace. */
export interface ResolvedPath {
  readonly uri: vscode.Uri;
  /** Relative to its workspace folder, with the folder's name first when there are several. */
  readonly label: string;
  readonly facts: PathFacts;
}

/** From paths as models write them to places on disk, and what the rules need to know of each. */
export interface Paths {
  /**
   * Finds the place and looks at it (links, kind); the file need not exist.
   * @param path Relative to the first workspace folder, `folder/…` with several, absolute, or a `file:` URI's path.
   * @throws ToolError `refused-path` for names that no rule may allow.
   */
  resolve(path: string): Promise<ResolvedPath>;
  /**
   * Looks again, right before a change: resolves when the place is still the one that was judged.
   * @throws ToolError `refused-path` when a link or another kind of file has taken its place.
   */
  recheck(resolved: ResolvedPath): Promise<void>;
}

/** Places that nobody named by a path, such as those from a record. */
export interface Places {
  /**
   * Looks at a place that is known by its URI, which need not exist; any name will do.
   * @throws ToolError `refused-path` when no open folder is of its scheme and authority, and for what is not a plain
   *   address there.
   */
  locate(uri: vscode.Uri): Promise<ResolvedPath>;
}

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
    if (!this.#options.isTrusted()) throw refusedPath('The person does not trust this workspace.');
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
      // The message of the error would tell where it is.
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
 * The place of a file that the editor names, as the rules need it.
 * @returns undefined where no path that a model could write leads to it: then no rule was asked.
 */
export async function placeOfUri(paths: Paths, uri: vscode.Uri): Promise<ResolvedPath | undefined> {
  // Here a backslash is a part of a name; in a model's path it would be a slash, and lead elsewhere.
  if (uri.path.includes('\\')) return undefined;
  const path = uri.scheme === 'file' ? uri.fsPath : uri.path;
  const place = await paths.resolve(path).catch(() => undefined);
  const isSame = place?.uri.scheme === uri.scheme && place.uri.authority === uri.authority;
  return isSame ? place : undefined;
}

/** Keeps the places that a call was judged by until it runs, by the identity of its arguments. */
export class JudgedPaths {
  readonly #paths: Paths;
  readonly #places = new WeakMap<object, readonly ResolvedPath[]>();

  constructor(paths: Paths) {
    this.#paths = paths;
  }

  /** For the plan of a call. */
  async resolve(args: object, paths: readonly string[]): Promise<readonly ResolvedPath[]> {
    const places = await Promise.all(paths.map((path) => this.#paths.resolve(path)));
    this.#places.set(args, places);
    return places;
  }

  /**
   * For its run.
   * @throws ToolError `refused-path` when something else has taken the place of one.
   */
  async recheck(args: object, paths: readonly string[]): Promise<readonly ResolvedPath[]> {
    const judged = this.#places.get(args);
    if (judged === undefined) return this.#unjudged(paths);
    for (const place of judged) await this.#paths.recheck(place);
    return judged;
  }

  /** Without a plan nobody was asked: only what needs no question is allowed. */
  async #unjudged(paths: readonly string[]): Promise<readonly ResolvedPath[]> {
    const places = await Promise.all(paths.map((path) => this.#paths.resolve(path)));
    if (places.every(({ facts }) => facts.realInside)) return places;
    throw new ToolError('refused-path', 'The path is outside the workspace.');
  }
}
