import { open, readdir, readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { PathFacts } from '../../../workspace/path-rules.ts';
import { isLikelySecret } from '../../../workspace/secret-file.ts';
import type { Reason } from '../../../workspace/verdict.ts';

/** Maximum number of entries to search in all folders together. A command that searches more requires approval. */
const maxEntries = 50_000;
const timeLimitMs = 3_000;

export interface SearchPorts {
  /** Returns the facts about a path that the permission rules check. Follows links. */
  readonly inspectPath: (path: string) => Promise<PathFacts>;
  /** Signal that stops the search. The searched folder then counts as unsafe. */
  readonly signal?: AbortSignal | undefined;
  readonly readFolder?: (path: string) => Promise<readonly FolderEntry[]>;
  /** Returns the current time in milliseconds, for the time limit. */
  readonly now?: () => number;
}

export interface FolderEntry {
  readonly name: string;
  isDirectory(): boolean;
  isFile(): boolean;
  isSymbolicLink(): boolean;
}

/**
 * Searches folders for files that a recursive command must not show. All searches of one instance share a limit of
 * entries and time, and each folder is searched only once.
 */
export class UnsafeFileSearch {
  readonly #inspect: SearchPorts['inspectPath'];
  readonly #signal: AbortSignal | undefined;
  readonly #readFolder: NonNullable<SearchPorts['readFolder']>;
  readonly #now: () => number;
  readonly #deadline: number;
  readonly #resultPromises = new Map<string, Promise<Reason | undefined>>();
  #remainingEntryCount = maxEntries;

  constructor({ inspectPath, signal, readFolder = listEntries, now = Date.now }: SearchPorts) {
    this.#inspect = inspectPath;
    this.#signal = signal;
    this.#readFolder = readFolder;
    this.#now = now;
    this.#deadline = now() + timeLimitMs;
  }

  /**
   * Searches a folder and its subfolders.
   * @param folder Real path of the folder.
   * @param name Path of the folder relative to the workspace folder.
   * @param includeLinks True if the command follows links.
   * @returns the reason why the command must not read the folder; undefined if the folder is safe
   */
  findUnsafeFileReason(
    folder: string,
    name: string,
    includeLinks: boolean,
  ): Promise<Reason | undefined> {
    const key = `${includeLinks} ${folder}`;
    const resultPromise =
      this.#resultPromises.get(key) ??
      this.#searchFoldersFrom({ path: folder, name }, includeLinks);
    this.#resultPromises.set(key, resultPromise);
    return resultPromise;
  }

  async #searchFoldersFrom(
    startFolder: SearchedFolder,
    includeLinks: boolean,
  ): Promise<Reason | undefined> {
    const visitedPaths = new Set<string>();
    const folders = [startFolder];
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      if (visitedPaths.has(folder.path)) continue;
      visitedPaths.add(folder.path);
      try {
        const entries = await this.#readFolder(folder.path);
        this.#remainingEntryCount -= entries.length;
        if (this.#isExhausted) return createFileLimitReason();
        const unsafeReason = isInGitFolder(folder.name)
          ? await this.#searchGitFolder(folder, entries, folders)
          : await this.#searchFolder({ folder, entries, includeLinks, folders });
        if (unsafeReason !== undefined) return unsafeReason;
      } catch {
        return createUnreadableReason();
      }
    }
    return undefined;
  }

  /**
   * Searches the files of one folder, and adds its subfolders to `folders`.
   * @returns the reason why the folder must not be read; undefined if none is found
   */
  async #searchFolder({
    folder,
    entries,
    includeLinks,
    folders,
  }: ListedFolder): Promise<Reason | undefined> {
    for (const entry of entries) {
      if (this.#isExhausted) return createFileLimitReason();
      const path = join(folder.path, entry.name);
      const name = joinPath(folder.name, entry.name);
      if (entry.isDirectory() && entry.name.toLowerCase() === '.git') {
        folders.push({ path, name });
        continue;
      }
      if (isLikelySecret(name) || isLikelySecret(`${name}/`)) return createSecretReason(name);
      if (entry.isDirectory()) folders.push({ path, name });
      else if (entry.isSymbolicLink() && includeLinks) {
        const { kind, isRealPathInWorkspace, realPath } = await this.#inspect(path);
        if (!isRealPathInWorkspace) return createLinkReason(name);
        if (isLikelySecret(realPath) || isLikelySecret(`${realPath}/`))
          return createSecretReason(name);
        if (kind === 'directory') folders.push({ path: await realpath(path), name: realPath });
      }
    }
    return undefined;
  }

  /**
   * Checks the configuration of a repository, its submodules and its worktrees for credentials. Also checks for Git LFS
   * objects that contain text, because these are copies of files. Searches the subfolders of `modules` at every depth,
   * because the folder of a submodule has the submodule's path, such as `modules/a/b`.
   * @returns the reason why the folder must not be read; undefined if none is found
   */
  async #searchGitFolder(
    folder: SearchedFolder,
    entries: readonly FolderEntry[],
    folders: SearchedFolder[],
  ): Promise<Reason | undefined> {
    const isRepository = entries.some((entry) => entry.name === 'HEAD' && entry.isFile());
    for (const entry of entries) {
      if (this.#isExhausted) return createFileLimitReason();
      const path = join(folder.path, entry.name);
      const name = joinPath(folder.name, entry.name);
      if (entry.isDirectory()) {
        // An interrupted rebase or cherry-pick stores changes of any file.
        if (isRepository && operationFolders.has(entry.name)) return createSecretReason(name);
        if (!isRepository || !dataFolders.has(entry.name)) folders.push({ path, name });
      } else if (/^config(?:\.worktree)?$/u.test(entry.name)) {
        if (await hasCredentials(path)) return createSecretReason(name);
      } else if (isLikelySecret(entry.name)) return createSecretReason(name);
      else if (isInLfsFolder(name) && (await isTextFile(path))) return createSecretReason(name);
    }
    return undefined;
  }

  get #isExhausted(): boolean {
    return (
      this.#remainingEntryCount < 0 ||
      this.#now() > this.#deadline ||
      this.#signal?.aborted === true
    );
  }
}

/**
 * Searches the names of files for a secret file. A name can begin with a revision: `HEAD:src/a.ts`.
 * @returns the reason why the files must not be read; undefined if no name is secret
 */
export function findSecretNameReason(names: readonly string[]): Reason | undefined {
  if (names.length > maxEntries) return createFileLimitReason();
  const checkedPaths = new Set<string>();
  for (const name of names) {
    const paths = [name, ...name.split(':').slice(1)];
    for (const path of paths.flatMap(listPathAndFolders)) {
      if (checkedPaths.has(path)) continue;
      checkedPaths.add(path);
      if (isLikelySecret(path)) return createSecretReason(name);
    }
  }
  return undefined;
}

/** Lists the path itself, then each of its folders with a final slash: `a/b`, `a/`. */
const listPathAndFolders = (path: string): readonly string[] => {
  const segments = path.split('/');
  return [
    path,
    ...segments.slice(1).map((_, index) => `${segments.slice(0, index + 1).join('/')}/`),
  ];
};

interface SearchedFolder {
  readonly path: string;
  readonly name: string;
}

interface ListedFolder {
  readonly folder: SearchedFolder;
  readonly entries: readonly FolderEntry[];
  readonly includeLinks: boolean;
  /** Folders that are still to be searched. */
  readonly folders: SearchedFolder[];
}

/**
 * Names of folders of a repository that are not searched, because they contain neither configuration nor uncompressed
 * copies of files.
 */
const dataFolders: ReadonlySet<string> = new Set(['objects', 'refs', 'hooks']);

/** Folders inside `.git` that exist only while an operation such as a rebase is in progress. */
const operationFolders: ReadonlySet<string> = new Set([
  'rebase-merge',
  'rebase-apply',
  'sequencer',
]);

const listEntries = (path: string): Promise<readonly FolderEntry[]> =>
  readdir(path, { withFileTypes: true });

const joinPath = (folder: string, name: string): string =>
  folder === '' ? name : `${folder}/${name}`;

/** Number of bytes at the start of a file in which a zero byte marks a binary file, as in Git. */
const sniffedByteCount = 8_000;

async function isTextFile(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(
      Buffer.alloc(sniffedByteCount),
      0,
      sniffedByteCount,
      0,
    );
    const start = buffer.subarray(0, bytesRead);
    // Programs such as `rg` read UTF-16, which contains zero bytes.
    const isUtf16 = /^(?:\u00ff\u00fe|\u00fe\u00ff)/u.test(start.toString('latin1'));
    return bytesRead > 0 && (isUtf16 || !start.includes(0));
  } finally {
    await file.close();
  }
}

const isInLfsFolder = (name: string): boolean => /(?:^|\/)\.git\/(?:.+\/)?lfs\//iu.test(name);

const isInGitFolder = (name: string): boolean => /(?:^|\/)\.git(?:\/|$)/iu.test(name);

async function hasCredentials(path: string): Promise<boolean> {
  const text = await readFile(path, 'utf8');
  return /:\/\/[^\s/@]+@|extraheader|pass|secret|token|key\s*=/iu.test(text);
}

const createFileLimitReason = (): Reason => ({
  code: 'too-long',
  text: vscode.l10n.t('The files that it searches could not be checked for secrets.'),
});
const createUnreadableReason = (): Reason => ({
  code: 'unreadable',
  text: vscode.l10n.t('The files that it searches could not be checked for secrets.'),
});
const createSecretReason = (name: string): Reason => ({
  code: 'secret',
  text: vscode.l10n.t('It would show {0}, which may contain keys or passwords.', name),
});
const createLinkReason = (name: string): Reason => ({
  code: 'outside-workspace',
  text: vscode.l10n.t('It would also follow the link {0} out of the workspace.', name),
});
