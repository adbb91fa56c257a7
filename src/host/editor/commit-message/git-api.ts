import * as vscode from 'vscode';

/** What is used of the API that the editor's own Git extension offers, version 1. */
interface GitApi {
  readonly repositories: readonly GitRepository[];
  getRepository(uri: vscode.Uri): GitRepository | null;
}

export interface GitRepository {
  readonly rootUri: vscode.Uri;
  readonly inputBox: { value: string };
  readonly state: {
    readonly indexChanges: readonly GitChange[];
    readonly workingTreeChanges: readonly GitChange[];
    readonly untrackedChanges?: readonly GitChange[];
  };
  /** As `git diff` prints it; with `cached` of what is staged. */
  diff(cached?: boolean): Promise<string>;
  /** Rejects where there is no commit yet. */
  log(options: { readonly maxEntries: number }): Promise<readonly { readonly message: string }[]>;
}

export interface GitChange {
  readonly uri: vscode.Uri;
  readonly status: number;
}

/** Of a file that Git does not know yet. */
export const untracked = 7;

/** Undefined where there is no Git: switched off, not installed, or in a window without a disk. */
export async function gitApi(): Promise<GitApi | undefined> {
  const extension = vscode.extensions.getExtension<{
    readonly enabled: boolean;
    getAPI(version: 1): GitApi;
  }>('vscode.git');
  if (extension === undefined) return undefined;
  const git = await extension.activate();
  return git.enabled ? git.getAPI(1) : undefined;
}
