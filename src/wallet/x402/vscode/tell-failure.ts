import { failureTable, ServiceError } from '../../../service/http/failure.ts';
import { WalletError } from '../../wallet-failure.ts';
import { offer, tellError } from '../../../platform/notifications.ts';
import { failureAction, isChatAction } from '../../../account/vscode/failure-actions.ts';
import { tellWalletFailure } from '../../vscode/wallet-messages.ts';

/** What a command with a wallet and the service failed with, and what can be done. Stopping needs no words; what is neither is thrown on. */
export function tellFailure(error: unknown): void {
  if (error instanceof WalletError) return tellWalletFailure(error.failure);
  if (!(error instanceof ServiceError)) throw error;
  const { code, message } = error.failure;
  if (code === 'stopped') return;
  const actions = failureTable[code].actions.flatMap((action) =>
    isChatAction(action) ? [] : [failureAction(action)],
  );
  void offer(tellError, message, actions);
}
