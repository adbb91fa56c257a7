import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Host } from '../../host.ts';
import { showInformation } from '../../platform/notifications.ts';
import { isFolderLocked } from '../../platform/window-lock.ts';

// Names of files and stored entries are enough to detect unfinished operations. This module runs at
// every start, so it must not load other wallet code.

/** Returns the folder of unfinished staking records, shared by all windows. */
export const getStakingFolder = ({ context }: Pick<Host, 'context'>): string =>
  join(context.globalStorageUri.fsPath, 'staking');

/** Matches the file name of a staking record: the chain id and the account address, such as `8453-0x12…cd.json`. */
export const recordNamePattern = /^\d{1,16}-0x[0-9a-f]{40}\.json$/u;

/** Returns the shortened addresses of the accounts with an unfinished staking flow, such as `0x12…cd`. */
export async function listUnfinishedAddresses(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  return names
    .filter((name) => recordNamePattern.test(name))
    .map((name) => {
      const address = name.slice(name.indexOf('-') + 1, -'.json'.length);
      return `${address.slice(0, 6)}…${address.slice(-4)}`;
    });
}

/** Checks whether a staking flow is unfinished and not running in any window. */
export async function hasUnfinishedStake(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  return names.some((name) => recordNamePattern.test(name)) && !(await isFolderLocked(folder));
}

/** Prefix of the `globalState` entries for payments with an unknown outcome. */
export const topUpPrefix = 'wallet.topUp.';

/** Offers to resume a staking flow that a reload interrupted. */
export async function offerUnfinishedStake(host: Pick<Host, 'context'>): Promise<void> {
  if (!(await hasUnfinishedStake(getStakingFolder(host)))) return;
  const resumeLabel = vscode.l10n.t('Resume');
  const choice = await showInformation(
    vscode.l10n.t(
      'Staking was interrupted. When you resume, its state is checked first, so nothing is sent twice.',
    ),
    resumeLabel,
  );
  if (choice === resumeLabel) await vscode.commands.executeCommand('inferenceService.wallet.stake');
}

/** Offers to read the outcomes of payments from the chain, if a reload left these outcomes unknown. */
export async function offerOpenTopUps(
  { context }: Pick<Host, 'context'>,
  showRecord: () => Promise<void>,
): Promise<void> {
  if (!context.globalState.keys().some((key) => key.startsWith(topUpPrefix))) return;
  const lookUpLabel = vscode.l10n.t('Look it up');
  const choice = await showInformation(
    vscode.l10n.t(
      'The result of a top-up of your balance is not known yet. Checking it on the chain pays nothing.',
    ),
    lookUpLabel,
  );
  if (choice === lookUpLabel) await showRecord();
}
