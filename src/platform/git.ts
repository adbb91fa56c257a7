import * as vscode from 'vscode';
import { firstChanged, type GitRepository } from './repository.ts';

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
