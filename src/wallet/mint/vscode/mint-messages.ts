import * as vscode from 'vscode';
import { ServiceError, type ServiceFailure } from '../../../service/http/failure.ts';
import { MintError, type MintProblem } from '../../../service/web3-key.ts';
import { WalletError } from '../../wallet-failure.ts';
import { walletFailureWords } from '../../vscode/wallet-messages.ts';

/** What happened, why, and the next step, for the person. */
export function mintFailureWords(error: MintError | WalletError | ServiceError): string {
  if (error instanceof WalletError) return walletFailureWords(error.failure);
  if (error instanceof ServiceError) return error.failure.message;
  return problemWords(error.problem, error.failure);
}

function problemWords(problem: MintProblem, failure: ServiceFailure): string {
  switch (problem) {
    case 'invalid-address':
      return vscode.l10n.t(
        'The service does not take the wallet’s address for a valid one, so no key was created. Connect another account, and check that the wallet shows an address that starts with 0x.',
      );
    case 'token-expired':
      return vscode.l10n.t(
        'The signature came too late: what is signed is good for 15 minutes only. No key was created. Try again and sign at once.',
      );
    case 'token-signature':
      return vscode.l10n.t(
        'The service does not recognise what was signed as its own, so no key was created. Try again with fresh data of the service; if it stays, check the address.',
      );
    case 'token-claims':
      return vscode.l10n.t(
        'What was signed was issued by or for another deployment of the service, so no key was created. Check the address of the service and try again.',
      );
    case 'token-malformed':
      return vscode.l10n.t(
        'What was signed reached the service in another form, so no key was created. A proxy on the way may have changed it. Try again.',
      );
    case 'wrong-signature':
      return vscode.l10n.t(
        'The service says that the signature is not by this wallet, so no key was created. Some deployments do not accept wallets that are contracts. Use the account that holds the stake.',
      );
    case 'signature-unverified':
      return vscode.l10n.t(
        'The service could not check the signature just now, several times in a row. No key was created. Try again in some minutes.',
      );
    case 'no-stake':
      return vscode.l10n.t(
        'This wallet has nothing staked, so the service creates no key for it. Stake any amount first, then try again.',
      );
    case 'invalid-options':
      return vscode.l10n.t(
        'The service did not accept the settings of the key, so none was created. Choose another description, expiry, limit or privacy.',
      );
    case 'not-offered':
      return vscode.l10n.t(
        'The service creates no keys for wallets at this address. Check the address, which ends in /api/v1, or use an API key.',
      );
    case 'maybe-minted':
      return vscode.l10n.t(
        'The connection broke off before the answer came, so a key may have been created that nobody has. If so, it is in the list of keys: revoke it there, and create another.',
      );
    case 'failed':
      if (failure.code === 'overloaded') return busyWords();
      return vscode.l10n.t('No key was created. {0}', failure.message);
  }
}

/** What the failure itself says is about models. */
const busyWords = (): string =>
  vscode.l10n.t('The service cannot create keys just now. Try again in some minutes.');

/** A failure of this flow, whatever it came from; `undefined` for anything else. */
export const isMintFailure = (error: unknown): error is MintError | WalletError | ServiceError =>
  error instanceof MintError || error instanceof WalletError || error instanceof ServiceError;
