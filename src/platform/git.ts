import * as vscode from 'vscode';

/** What is used of a repository of the editor's own Git extension, by its API of version 1. */
export interface GitRepository {
  readonly rootUri: vscode.Uri;
  readonly inputBox: { value: string };
  readonly state: GitState;
  /** As `git diff` prints it; with `cached` of what is staged. */
  diff(cached?: boolean): Promise<string>;
  /** Rejects where there is no commit yet. */
  log(options: { readonly maxEntries: number }): Promise<readonly { readonly message: string }[]>;
}

interface GitState {
  readonly indexChanges: readonly GitChange[];
  readonly workingTreeChanges: readonly GitChange[];
  /** Editors of some versions have none. */
  readonly untrackedChanges?: readonly GitChange[];
}

interface GitChange {
  readonly uri: vscode.Uri;
  readonly status: number;
}

/** Of a file that Git does not know yet. Unless the person has them apart, they stand among the changed ones. */
const untracked = 7;

/** The files that Git does not know yet, once each and in order: paths from the repository's root. */
export function newFilesIn({ rootUri, state }: GitRepository): readonly string[] {
  const among = state.workingTreeChanges.filter(({ status }) => status === untracked);
  const paths = [...(state.untrackedChanges ?? []), ...among].map(({ uri }) =>
    relativeTo(rootUri, uri),
  );
  return [...new Set(paths)].toSorted();
}

const relativeTo = (root: vscode.Uri, { path }: vscode.Uri): string =>
  path.startsWith(`${root.path}/`) ? path.slice(root.path.length + 1) : path;

/** The first with anything changed: staged, in its files, or new. With `stagedFirst` one with something staged, if any has. */
export function firstChanged(
  repositories: readonly GitRepository[],
  { stagedFirst }: { readonly stagedFirst: boolean },
): GitRepository | undefined {
  const staged = stagedFirst
    ? repositories.find(({ state }) => state.indexChanges.length > 0)
    : undefined;
  return staged ?? repositories.find(isChanged);
}

const isChanged = ({ state }: GitRepository): boolean =>
  [state.indexChanges, state.workingTreeChanges, state.untrackedChanges ?? []].some(
    ({ length }) => length > 0,
  );

/** What is used of the API that the editor's own Git extension offers, version 1. */
interface GitApi {
  readonly repositories: readonly GitRepository[];
  getRepository(uri: vscode.Uri): GitRepository | null;
}

interface GitExtension {
  readonly enabled: boolean;
  getAPI(version: 1): GitApi;
}

/** Whether there is Git to ask. */
export const hasGit = (): boolean => gitExtension() !== undefined;

/** Undefined where there is no Git: switched off, not installed, broken, or in a window without a disk. */
export async function gitApi(): Promise<GitApi | undefined> {
  const extension = gitExtension();
  if (extension === undefined) return undefined;
  try {
    const git = await extension.activate();
    return git.enabled ? git.getAPI(1) : undefined;
  } catch {
    // Another extension may stand in its place, and need not keep to its interface.
    return undefined;
  }
}

/** The repository of the file that is shown, else the first one with changes, else the first one. */
export async function currentRepository(
  shown: vscode.Uri | undefined,
  { stagedFirst }: { readonly stagedFirst: boolean },
): Promise<GitRepository | undefined> {
  const api = await gitApi();
  if (api === undefined) return undefined;
  const own = shown === undefined ? null : api.getRepository(shown);
  return own ?? firstChanged(api.repositories, { stagedFirst }) ?? api.repositories[0];
}

const gitExtension = (): vscode.Extension<GitExtension> | undefined =>
  vscode.extensions.getExtension('vscode.git');
