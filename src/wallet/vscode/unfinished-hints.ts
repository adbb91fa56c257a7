import * as vscode from 'vscode';
import type { Host } from '../../host.ts';
import { tellInformation } from '../../platform/notifications.ts';
import { hasUnfinished, stakingFolder } from '../staking/vscode/staking-folder.ts';

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
