import * as vscode from 'vscode';
import { isRecord } from '../../base/json.ts';
import { gitApi, type GitRepository } from '../../platform/git.ts';
import { withoutIcons } from '../../platform/notifications.ts';

/**
 * The repository that a command means: the one whose title bar was pressed, else the only one, else that of the file in
 * front, else the one that the person picks.
 * @returns `none` where there is no repository; undefined when the person changed their mind
 */
export async function pickRepository(
  args: readonly unknown[],
): Promise<GitRepository | 'none' | undefined> {
  const git = await gitApi();
  if (git === undefined || git.repositories.length === 0) return 'none';
  const [pressed] = args;
  const root: unknown = isRecord(pressed) ? pressed['rootUri'] : undefined;
  const active = vscode.window.activeTextEditor?.document.uri;
  const [only] = git.repositories;
  if (root instanceof vscode.Uri) return git.getRepository(root) ?? 'none';
  if (git.repositories.length === 1) return only;
  return (active && git.getRepository(active)) ?? choose(git.repositories);
}

async function choose(repositories: readonly GitRepository[]): Promise<GitRepository | undefined> {
  const items = repositories.map((repository) => ({
    label: withoutIcons(repository.rootUri.path.split('/').at(-1) ?? ''),
    description: withoutIcons(vscode.workspace.asRelativePath(repository.rootUri)),
    repository,
  }));
  const placeHolder = vscode.l10n.t('For which repository?');
  return (await vscode.window.showQuickPick(items, { placeHolder }))?.repository;
}
