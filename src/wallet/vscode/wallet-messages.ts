import * as vscode from 'vscode';
import { createFailureAction } from '../../account/vscode/failure-actions.ts';
import type { Host } from '../../host.ts';
import { type Action, confirm, showWithActions, showError } from '../../platform/notifications.ts';
import type { ServiceError } from '../../service/http/failure.ts';
import { MintError } from '../../service/web3-key.ts';
import type { Review, SignerKind } from '../signer.ts';
import { WalletError, type WalletFailure } from '../wallet-failure.ts';

/**
 * Returns a message for the user with the cause and the next step. The message may contain
 * addresses and setting names, but no secret.
 */
export function formatWalletFailure(failure: WalletFailure): string {
  const { code, detail } = failure;
  const hash: string = failure.hash ?? '';
  switch (code) {
    case 'no-chain':
      return vscode.l10n.t(
        'The chain to stake on is not set up for this connection. {0} The operator of the service publishes the value; put it into your user settings.',
        detail,
      );
    case 'no-wallet':
      return vscode.l10n.t(
        'No wallet is connected, so nothing was signed or sent. Connect one first.',
      );
    case 'rejected':
      return vscode.l10n.t(
        'The request was declined in the wallet, or its page was closed. Nothing was signed or sent. Start again when you want to.',
      );
    case 'wallet-busy':
    case 'wallet-timeout':
      return vscode.l10n.t(
        'The wallet did not answer, or has another request open. Open the wallet, answer or close the request, and try again.',
      );
    case 'wallet-unavailable':
      return vscode.l10n.t(
        'The wallet does not allow the request, or is locked or cut off. Unlock it, allow this page in it, and try again.',
      );
    case 'page-unavailable':
      return vscode.l10n.t(
        'The wallet page was not opened in your browser, so nothing was signed or sent: {0} Fix this and try again, or use a local account.',
        detail,
      );

    case 'account-changed':
      return vscode.l10n.t(
        'Another account was chosen in the wallet meanwhile, so this was stopped. Choose the account you want and start again.',
      );
    case 'wrong-chain':
      return vscode.l10n.t(
        'The wallet is on another chain. Switch it to the chain of this connection and try again.',
      );
    case 'wallet-lied':
      return vscode.l10n.t(
        'The answer of the wallet does not match the request, so it is not used: {0} Check the wallet, or use another one.',
        detail,
      );
    case 'wrong-password':
      return vscode.l10n.t(
        'The password does not open the keystore file. Nothing was signed. Try again with the right one.',
      );
    case 'invalid-keystore':
      return vscode.l10n.t(
        'The account cannot be used: {0} Choose another file, phrase or key.',
        detail,
      );
    case 'chain-unreachable':
      return vscode.l10n.t(
        'The chain is not reachable at its RPC address. Check your connection and the setting {0}, and try again.',
        'rpcUrl',
      );
    case 'chain-mismatch':
      return vscode.l10n.t(
        'The RPC address belongs to another chain, so nothing was signed or sent: {0} Correct the setting {1} or {2}.',
        detail,
        'rpcUrl',
        'chainId',
      );
    case 'not-a-contract':
      return vscode.l10n.t(
        'A contract address in the settings is wrong, so nothing was signed or sent: {0} Correct it in the settings.',
        detail,
      );
    case 'invalid-amount':
      return detail;
    case 'insufficient-funds':
      return vscode.l10n.t(
        'The account does not hold enough for this: {0} Add funds to it, or choose a smaller amount.',
        detail,
      );
    case 'reverted':
      return vscode.l10n.t(
        'The contract would refuse this transaction, so it was not sent: {0}',
        detail,
      );
    case 'transaction-replaced':
    case 'transaction-cancelled':
      return vscode.l10n.t(
        'The transaction was replaced or canceled in the wallet and did not happen. Look at your wallet before you start again. {0}',
        hash,
      );
    case 'transaction-failed':
      return vscode.l10n.t(
        'The transaction was carried out on the chain and failed there: its fee is spent, nothing else changed. {0}',
        hash,
      );
    case 'transaction-unknown':
    case 'transaction-reorganised':
      return vscode.l10n.t(
        'The transaction is not on the chain yet and may still come. Do not send it again; continue later from here. {0}',
        hash,
      );
    case 'unsafe-request':
      return vscode.l10n.t(
        'The service or the chain’s node requested an unsafe signature or payment, so nothing was signed: {0} Check their addresses.',
        detail,
      );
    case 'stopped':
      return vscode.l10n.t('Stopped. Nothing more was signed or sent.');
    case 'internal-error':
      return vscode.l10n.t('That did not work. See the log for details.');
  }
}

/**
 * Checks whether the user ended the operation, so that no message is needed. Returns false if the service may have
 * created a key, because the user must be informed about such a key.
 */
export function isDeclined(
  error: Pick<MintError | WalletError | ServiceError, 'failure'>,
): boolean {
  if (error instanceof MintError && error.problem !== 'failed') return false;
  return error.failure.code === 'rejected' || error.failure.code === 'stopped';
}

/**
 * Returns the result of `run`, or `undefined` after a wallet or chain failure. Logs the failure,
 * and shows it unless the user canceled.
 */
export async function catchWalletFailure<T>(
  { log }: Pick<Host, 'log'>,
  run: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof WalletError)) throw error;
    const { failure } = error;
    log.warn(`Could not complete a wallet operation: ${failure.code}, ${failure.detail}`);
    showWalletFailure(failure);
    return undefined;
  }
}

/** Shows a failure with its actions, unless the user ended the operation. */
export function showWalletFailure(failure: WalletFailure): void {
  if (isDeclined({ failure })) return;
  void showWithActions(
    showError,
    formatWalletFailure(failure),
    createWalletFailureActions(failure),
  );
}

const settingByCode: Readonly<Partial<Record<WalletFailure['code'], string>>> = {
  'no-chain': 'inferenceService.wallet.chain',
  'chain-mismatch': 'inferenceService.wallet.chain',
  'not-a-contract': 'inferenceService.wallet.chain',
};

/** Returns the buttons that help the user after a failure. */
export function createWalletFailureActions({ code }: WalletFailure): Action[] {
  if (code === 'page-unavailable') return [createAddLocalAccountAction()];
  if (code === 'internal-error') return [createFailureAction('show-log')];
  const setting = settingByCode[code];
  if (setting === undefined) return [];
  const run = (): Thenable<unknown> =>
    vscode.commands.executeCommand('workbench.action.openSettings', setting);
  return [{ label: vscode.l10n.t('Open Settings'), run }];
}

/** Returns the action that adds a local account and makes it the current account. */
export const createAddLocalAccountAction = (): Action => ({
  label: vscode.l10n.t('Use a local account'),
  run: () => vscode.commands.executeCommand('inferenceService.wallet.addLocalAccount'),
});

/**
 * Shows the facts of a review in a modal dialog, and resolves to true if the user confirms. Rows marked as details are
 * hidden until the user presses Details. For a browser wallet, resolves to true without a dialog, because the wallet
 * page shows the review with each request.
 */
export async function confirmReview(
  { purpose: question, explanation, rows, warnings }: Review,
  confirmLabel: string,
  kind: SignerKind,
): Promise<boolean> {
  if (kind === 'browser') return true;
  const detailsLabel = vscode.l10n.t('Details');
  const formatReviewDetail = (visibleRows: Review['rows']): string =>
    [
      ...(explanation === undefined ? [] : [explanation, '']),
      ...visibleRows.map(({ name, value }) => vscode.l10n.t('{0}: {1}', name, value)),
      ...(warnings.length > 0 ? [''] : []),
      ...warnings.map((warning) => `⚠ ${warning}`),
    ].join('\n');
  const mainRows = rows.filter(({ isDetail }) => isDetail === undefined);
  const buttons = mainRows.length === rows.length ? [confirmLabel] : [confirmLabel, detailsLabel];
  const choice = await confirm({ question, detail: formatReviewDetail(mainRows) }, ...buttons);
  if (choice !== detailsLabel) return choice === confirmLabel;
  return (
    (await confirm({ question, detail: formatReviewDetail(rows) }, confirmLabel)) === confirmLabel
  );
}
