import * as vscode from 'vscode';
import { createFailureAction } from '../../../account/vscode/failure-actions.ts';
import { showFailure, toShownFailure } from '../../../account/vscode/show-failure.ts';
import type { Action } from '../../../platform/notifications.ts';
import { ServiceError, type ServiceFailure } from '../../../service/http/failure.ts';
import { MintError, type MintProblem, findRefusedOption } from '../../../service/web3-key.ts';
import {
  createAddLocalAccountAction,
  createWalletFailureActions,
  formatWalletFailure,
} from '../../vscode/wallet-messages.ts';
import { formatPrivacy } from './option-labels.ts';
import { WalletError } from '../../wallet-failure.ts';

/** Returns a message for the user with the cause and the next step. */
export function formatMintFailure(error: MintError | WalletError | ServiceError): string {
  if (error instanceof WalletError) return formatWalletFailure(error.failure);
  if (error instanceof ServiceError) return error.failure.message;
  return formatMintProblem(error.problem, error.failure);
}

function formatMintProblem(problem: MintProblem, failure: ServiceFailure): string {
  switch (problem) {
    case 'invalid-address':
      return vscode.l10n.t(
        'The service rejected the wallet’s address, so no key was created. Connect another account, and check that the wallet shows an address that starts with 0x.',
      );
    case 'token-expired':
      return vscode.l10n.t(
        'The signature came too late, because it is valid for only 15 minutes. No key was created. Try again and sign at once.',
      );
    case 'token-signature':
    case 'token-claims':
    case 'token-malformed':
      return vscode.l10n.t(
        'The service does not recognize the signed message, so no key was created. Try again; if it fails again, check the address of the service.',
      );
    case 'wrong-signature':
      return vscode.l10n.t(
        'The service says that the signature is not by this wallet, so no key was created. Some deployments do not accept wallets that are contracts. Use the account that holds the stake.',
      );
    case 'signature-unverified':
      return getBusyMessage();
    case 'no-stake':
      return vscode.l10n.t(
        'This wallet has nothing staked, so the service creates no key for it. Stake any amount first, then try again.',
      );
    case 'invalid-options':
      if (failure.refusedField !== undefined) return formatKeyCreationFailure(failure);
      return vscode.l10n.t(
        'The service did not accept the settings of the key, so none was created. Choose another description, expiry, limit or privacy.',
      );
    case 'not-offered':
      return vscode.l10n.t(
        'The service creates no keys for wallets at this address. Check the address, which ends in /api/v1, or use an API key.',
      );
    case 'maybe-minted':
      return vscode.l10n.t(
        'The connection was lost before the answer arrived, so an unused key may exist. If it is in the list of keys, revoke it there and get another.',
      );
    case 'failed':
      if (failure.code === 'overloaded') return getBusyMessage();
      return formatKeyCreationFailure(failure);
  }
}

const formatKeyCreationFailure = ({ message }: ServiceFailure): string =>
  vscode.l10n.t('No key was created. {0}', message);

/** Returns the message for a busy service. Replaces the default message of this failure, which is about models. */
const getBusyMessage = (): string =>
  vscode.l10n.t('The service cannot create keys just now. Try again in some minutes.');

/** Checks whether an error is one of the failures that minting can throw. */
export const isMintFailure = (error: unknown): error is MintError | WalletError | ServiceError =>
  error instanceof MintError || error instanceof WalletError || error instanceof ServiceError;

/** Callbacks for the buttons of an error message. */
export interface MintRecovery {
  /** Mints again with the same options and a new token. */
  readonly onRetry: () => unknown;
  /** Lets the user choose other options. */
  readonly changeOptions: () => unknown;
}

/**
 * Shows the reason why no key was created, with buttons for the next steps. A retry waits as long as the service
 * requests.
 */
export async function showMintFailure(
  error: MintError | WalletError | ServiceError,
  recovery: MintRecovery,
): Promise<void> {
  const message = formatMintFailure(error);
  if (error instanceof WalletError) {
    return showFailure(
      { message, actions: [] },
      { furtherActions: createWalletActions(error, recovery) },
    );
  }
  if (error instanceof MintError && error.problem !== 'failed') {
    const furtherActions = createProblemActions(error.problem, recovery);
    return showFailure({ message, actions: [] }, { furtherActions });
  }
  await showFailure(
    { ...toShownFailure(error.failure), message, detail: undefined },
    { retry: recovery.onRetry, excludedActions: ['set-key', 'mint-key', 'choose-model'] },
  );
}

/** Returns the buttons for a rejection by the service, the most promising action first. */
function createProblemActions(
  problem: Exclude<MintProblem, 'failed'>,
  recovery: MintRecovery,
): Action[] {
  switch (problem) {
    case 'invalid-address':
    case 'wrong-signature':
      return [createChooseWalletAction(recovery), createRetryAction(recovery)];
    case 'token-expired':
    case 'token-signature':
    case 'token-malformed':
    case 'signature-unverified':
      return [createRetryAction(recovery)];
    case 'token-claims':
      return [createRetryAction(recovery), createFailureAction('set-address')];
    case 'no-stake':
      return [createStakeAction(recovery), createChooseWalletAction(recovery)];
    case 'invalid-options':
      return [{ label: vscode.l10n.t('Edit'), run: recovery.changeOptions }];
    case 'not-offered':
      return [createFailureAction('set-address'), createFailureAction('set-key')];
    case 'maybe-minted':
      return [createShowKeysAction(), createRetryAction(recovery)];
  }
}

function createWalletActions({ failure }: WalletError, recovery: MintRecovery): Action[] {
  switch (failure.code) {
    case 'unsafe-request':
      return [createFailureAction('set-address')];
    case 'no-wallet':
    case 'wallet-lied':
      return [createChooseWalletAction(recovery)];
    case 'page-unavailable':
      return [createLocalAccountAction(recovery)];
    case 'rejected':
    case 'stopped':
      return [];
    default: {
      const actions = createWalletFailureActions(failure);
      return actions.length > 0 ? actions : [createRetryAction(recovery)];
    }
  }
}

/** Describes the effect of omitting the option that the service refused: `The key does not expire.` */
export function describeOmissionEffect(error: MintError): string {
  switch (findRefusedOption(error)) {
    case 'expiresAt':
      return vscode.l10n.t('The key does not expire.');
    case 'limitPeriod':
      return vscode.l10n.t('A spending limit applies to everything that the key ever spends.');
    case 'modelPrivacy':
      return vscode.l10n.t('{0}: {1}', vscode.l10n.t('Models'), formatPrivacy('ALL'));
    default:
      return vscode.l10n.t('The key is created without it.');
  }
}

const createRetryAction = ({ onRetry: run }: MintRecovery): Action => ({
  label: vscode.l10n.t('Retry'),
  run,
});

const createShowKeysAction = (): Action => ({
  label: vscode.l10n.t('Show API Keys'),
  run: () => vscode.commands.executeCommand('inferenceService.keys.show'),
});

const createChooseWalletAction = (recovery: MintRecovery): Action => ({
  label: vscode.l10n.t('Choose a wallet'),
  run: async () => {
    await vscode.commands.executeCommand('inferenceService.wallet.connect');
    await recovery.onRetry();
  },
});

const createLocalAccountAction = (recovery: MintRecovery): Action => {
  const { label, run } = createAddLocalAccountAction();
  return { label, run: async () => (await run()) !== undefined && recovery.onRetry() };
};

/** Returns the action that opens staking. After the user has staked, the action mints again. */
const createStakeAction = (recovery: MintRecovery): Action => ({
  label: vscode.l10n.t('Stake'),
  run: async () => {
    const options = { offersKey: false };
    const hasStaked = await vscode.commands.executeCommand(
      'inferenceService.wallet.stake',
      options,
    );
    if (hasStaked === true) await recovery.onRetry();
  },
});
