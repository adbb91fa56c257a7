import * as vscode from 'vscode';
import type { WalletBalance } from '../../../service/x402.ts';
import type { Address, Chain } from '../../chain.ts';
import type { Review, ReviewRow } from '../../signer.ts';
import { formatTokenAmount } from '../../staking/amount.ts';
import type { TopUpProposal } from '../top-up.ts';
import { confirm } from '../../../platform/notifications.ts';
import { confirmReview } from '../../vscode/wallet-messages.ts';

export interface TopUpReviewInput extends TopUpProposal {
  readonly chain: Chain;
  /** Wallet's balance at the service; absent when unknown. */
  readonly balance?: WalletBalance;
  readonly knownPayee?: Address;
  /** True if requests switch from the API key to pay-per-request when the service credits the payment. */
  readonly willSwitchToWallet?: boolean;
}

/** Shows the payment for confirmation. Requires a second confirmation if the payee has changed. */
export async function confirmTopUp(input: TopUpReviewInput): Promise<boolean> {
  const { payment, usdc, knownPayee } = input;
  const signLabel = vscode.l10n.t('Sign and pay {0}', formatUsdc(payment.amount, usdc));
  // Only a local account can pay, and the dialog is its confirmation.
  if (!(await confirmReview(createTopUpReview(input), signLabel, 'private-key'))) return false;
  if (payment.payeeStatus !== 'changed' || knownPayee === undefined) return true;
  const payNewPayeeLabel = vscode.l10n.t('Pay the new payee');
  const question = {
    question: vscode.l10n.t('The payee has changed. Pay anyway?'),
    detail: vscode.l10n.t(
      'Before: {0}\nNow: {1}\nServices rarely change their payee, but attackers do. Ask the operator first, on another channel.',
      knownPayee,
      payment.payTo,
    ),
  };
  return (await confirm(question, payNewPayeeLabel)) === payNewPayeeLabel;
}

/** Builds the review of a payment. */
export function createTopUpReview(input: TopUpReviewInput): Review {
  const { payment, usdc, baseUrl } = input;
  return {
    purpose: vscode.l10n.t(
      'Sign one payment of {0} to top up your balance at {1}?',
      formatUsdc(payment.amount, usdc),
      baseUrl.host,
    ),
    explanation: vscode.l10n.t(
      'It is for exactly this amount, once, and no permission to take more.',
    ),
    rows: createReviewRows(input),
    warnings: createReviewWarnings(input),
  };
}

function createReviewRows(input: TopUpReviewInput): ReviewRow[] {
  const { payment, usdc, payer, chain, baseUrl } = input;
  const balanceAfter = formatUsdc(usdc.balance - payment.amount, usdc);
  const rows: (readonly [string, string])[] = [
    [vscode.l10n.t('Amount'), formatUsdc(payment.amount, usdc)],
    [vscode.l10n.t('To'), payment.payTo],
    [vscode.l10n.t('From'), payer],
    [vscode.l10n.t('Network'), `${chain.name} (${chain.id})`],
    [vscode.l10n.t('Token'), `${usdc.name} (${usdc.symbol}), ${usdc.address}`],
    [vscode.l10n.t('In the wallet'), `${formatUsdc(usdc.balance, usdc)} → ${balanceAfter}`],
    [vscode.l10n.t('At the service'), formatServiceBalance(input)],
    [vscode.l10n.t('Service'), baseUrl.href],
    [vscode.l10n.t('Good for'), vscode.l10n.t('{0} s', payment.lifetimeSeconds)],
  ];
  // Only the first four rows are always visible: amount, recipient, payer and network.
  return rows.map(([name, value], index) => ({ name, value, ...(index > 3 && detailFields) }));
}

const detailFields = { isDetail: true } as const;

/**
 * Formats the service balance before and after the payment. One unit of the token counts as one
 * dollar.
 */
function formatServiceBalance({ balance, payment, usdc }: TopUpReviewInput): string {
  if (balance === undefined) return vscode.l10n.t('unknown');
  const newBalanceUsd = balance.usd + Number(formatTokenAmount(payment.amount, usdc.decimals));
  return `${formatUsdAmount(balance.usd)} → ${formatUsdAmount(newBalanceUsd)}`;
}

function createReviewWarnings(input: TopUpReviewInput): string[] {
  return [
    ...(input.willSwitchToWallet === true ? [createSwitchWarning(input)] : []),
    ...listPayeeWarnings(input),
  ];
}

const createSwitchWarning = ({ payer, baseUrl }: TopUpReviewInput): string =>
  vscode.l10n.t(
    'Requests to {0} are then paid by {1}, in place of an API key. The extension signs each request without asking.',
    baseUrl.host,
    payer,
  );

function listPayeeWarnings({ payment }: TopUpReviewInput): string[] {
  switch (payment.payeeStatus) {
    case 'known':
      return [];
    case 'new':
      return [
        vscode.l10n.t(
          'This is the first payment to this payee. Compare the address with the one that the operator of the service publishes.',
        ),
      ];
    case 'changed':
      return [vscode.l10n.t('The payee has changed. Do not pay unless you know why.')];
  }
}

/** Formats dollars with up to six decimals, the precision of USDC. */
const formatUsdAmount = (usd: number): string => `$${Number(usd.toFixed(6))}`;

const formatUsdc = (amount: bigint, { decimals, symbol }: TopUpProposal['usdc']): string =>
  `${formatTokenAmount(amount, decimals)} ${symbol}`;
