import * as vscode from 'vscode';
import { isNetworkPathFailure } from '../../../account/health.ts';
import { getActionLabel } from '../../../account/vscode/failure-actions.ts';
import {
  listFailureButtons,
  retryWhenAllowed,
  toShownFailure,
} from '../../../account/vscode/show-failure.ts';
import { getPayingAddress, paysPerRequest } from '../../../account/vscode/payment-choice.ts';
import { formatUsd } from '../../../base/amounts.ts';
import { omitUndefined } from '../../../base/json.ts';
import type { Host } from '../../../host.ts';
import { type Action, escapeIcons } from '../../../platform/notifications.ts';
import { setChoice } from '../../../platform/settings.ts';
import type { ServiceContext } from '../../../service/http/client.ts';
import { parseBaseUrl } from '../../../service/http/endpoint.ts';
import { ServiceError } from '../../../service/http/failure.ts';
import {
  getWalletBalance,
  listWalletTransactions,
  type WalletBalance,
  type WalletTransaction,
} from '../../../service/x402.ts';
import type { Chain } from '../../chain.ts';
import type { LocalSigner } from '../../signer.ts';
import { connectLocalWallet } from '../../vscode/connect-wallet.ts';
import {
  maxCeilingUsd,
  readTopUpCeilingUsd,
  topUpCeilingSetting,
  withWalletSignIn,
} from './paying-sign-in.ts';
import { showPaymentFailure } from './payment-messages.ts';
import { getSignInChain } from './sign-in-chain.ts';
import { createRefreshButton } from '../../../platform/window.ts';

/**
 * Connects the local account whose balance at the service is shown. Prefers the account that pays for requests, then
 * the last used local account; otherwise, prompts the user. Excludes browser wallets, because they cannot sign the
 * requests for the balance.
 * @throws WalletError if no account is connected
 */
export async function connectBalanceAccount(
  host: Host,
  options: { chain?: Chain; purpose: string; signal: AbortSignal },
): Promise<LocalSigner> {
  const { origin } = parseBaseUrl(host.account.profile.baseUrl);
  const address = paysPerRequest() ? getPayingAddress(host.context.globalState, origin) : undefined;
  const { signer } = await connectLocalWallet(host, omitUndefined({ ...options, address }));
  return signer;
}

interface PaymentItem extends vscode.QuickPickItem {
  readonly run?: () => unknown;
}

interface LoadedPayments {
  readonly balance: WalletBalance;
  readonly transactions: readonly WalletTransaction[];
  readonly hasMore: boolean;
}

const pageSize = 50;

/** Runs "Show Wallet Balance and Payments": shows the wallet's balance and transactions at the service. */
export async function showPayments(host: Host): Promise<void> {
  try {
    const chain = await getSignInChain(host);
    if (chain === undefined) return;
    const purpose = vscode.l10n.t('Read the balance at the service');
    const { signal } = new AbortController();
    const signer = await connectBalanceAccount(host, { purpose, signal });
    const { address } = signer;
    const context = withWalletSignIn(host.account, { chain, getSigner: async () => signer });
    await new PaymentsView({ host, context, address }).show();
  } catch (error) {
    showPaymentFailure(error);
  }
}

interface ViewOptions {
  readonly host: Pick<Host, 'account' | 'log'>;
  /** Service context with a sign-in by the wallet. */
  readonly context: ServiceContext;
  readonly address: string;
}

/** One quick pick with four states: loading, failed, empty, or payments. */
class PaymentsView {
  readonly #options: ViewOptions;
  readonly #quickPick = vscode.window.createQuickPick<PaymentItem>();
  readonly #endController = new AbortController();
  /** Id of the latest load. Results of earlier loads are ignored. */
  #lastLoadId = 0;
  #loadedPayments: LoadedPayments | undefined;

  constructor(options: ViewOptions) {
    this.#options = options;
    const quickPick = this.#quickPick;
    quickPick.title = vscode.l10n.t('Wallet {0}', options.address);
    quickPick.placeholder = vscode.l10n.t('Payments');
    quickPick.matchOnDescription = true;
    quickPick.matchOnDetail = true;
    quickPick.buttons = [createRefreshButton()];
  }

  async show(): Promise<void> {
    const quickPick = this.#quickPick;
    quickPick.onDidTriggerButton(() => void this.#loadPayments(0));
    quickPick.onDidAccept(() => this.#handleAccept(quickPick.selectedItems[0]));
    const hiddenPromise = new Promise<void>((resolve) => quickPick.onDidHide(() => resolve()));
    quickPick.show();
    void this.#loadPayments(0);
    await hiddenPromise;
    this.#endController.abort();
    quickPick.dispose();
  }

  #handleAccept(item: PaymentItem | undefined): void {
    void item?.run?.();
  }

  /**
   * Loads one page of payments.
   * @param offset Number of payments that are already loaded.
   */
  async #loadPayments(offset: number): Promise<void> {
    const loadId = ++this.#lastLoadId;
    const { context, address, host } = this.#options;
    const { signal } = this.#endController;
    const { profile } = host.account;
    this.#quickPick.busy = true;
    try {
      const balance = await getWalletBalance(context, { address, signal });
      const pageRequest = { address, limit: pageSize, offset, signal };
      const { transactions, hasMore } = await listWalletTransactions(context, pageRequest);
      if (loadId !== this.#lastLoadId || signal.aborted) return;
      const earlierTransactions = offset === 0 ? [] : (this.#loadedPayments?.transactions ?? []);
      this.#loadedPayments = {
        balance,
        transactions: [...earlierTransactions, ...transactions],
        hasMore,
      };
      if (host.account.key.kind === 'wallet')
        host.account.reportOutcome({ balance: { usd: balance.usd } }, profile);
      this.#quickPick.items = this.#createItems(this.#loadedPayments);
    } catch (error) {
      if (loadId !== this.#lastLoadId || signal.aborted) return;
      // A failed sign-in of another wallet does not mean that the API key is invalid.
      if (
        error instanceof ServiceError &&
        (host.account.key.kind === 'wallet' || isNetworkPathFailure(error.failure))
      )
        host.account.reportOutcome(error.failure, profile);
      this.#quickPick.items = [...this.#createFailureItems(error, offset), ...createActionItems()];
    } finally {
      if (loadId === this.#lastLoadId) this.#quickPick.busy = false;
    }
  }

  #createItems({ balance, transactions, hasMore }: LoadedPayments): PaymentItem[] {
    const moreItem: PaymentItem = {
      label: vscode.l10n.t('$(chevron-down) Show earlier payments'),
      run: () => void this.#loadPayments(transactions.length),
    };
    return [
      createBalanceItem(balance),
      ...createActionItems(),
      { label: vscode.l10n.t('Payments'), kind: vscode.QuickPickItemKind.Separator },
      ...(transactions.length === 0 ? [{ label: vscode.l10n.t('None') }] : []),
      ...transactions.map(createTransactionItem),
      ...(hasMore ? [moreItem] : []),
    ];
  }

  /** Returns list items with the message of a failure and its actions. */
  #createFailureItems(error: unknown, offset: number): PaymentItem[] {
    const retry = (): void => void this.#loadPayments(offset);
    if (!(error instanceof ServiceError)) {
      this.#options.host.log.error('Could not list the payments', error);
      const message = vscode.l10n.t('That did not work. See the log for details.');
      return [
        createFailureItem(message),
        createActionItem({ label: getActionLabel('retry'), run: retry }),
      ];
    }
    const { message, detail, retryAt, origin, actions } = toShownFailure(error.failure);
    const text =
      detail === undefined || message.includes(detail) ? message : `${message} ${detail}`;
    const buttons = listFailureButtons(actions, {
      origin,
      retry: () => retryWhenAllowed(retryAt, retry),
      suggestedActions: ['retry'],
      excludedActions: ['choose-model'],
    });
    return [createFailureItem(text), ...buttons.map(createActionItem)];
  }
}

const createFailureItem = (message: string): PaymentItem => ({
  label: vscode.l10n.t('$(warning) The balances cannot be read'),
  detail: escapeIcons(message),
});

const createActionItem = ({ label, run }: Action): PaymentItem => ({
  label: `$(chevron-right) ${label}`,
  run,
});

function createBalanceItem({ usd, diem, canConsume }: WalletBalance): PaymentItem {
  const diemHints =
    diem === undefined ? [] : [vscode.l10n.t('{0} in DIEM, spent first', formatUsd(diem))];
  const lowBalanceHints = canConsume ? [] : [vscode.l10n.t('too little for a request: top it up')];
  return {
    label: `$(credit-card) ${vscode.l10n.t('At the service')}: ${formatUsd(usd)}`,
    description: [...diemHints, ...lowBalanceHints].join(' · '),
  };
}

const createActionItems = (): PaymentItem[] => [
  {
    label: `$(add) ${vscode.l10n.t('Top up…')}`,
    run: () => vscode.commands.executeCommand('inferenceService.wallet.topUp'),
  },
  {
    label: `$(dashboard) ${getTopUpCeilingLabel()}`,
    description: formatUsd(readTopUpCeilingUsd()),
    run: chooseTopUpCeiling,
  },
  {
    label: `$(settings-gear) ${vscode.l10n.t('Pay with this wallet')}`,
    run: () => vscode.commands.executeCommand('inferenceService.wallet.payPerRequest'),
  },
];

const getTopUpCeilingLabel = (): string => vscode.l10n.t('Maximum of one top-up in US dollars');

/** Prompts for the maximum amount of one top-up, and stores it. */
async function chooseTopUpCeiling(): Promise<void> {
  const isAllowed = (text: string): boolean =>
    text.trim() !== '' && Number(text) >= 0 && Number(text) <= maxCeilingUsd;
  const text = await vscode.window.showInputBox({
    title: getTopUpCeilingLabel(),
    value: String(readTopUpCeilingUsd()),
    validateInput: (value) =>
      isAllowed(value)
        ? undefined
        : vscode.l10n.t('This must be a number from {0} to {1}.', 0, maxCeilingUsd),
  });
  if (text !== undefined && isAllowed(text)) await setChoice(topUpCeilingSetting, Number(text));
}

/** Creates the list item of a wallet transaction. Escapes icon codes in texts from the service. */
function createTransactionItem({
  kind,
  amountUsd,
  balanceAfterUsd,
  time,
  modelId,
}: WalletTransaction): PaymentItem {
  const sign = amountUsd > 0 ? '+' : '';
  const date = time === undefined ? '' : new Date(time).toLocaleString(vscode.env.language);
  const remainingText =
    balanceAfterUsd === undefined ? '' : vscode.l10n.t('then {0}', formatUsd(balanceAfterUsd));
  return {
    label: `${sign}${formatUsd(amountUsd)}`,
    description: [escapeIcons(modelId ?? formatKind(kind)), remainingText]
      .filter(Boolean)
      .join(' · '),
    detail: date,
  };
}

function formatKind(kind: WalletTransaction['kind']): string {
  switch (kind) {
    case 'top-up':
      return vscode.l10n.t('Top-up');
    case 'charge':
      return vscode.l10n.t('Request');
    case 'refund':
      return vscode.l10n.t('Refund');
    case 'other':
      return vscode.l10n.t('Other');
  }
}
