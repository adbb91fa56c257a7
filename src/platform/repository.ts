import type * as vscode from 'vscode';

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
