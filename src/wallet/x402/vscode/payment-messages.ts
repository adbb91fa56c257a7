import * as vscode from 'vscode';
import { createFailureAction, isChatAction } from '../../../account/vscode/failure-actions.ts';
import { formatUsd } from '../../../base/amounts.ts';
import { showWithActions, showError } from '../../../platform/notifications.ts';
import { failureTable, ServiceError } from '../../../service/http/failure.ts';
import type { TopUpRefusal } from '../../../service/x402.ts';
import { formatShortAmount } from '../../staking/amount.ts';
import { showWalletFailure } from '../../vscode/wallet-messages.ts';
import { WalletError } from '../../wallet-failure.ts';
import type {
  CreditedTopUp,
  PendingTopUp,
  UncreditedTopUp,
  TopUpRecord,
} from '../signed-top-up.ts';

/** Returns a message about a payment that the service credited. */
export function formatCreditedPayment({ record, receipt, state }: CreditedTopUp): string {
  const { balanceUsd } = receipt;
  const amount = formatPayment(record);
  const balance =
    balanceUsd === undefined
      ? ''
      : vscode.l10n.t('Your balance there is {0} now.', formatUsd(balanceUsd));
  if (state?.kind === 'paid') {
    return joinSentences([
      vscode.l10n.t('{0} was paid, and {1} has credited it.', amount, getHost(record)),
      balance,
      formatTransaction(state.hash),
    ]);
  }
  return joinSentences([
    vscode.l10n.t(
      '{0} says that it has credited {1}, but the chain does not show the payment yet. It can be carried out until {2}.',
      getHost(record),
      amount,
      formatExpiryTime(record),
    ),
    balance,
  ]);
}

/**
 * Returns a message about a payment that the service did not credit. States whether the payment was executed on the
 * chain.
 */
export function formatUncreditedPayment({
  kind,
  record,
  hash,
  refusal,
  failure,
}: UncreditedTopUp): string {
  const amount = formatPayment(record);
  switch (kind) {
    case 'paid':
      return joinSentences([
        vscode.l10n.t(
          '{0} was paid, but {1} did not confirm that it has credited it. Look at your balance there; if it is missing, send the same payment again: it cannot be paid twice.',
          amount,
          getHost(record),
        ),
        formatTransaction(hash),
      ]);
    case 'void':
      return vscode.l10n.t('The payment of {0} has expired. Nothing was paid.', amount);
    case 'refused':
      return joinSentences([
        formatRefusal(refusal),
        vscode.l10n.t(
          'Nothing has been paid yet. Your signature is valid until {0}. Start again after that.',
          formatExpiryTime(record),
        ),
      ]);
    case 'unknown':
      return joinSentences([
        vscode.l10n.t('It is not known whether {0} was paid.', amount),
        failure?.message ?? '',
        vscode.l10n.t(
          'The payment can be carried out until {0}, once. Look again later, or send the same payment again: it cannot be paid twice.',
          formatExpiryTime(record),
        ),
      ]);
  }
}

/** Returns a message about the outcome of an earlier payment. */
export function formatPendingPayment({ record, state }: PendingTopUp): string {
  const amount = formatPayment(record);
  switch (state.kind) {
    case 'paid':
      return joinSentences([
        vscode.l10n.t('The earlier payment of {0} to {1} was paid.', amount, getHost(record)),
        formatTransaction(state.hash),
      ]);
    case 'void':
      return vscode.l10n.t('The payment of {0} has expired. Nothing was paid.', amount);
    case 'open':
      return vscode.l10n.t(
        'The earlier payment of {0} to {1} can be carried out until {2}. No other payment is signed before then.',
        amount,
        getHost(record),
        formatExpiryTime(record),
      );
  }
}

function formatRefusal(refusal: TopUpRefusal | undefined): string {
  switch (refusal) {
    case 'amount':
      return vscode.l10n.t('The service does not take this amount.');
    case 'settlement':
      return vscode.l10n.t('The service could not carry out the payment on the chain.');
    case 'not-offered':
      return vscode.l10n.t(
        'This service has no pay-per-request. Set an API key, or get one with a wallet.',
      );
    case 'rate-limited':
      return vscode.l10n.t('The service takes no more payments for the moment.');
    case 'payment':
    case undefined:
      return vscode.l10n.t('The service did not accept the payment.');
  }
}

const formatPayment = ({ value, decimals, symbol }: TopUpRecord): string =>
  `${formatShortAmount(value, decimals)} ${symbol}`;

const getHost = ({ origin }: TopUpRecord): string => new URL(origin).host;

const formatExpiryTime = ({ validBefore }: TopUpRecord): string =>
  new Date(Number(validBefore) * 1_000).toLocaleTimeString(vscode.env.language);

const formatTransaction = (hash: string | undefined): string =>
  hash === undefined ? '' : vscode.l10n.t('Transaction: {0}', hash);

const joinSentences = (sentences: readonly string[]): string =>
  sentences.filter((sentence) => sentence !== '').join(' ');

/**
 * Shows a wallet or service failure with its actions. Shows nothing if the user stopped the
 * operation. Rethrows any other error.
 */
export function showPaymentFailure(error: unknown): void {
  if (error instanceof WalletError) return showWalletFailure(error.failure);
  if (!(error instanceof ServiceError)) throw error;
  const { code, message, origin } = error.failure;
  if (code === 'stopped') return;
  const actions = failureTable[code].actions.flatMap((action) =>
    isChatAction(action) ? [] : [createFailureAction(action, origin)],
  );
  void showWithActions(showError, message, actions);
}
