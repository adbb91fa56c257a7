import * as vscode from 'vscode';
import { failureTable, ServiceError, type ServiceFailure } from '../../../service/http/failure.ts';
import type { MintError, MintProblem } from '../../../service/web3-key.ts';
import { WalletError } from '../../wallet-failure.ts';
import type { Action } from '../../../platform/notifications.ts';
import { failureAction, isChatAction } from '../../../account/vscode/failure-actions.ts';
import { addLocalAccount, walletFailureActions } from '../../vscode/wallet-messages.ts';

/** Ways to go on that only the flow knows. */
export interface MintWays {
  /** The same options, with a fresh token. */
  readonly again: () => unknown;
  /** Other options. */
  readonly options: () => unknown;
}

/** What the person can press below what went wrong, the most promising first. */
export function mintActions(
  error: MintError | WalletError | ServiceError,
  ways: MintWays,
): Action[] {
  if (error instanceof WalletError) return walletActions(error, ways);
  if (error instanceof ServiceError) return serviceActions(error.failure, ways);
  return problemActions(error.problem, error.failure, ways);
}

function problemActions(problem: MintProblem, failure: ServiceFailure, ways: MintWays): Action[] {
  switch (problem) {
    case 'invalid-address':
    case 'wrong-signature':
      return [connectOther(ways), again(ways)];
    case 'token-expired':
    case 'token-signature':
    case 'token-malformed':
    case 'signature-unverified':
      return [again(ways)];
    case 'token-claims':
      return [again(ways), failureAction('set-address')];
    case 'no-stake':
      return [stake(ways), connectOther(ways)];
    case 'invalid-options':
      return [{ label: vscode.l10n.t('Change settings'), run: ways.options }];
    case 'not-offered':
      return [failureAction('set-address'), failureAction('set-key')];
    case 'maybe-minted':
      return [showKeys(), again(ways)];
    case 'failed':
      return serviceActions(failure, ways);
  }
}

function walletActions({ failure }: WalletError, ways: MintWays): Action[] {
  switch (failure.code) {
    case 'unsafe-request':
      return [failureAction('set-address')];
    case 'no-wallet':
    case 'wallet-lied':
      return [connectOther(ways)];
    case 'page-unavailable':
      return [useLocal(ways)];
    case 'rejected':
    case 'stopped':
      return [];
    default: {
      const actions = walletFailureActions(failure);
      return actions.length > 0 ? actions : [again(ways)];
    }
  }
}

const serviceActions = ({ code }: ServiceFailure, ways: MintWays): Action[] =>
  failureTable[code].actions.flatMap((action) => {
    if (action === 'retry') return [again(ways)];
    // Minting needs no key, and what belongs to a chat is of no use here.
    return isChatAction(action) || action === 'set-key' || action === 'choose-model'
      ? []
      : [failureAction(action)];
  });

const again = ({ again: run }: MintWays): Action => ({ label: vscode.l10n.t('Try again'), run });

const showKeys = (): Action => ({
  label: vscode.l10n.t('Show keys'),
  run: () => vscode.commands.executeCommand('inferenceService.keys.show'),
});

const connectOther = (ways: MintWays): Action => ({
  label: vscode.l10n.t('Use another account'),
  run: async () => {
    await vscode.commands.executeCommand('inferenceService.wallet.connect');
    await ways.again();
  },
});

const useLocal = (ways: MintWays): Action => {
  const { label, run } = addLocalAccount();
  return { label, run: async () => (await run()) !== undefined && ways.again() };
};

/** Once there is a stake, the key is what the person came for. */
const stake = (ways: MintWays): Action => ({
  label: vscode.l10n.t('Stake'),
  run: async () => {
    const options = { offersKey: false };
    const staked = await vscode.commands.executeCommand('inferenceService.wallet.stake', options);
    if (staked === true) await ways.again();
  },
});
