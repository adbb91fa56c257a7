import * as vscode from 'vscode';
import type { Host } from '../../host.ts';
import { tellInformation } from '../../platform/notifications.ts';
import { hasUnfinished, stakingFolder } from '../staking/vscode/staking-files.ts';
import { topUpPrefix } from '../x402/top-up-record.ts';

/** After a reload: says that something with a stake was begun and not ended, and offers to go on. */
export async function hintUnfinishedStake(host: Pick<Host, 'context'>): Promise<void> {
  if (!(await hasUnfinished(stakingFolder(host)))) return;
  const resume = vscode.l10n.t('Resume');
  const chosen = await tellInformation(
    vscode.l10n.t(
      'Staking was interrupted. Nothing is sent a second time when you resume: first it is looked up what became of it.',
    ),
    resume,
  );
  if (chosen === resume) await vscode.commands.executeCommand('inferenceService.wallet.stake');
}

/** After a reload: says that the end of a payment is not known, and offers to look. Nothing of wallets is loaded for it. */
export async function hintOpenTopUps(host: Host): Promise<void> {
  if (!host.context.globalState.keys().some((key) => key.startsWith(topUpPrefix))) return;
  const look = vscode.l10n.t('Look it up');
  const chosen = await tellInformation(
    vscode.l10n.t(
      'It is not known yet how a top-up of your balance ended. Looking it up on the chain pays nothing.',
    ),
    look,
  );
  if (chosen !== look) return;
  const { tellOpenTopUps } = await import('../x402/vscode/top-up-store.ts');
  await tellOpenTopUps(host);
}
