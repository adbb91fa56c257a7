import { spawn } from 'node:child_process';
import * as vscode from 'vscode';

/**
 * Repository in the API (version 1) of VS Code's Git extension. Declares only the members that the
 * extension uses.
 */
export interface GitRepository {
  readonly rootUri: vscode.Uri;
  readonly inputBox: { value: string };
  readonly state: GitState;
  /** Returns the latest commits. Rejects if the repository has no commit. */
  log(options: { readonly maxEntries: number }): Promise<readonly { readonly message: string }[]>;
}

interface GitState {
  readonly indexChanges: readonly GitChange[];
  readonly workingTreeChanges: readonly GitChange[];
  /** Untracked files; absent in some versions of VS Code. */
  readonly untrackedChanges?: readonly GitChange[];
  /** Files with merge conflicts. */
  readonly mergeChanges?: readonly GitChange[];
}

interface GitChange {
  readonly uri: vscode.Uri;
  /** Location of a renamed file before the renaming. */
  readonly originalUri?: vscode.Uri;
  /** Location of a renamed file after the renaming. */
  readonly renameUri?: vscode.Uri | undefined;
  readonly status: number;
}

/**
 * Status code of an untracked file in `workingTreeChanges`. A Git setting of VS Code moves
 * untracked files to `untrackedChanges`.
 */
const untrackedStatus = 7;

/** Returns the paths of the untracked files, sorted and relative to the repository root. */
export function listUntrackedFiles({ rootUri, state }: GitRepository): readonly string[] {
  const untrackedWorkingTreeChanges = state.workingTreeChanges.filter(
    ({ status }) => status === untrackedStatus,
  );
  const paths = [...(state.untrackedChanges ?? []), ...untrackedWorkingTreeChanges].map(({ uri }) =>
    toRelativePath(rootUri, uri),
  );
  return [...new Set(paths)].toSorted();
}

/** Changed file, with all locations that it had since the last commit. */
interface ChangedFile {
  readonly uri: vscode.Uri;
  readonly locations: readonly vscode.Uri[];
}

/** Returns the changed files, including untracked files and files with merge conflicts, each once. */
export function listChangedFiles({ state }: GitRepository): readonly ChangedFile[] {
  const { indexChanges, workingTreeChanges, untrackedChanges = [], mergeChanges = [] } = state;
  const changes = [...indexChanges, ...workingTreeChanges, ...untrackedChanges, ...mergeChanges];
  const files = new Map<string, ChangedFile>();
  for (const { uri, originalUri, renameUri } of changes) {
    const currentUri = renameUri ?? uri;
    const locations = [uri, originalUri, renameUri].filter((location) => location !== undefined);
    const earlierLocations = files.get(currentUri.toString())?.locations ?? [];
    files.set(currentUri.toString(), {
      uri: currentUri,
      locations: [...earlierLocations, ...locations],
    });
  }
  return [...files.values()];
}

export const toRelativePath = (root: vscode.Uri, { path }: vscode.Uri): string =>
  path.startsWith(`${root.path}/`) ? path.slice(root.path.length + 1) : path;

/**
 * Returns the first repository with changes, including untracked files. If `prefersStaged` is true, prefers the first
 * repository with staged changes. Returns `undefined` if no repository has changes.
 */
export function findFirstChangedRepository(
  repositories: readonly GitRepository[],
  { prefersStaged }: { readonly prefersStaged: boolean },
): GitRepository | undefined {
  const stagedRepository = prefersStaged
    ? repositories.find(({ state }) => state.indexChanges.length > 0)
    : undefined;
  return stagedRepository ?? repositories.find(hasChanges);
}

const hasChanges = ({ state }: GitRepository): boolean =>
  [state.indexChanges, state.workingTreeChanges, state.untrackedChanges ?? []].some(
    ({ length }) => length > 0,
  );

/**
 * API (version 1) of VS Code's Git extension. Declares only the members that the extension uses.
 */
interface GitApi {
  /** Git program that the Git extension of VS Code found. */
  readonly git: { readonly path: string };
  readonly repositories: readonly GitRepository[];
  getRepository(uri: vscode.Uri): GitRepository | null;
}

interface GitExtension {
  readonly enabled: boolean;
  getAPI(version: 1): GitApi;
}

/** Checks whether VS Code's Git extension is installed and enabled. */
export const isGitAvailable = (): boolean => getGitExtension() !== undefined;

/**
 * Returns the API of the Git extension; `undefined` if Git is disabled, missing or broken, or if
 * the window has no disk access.
 */
export async function getGitApi(): Promise<GitApi | undefined> {
  const extension = getGitExtension();
  if (extension === undefined) return undefined;
  try {
    const git = await extension.activate();
    return git.enabled ? git.getAPI(1) : undefined;
  } catch {
    // Another extension with this id may not implement the expected interface.
    return undefined;
  }
}

/**
 * Returns the repository that contains `file`, else the first repository with changes, else the first repository.
 * Returns `undefined` if Git is unavailable or no repository is open.
 */
export async function findCurrentRepository(
  file: vscode.Uri | undefined,
  { prefersStaged }: { readonly prefersStaged: boolean },
): Promise<GitRepository | undefined> {
  const api = await getGitApi();
  if (api === undefined) return undefined;
  const repositoryOfFile = file === undefined ? null : api.getRepository(file);
  return (
    repositoryOfFile ??
    findFirstChangedRepository(api.repositories, { prefersStaged }) ??
    api.repositories[0]
  );
}

const getGitExtension = (): vscode.Extension<GitExtension> | undefined =>
  vscode.extensions.getExtension('vscode.git');

/**
 * Global Git options that produce the default diff format regardless of the Git configuration. They also disable
 * `core.fsmonitor`, which a repository can set to any program.
 */
export const gitOptions: readonly string[] = [
  ...['--no-pager', '--no-optional-locks', '--literal-pathspecs'],
  ...['-c', 'diff.suppressBlankEmpty=false', '-c', 'core.fsmonitor=false'],
];

/**
 * Arguments of `git diff` that disable external diff and text conversion programs, which a repository can configure.
 * Clean filters stay enabled, because without them all lines of a file could differ.
 */
export const diffArguments: readonly string[] = [
  ...['diff', '--no-color', '--no-ext-diff', '--no-textconv', '--submodule=short', '--unified=3'],
];

/** Length of a diff, in characters, after which Git is stopped. */
const maxDiffLength = 500_000_000;

export interface DiffOptions {
  /** Path of the Git program. */
  readonly program: string;
  /** Path of the repository root. */
  readonly root: string;
  /** True for the staged changes, false for the other changes. Untracked files are in neither diff. */
  readonly isStaged: boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs `git diff` and passes its output in chunks to `onText`, so that a long diff neither fills the memory nor blocks
 * the extension host. Stops Git after 500,000,000 characters.
 * @throws Error if Git fails or the signal is aborted
 */
export function streamDiff(
  { program, root, isStaged, signal }: DiffOptions,
  onText: (text: string) => void,
): Promise<void> {
  const args = [...gitOptions, ...diffArguments, ...(isStaged ? ['--cached'] : [])];
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      ...{ cwd: root, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true },
      ...(signal === undefined ? {} : { signal }),
    });
    let [length, errorText] = [0, ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (length > maxDiffLength) return;
      length += text.length;
      onText(text);
      if (length > maxDiffLength) child.kill();
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errorText = (errorText + text).slice(0, 1_000);
    });
    child.once('error', reject);
    child.once('close', (exitCode) => {
      if (exitCode === 0 || length > maxDiffLength) resolve();
      else reject(new Error(errorText.trim()));
    });
  });
}
