import * as vscode from 'vscode';
import type { Account } from '../../../account/vscode/account.ts';
import { offer, tellWarning } from '../../../platform/notifications.ts';
import { takeLostMints } from './mint-journal.ts';

/**
 * Says once that an earlier request for a key never came to its end, so that there may be a key that nobody has.
 * @param now Milliseconds since the Unix epoch.
 */
export async function tellOfLostMints({ state }: Account, now: number): Promise<void> {
  for (const { address, time, host } of await takeLostMints(state, now)) {
    const words = vscode.l10n.t(
      'A request for an API key of {0} by {1} on {2} did not come to its end. If a key was created, it is in the list of keys: revoke it there.',
      host,
      address,
      new Date(time).toLocaleString(vscode.env.language),
    );
    const show = {
      label: vscode.l10n.t('Show keys'),
      run: () => vscode.commands.executeCommand('inferenceService.keys.show'),
    };
    void offer(tellWarning, words, [show]);
  }
}
