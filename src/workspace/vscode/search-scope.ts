import * as vscode from 'vscode';
import type { PathFilter } from '../path-filter.ts';
import { splitGlobs } from '../glob.ts';
import { isPrivatePath, type PathFacts } from '../path-rules.ts';
import type { ResolvedPath } from './paths.ts';
import {
  type FileScope,
  type FileSource,
  type FolderEntry,
  maxScannedFileBytes,
} from '../search.ts';
import { listAncestorFolders, isIgnoreFile } from '../ignore-rules.ts';
import { hasMultipleFolders } from './labels.ts';
import { closeSync, type Dirent, openSync, readdirSync, readSync } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Folder or file to search in one call of a tool. */
export interface SearchLocation {
  /**
   * Workspace folder that contains the location. For a location outside the workspace, the searched folder, or the
   * parent folder of the searched file.
   */
  readonly root: vscode.Uri;
  readonly scope: FileScope;
  readonly source: FileSource;
  /**
   * Ripgrep's name for the encoding of the files. Undefined for UTF-8, and for an encoding that ripgrep does not
   * support.
   */
  readonly encoding: string | undefined;
  readonly isFile: boolean;
  /**
   * Real path of a location outside the workspace. Below this path, the search skips folders with personal or system
   * settings, because a grant to read outside the workspace does not cover them. Undefined for a location inside the
   * workspace, and for a location that is itself in such a folder.
   */
  readonly outsidePath?: string | undefined;
  /** Label of the location for the user. */
  readonly label: string;
  formatLabel(path: string): string;
  toUri(path: string): vscode.Uri;
}

/**
 * Creates the search location for a resolved path.
 * @param filter globs of files to exclude and globs of file names, from the arguments of the tool call
 */
export async function createSearchLocation(
  resolvedPath: ResolvedPath,
  filter: Pick<PathFilter, 'excludeGlobs' | 'nameGlobs'>,
): Promise<SearchLocation> {
  const folder = vscode.workspace.getWorkspaceFolder(resolvedPath.uri);
  const root =
    folder?.uri ??
    (resolvedPath.facts.kind === 'directory' ? resolvedPath.uri : getParentUri(resolvedPath.uri));
  const searchPath = resolvedPath.uri.path.slice(root.path.length).replaceAll(/^\/|\/$/gu, '');
  const source = root.scheme === 'file' ? new DiskSource(root.fsPath) : new WorkspaceSource(root);
  const searchConfiguration = vscode.workspace.getConfiguration('search', root);
  const useIgnoreFiles = searchConfiguration.get('useIgnoreFiles', true);
  const prefix = folder !== undefined && hasMultipleFolders() ? `${folder.name}/` : '';
  return {
    root,
    source,
    isFile: resolvedPath.facts.kind === 'file',
    outsidePath: findOutsidePath(resolvedPath.facts),
    label: resolvedPath.label,
    encoding: getRipgrepEncoding(root),
    scope: {
      folder: root.fsPath,
      searchPath,
      hiddenGlobs: [...readHiddenGlobs('files', root), ...readHiddenGlobs('search', root)],
      excludeGlobs: filter.excludeGlobs,
      nameGlobs: filter.nameGlobs,
      usesIgnoreFiles: useIgnoreFiles,
      parentIgnoreFiles: useIgnoreFiles ? await findParentIgnoreFiles(source, searchPath) : [],
    },
    formatLabel: (path) =>
      folder === undefined ? joinLabel(resolvedPath.label, path) : `${prefix}${path}`,
    toUri: (path) => vscode.Uri.joinPath(root, path),
  };
}

const findOutsidePath = ({ isRealPathInWorkspace, realPath }: PathFacts): string | undefined =>
  isRealPathInWorkspace || isPrivatePath(realPath) ? undefined : realPath;

/**
 * Returns the user's exclude globs for the Explorer (`files`) or for searches (`search`), in the syntax of ignore
 * files.
 */
export function readHiddenGlobs(section: 'files' | 'search', scope: vscode.Uri): readonly string[] {
  const excludeSetting = vscode.workspace
    .getConfiguration(section, scope)
    .get<Readonly<Record<string, unknown>>>('exclude', {});
  return Object.entries(excludeSetting).flatMap(([glob, isEnabled]) => {
    // Skips globs that depend on a sibling file. These globs hide build output, which does not
    // justify a disk access.
    if (isEnabled !== true || splitGlobs(glob).length !== 1) return [];
    return [glob.startsWith('**/') || glob.startsWith('/') ? glob : `/${glob}`];
  });
}

async function findParentIgnoreFiles(
  source: FileSource,
  searchPath: string,
): Promise<readonly string[]> {
  const ignoreFiles: string[] = [];
  for (const folder of listAncestorFolders(searchPath)) {
    const names = (await source.listEntries(folder)).map(({ name }) => name).filter(isIgnoreFile);
    ignoreFiles.push(...names.map((name) => (folder === '' ? name : `${folder}/${name}`)));
  }
  return ignoreFiles;
}

const ripgrepEncodings: Readonly<Record<string, string>> = {
  utf16le: 'utf-16le',
  utf16be: 'utf-16be',
  shiftjis: 'shift_jis',
  eucjp: 'euc-jp',
  euckr: 'euc-kr',
  gb2312: 'gb2312',
  gbk: 'gbk',
  gb18030: 'gb18030',
  big5hkscs: 'big5-hkscs',
  cp950: 'big5',
  koi8r: 'koi8-r',
  koi8u: 'koi8-u',
  cp866: 'ibm866',
  macroman: 'macintosh',
};

/**
 * Returns ripgrep's name for the encoding in VS Code's settings. Returns undefined for UTF-8, and for an encoding that
 * ripgrep does not support.
 */
function getRipgrepEncoding(root: vscode.Uri): string | undefined {
  const encoding = vscode.workspace.getConfiguration('files', root).get('encoding', 'utf8');
  if (encoding.startsWith('utf8')) return undefined;
  const [, windowsPage] = /^windows(?<page>\d+)$/u.exec(encoding) ?? [];
  if (windowsPage !== undefined) return `windows-${windowsPage}`;
  const [, isoPart] = /^iso8859(?<part>\d+)$/u.exec(encoding) ?? [];
  if (isoPart !== undefined) return `iso-8859-${isoPart}`;
  return ripgrepEncodings[encoding];
}

/**
 * Returns the label of a path in a location outside the workspace. If the path is the last segment of the location's
 * label, returns this label, because the location is then the file itself.
 */
const joinLabel = (label: string, path: string): string =>
  path === label.slice(label.lastIndexOf('/') + 1) ? label : `${label}/${path}`;

const getParentUri = (uri: vscode.Uri): vscode.Uri => vscode.Uri.joinPath(uri, '..');

/** Size in bytes of the buffer for synchronous reads. Files of this size or larger are read asynchronously. */
const bufferBytes = 256 * 1_024;
/** Duration in milliseconds above which a read counts as slow. */
const slowThresholdMs = 4;
/**
 * Number of consecutive slow reads after which all further reads are asynchronous. A single slow read can be an
 * exception.
 */
const maxSlowReads = 3;

/**
 * Reads files on disk in `folder`. Synchronous reads take a third of the time of asynchronous reads if the operating
 * system has cached the files. After several slow reads, uses only asynchronous reads, so that the event loop stays
 * responsive.
 */
export class DiskSource implements FileSource {
  readonly #folder: string;
  readonly #buffer = new Uint8Array(bufferBytes);
  #slowCallCount = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  get #isSlow(): boolean {
    return this.#slowCallCount >= maxSlowReads;
  }

  listEntries(path: string): readonly FolderEntry[] | Promise<readonly FolderEntry[]> {
    const absolutePath = join(this.#folder, path);
    if (this.#isSlow)
      return readdir(absolutePath, { withFileTypes: true }).then(
        (entries) => entries.map(toFolderEntry),
        () => [],
      );
    return (
      this.#runAndMeasureTime(() =>
        readdirSync(absolutePath, { withFileTypes: true }).map(toFolderEntry),
      ) ?? []
    );
  }

  read(path: string): Uint8Array | undefined | Promise<Uint8Array | undefined> {
    const absolutePath = join(this.#folder, path);
    if (this.#isSlow) return readFileContent(absolutePath);
    const length = this.#runAndMeasureTime(() => this.#readIntoBuffer(absolutePath));
    if (length === undefined) return undefined;
    return length < bufferBytes ? this.#buffer.subarray(0, length) : readFileContent(absolutePath);
  }

  #readIntoBuffer(absolutePath: string): number {
    const fd = openSync(absolutePath, 'r');
    try {
      return readSync(fd, this.#buffer, 0, bufferBytes, 0);
    } finally {
      closeSync(fd);
    }
  }

  #runAndMeasureTime<T>(run: () => T): T | undefined {
    const startedAt = performance.now();
    try {
      return run();
    } catch {
      return undefined;
    } finally {
      this.#slowCallCount =
        performance.now() - startedAt > slowThresholdMs ? this.#slowCallCount + 1 : 0;
    }
  }
}

async function readFileContent(absolutePath: string): Promise<Uint8Array | undefined> {
  try {
    await using file = await open(absolutePath, 'r');
    const { size } = await file.stat();
    return size > maxScannedFileBytes ? undefined : await file.readFile();
  } catch {
    return undefined;
  }
}

function toFolderEntry(entry: Dirent): FolderEntry {
  const kind = entry.isFile() ? 'file' : entry.isDirectory() ? 'folder' : 'other';
  return { name: entry.name, kind };
}

/** Reads the files of a folder in a virtual workspace. */
export class WorkspaceSource implements FileSource {
  readonly #root: vscode.Uri;

  constructor(root: vscode.Uri) {
    this.#root = root;
  }

  async listEntries(path: string): Promise<readonly FolderEntry[]> {
    try {
      const entries = await vscode.workspace.fs.readDirectory(this.#toUri(path));
      return entries.map(([name, type]) => ({ name, kind: toEntryKind(type) }));
    } catch {
      return [];
    }
  }

  async read(path: string): Promise<Uint8Array | undefined> {
    try {
      const { size } = await vscode.workspace.fs.stat(this.#toUri(path));
      return size > maxScannedFileBytes
        ? undefined
        : await vscode.workspace.fs.readFile(this.#toUri(path));
    } catch {
      return undefined;
    }
  }

  #toUri(path: string): vscode.Uri {
    return path === '' ? this.#root : vscode.Uri.joinPath(this.#root, path);
  }
}

/** Maps a file type to an entry kind. A link is always `other`. */
function toEntryKind(type: vscode.FileType): FolderEntry['kind'] {
  if (type === vscode.FileType.File) return 'file';
  return type === vscode.FileType.Directory ? 'folder' : 'other';
}
