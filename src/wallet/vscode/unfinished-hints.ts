import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Host } from '../../host.ts';
import { showInformation } from '../../platform/notifications.ts';
import { isLocked } from './window-lock.ts';

// What is unfinished shows in names alone: every start of the editor looks for it, and must not load the code of wallets.

/** The folder of the records of unfinished flows, for all windows. */
export const stakingFolder = ({ context }: Pick<Host, 'context'>): string =>
  join(context.globalStorageUri.fsPath, 'staking');

/** Matches the name of a record: chain and account. */
export const recordNamePattern = /^\d{1,16}-0x[0-9a-f]{40}\.json$/u;

/** Checks whether a flow was begun and not ended, and no window is at it now. */
export async function hasUnfinishedStake(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  return names.some((name) => recordNamePattern.test(name)) && !(await isLocked(folder));
}

/** Prefix of each entry of the editor's state about a payment whose end is not known. */
export const topUpPrefix = 'wallet.topUp.';

/** After a reload: says that something with a stake was begun and not ended, and offers to go on. */
export async function offerUnfinishedStake(host: Pick<Host, 'context'>): Promise<void> {
  if (!(await hasUnfinishedStake(stakingFolder(host)))) return;
  const resume = vscode.l10n.t('Resume');
  const chosen = await showInformation(
    vscode.l10n.t(
      'Staking was interrupted. Nothing is sent a second time when you resume: first it is looked up what became of it.',
    ),
    resume,
  );
  if (chosen === resume) await vscode.commands.executeCommand('inferenceService.wallet.stake');
}

/** After a reload: says that the end of a payment is not known, and offers to `lookUp`. */
export async function offerOpenTopUps(
  { context }: Pick<Host, 'context'>,
  lookUp: () => Promise<void>,
): Promise<void> {
  if (!context.globalState.keys().some((key) => key.startsWith(topUpPrefix))) return;
  const look = vscode.l10n.t('Look it up');
  const chosen = await showInformation(
    vscode.l10n.t(
      'It is not known yet how a top-up of your balance ended. Looking it up on the chain pays nothing.',
    ),
    look,
  );
  if (chosen === look) await lookUp();
}
