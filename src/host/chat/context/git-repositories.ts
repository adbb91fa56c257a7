import * as vscode from 'vscode';

/** What is used of a repository of the built-in Git extension, by its published interface of version 1. */
export interface GitRepository {
  readonly rootUri: vscode.Uri;
  readonly inputBox: { value: string };
  readonly state: {
    readonly indexChanges: readonly GitChange[];
    readonly workingTreeChanges: readonly GitChange[];
    readonly untrackedChanges: readonly GitChange[];
  };
  /** The differences as text: what is staged against the last commit, or the files against what is staged. */
  diff(staged?: boolean): Promise<string>;
}

interface GitChange {
  readonly uri: vscode.Uri;
  readonly status: number;
}

interface GitApi {
  readonly repositories: readonly GitRepository[];
  getRepository(uri: vscode.Uri): GitRepository | null;
}

interface GitExtension {
  readonly enabled: boolean;
  getAPI(version: 1): GitApi;
}

const extensionId = 'vscode.git';

/** Whether there is Git to ask. */
export const hasGit = (): boolean => vscode.extensions.getExtension(extensionId) !== undefined;

/** The repository of the file that is shown, or the first one with changes; undefined without Git or a repository. */
export async function currentRepository(
  shown: vscode.Uri | undefined,
): Promise<GitRepository | undefined> {
  const api = await gitApi();
  if (api === undefined) return undefined;
  const own = shown === undefined ? null : api.getRepository(shown);
  const changed = api.repositories.find(({ state }) => state.indexChanges.length > 0);
  return own ?? changed ?? api.repositories[0];
}

async function gitApi(): Promise<GitApi | undefined> {
  const extension = vscode.extensions.getExtension<GitExtension>(extensionId);
  if (extension === undefined) return undefined;
  try {
    const git = extension.isActive ? extension.exports : await extension.activate();
    return git.enabled ? git.getAPI(1) : undefined;
  } catch {
    // Another extension may stand in its place, and need not keep to its interface.
    return undefined;
  }
}
