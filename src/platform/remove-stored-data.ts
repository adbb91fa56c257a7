import { rm } from 'node:fs/promises';
import * as vscode from 'vscode';
import { confirm } from './notifications.ts';

type ExtensionStorage = Pick<
  vscode.ExtensionContext,
  'globalState' | 'workspaceState' | 'secrets' | 'globalStorageUri' | 'storageUri'
>;

/**
 * Runs "Remove All Stored Data": deletes everything that the extension stored on this machine, after a confirmation,
 * and reloads the window. Does not delete settings and files in workspaces.
 * @param close Writes pending data and stops further writes.
 * @param unfinishedStakes Shortened addresses of accounts with unfinished staking flows, which cannot be resumed after the
 *   deletion.
 */
export async function removeStoredData(
  context: ExtensionStorage,
  close: () => Promise<void>,
  unfinishedStakes: readonly string[] = [],
): Promise<void> {
  const removeLabel = vscode.l10n.t('Delete All');
  const question = vscode.l10n.t('Remove everything that Inference Service stored here?');
  const detail = [
    vscode.l10n.t(
      "This deletes chats, gallery images, API keys, usage, and wallet accounts with their private keys. Back up accounts that you need. Settings and workspace files stay. You can't undo this.",
    ),
    ...(unfinishedStakes.length === 0
      ? []
      : [
          vscode.l10n.t(
            'Unfinished stakes can’t be resumed here: {0}.',
            unfinishedStakes.join(', '),
          ),
        ]),
  ].join('\n\n');
  if ((await confirm({ question, detail }, removeLabel)) !== removeLabel) return;
  try {
    await close();
    await deleteExtensionStorage(context);
  } finally {
    // The window must not continue without its stored data, even if a file could not be deleted.
    await vscode.commands.executeCommand('workbench.action.reloadWindow');
  }
}

/**
 * Deletes the extension's secrets, global state, workspace state and storage folders. Attempts all deletions even if
 * one of them fails.
 * @throws the first error of the failed deletions
 */
async function deleteExtensionStorage(context: ExtensionStorage): Promise<void> {
  const { globalState, workspaceState, secrets, globalStorageUri, storageUri } = context;
  const folders = [globalStorageUri, storageUri].flatMap((uri) => uri?.fsPath ?? []);
  const results = await Promise.allSettled([
    ...(await secrets.keys()).map((name) => secrets.delete(name)),
    ...globalState.keys().map((name) => globalState.update(name, undefined)),
    ...workspaceState.keys().map((name) => workspaceState.update(name, undefined)),
    ...folders.map((folder) => rm(folder, { recursive: true, force: true, maxRetries: 3 })),
  ]);
  const failedResult = results.find((result) => result.status === 'rejected');
  if (failedResult !== undefined) throw failedResult.reason;
}
