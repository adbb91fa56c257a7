import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import * as vscode from 'vscode';
import {
  savePayingAccount,
  startPayingPerRequest,
} from '../../../account/vscode/payment-choice.ts';
import { systemClock } from '../../../base/clock.ts';
import { omitUndefined } from '../../../base/json.ts';
import type { Host } from '../../../host.ts';
import {
  showWithActions,
  showCancellable,
  showInformation,
  showWarning,
} from '../../../platform/notifications.ts';
import { getWalletBalance, type WalletBalance } from '../../../service/x402.ts';
import type { Address, Chain } from '../../chain.ts';
import type { LocalSigner } from '../../signer.ts';
import {
  type AmountProblem,
  formatShortAmount,
  formatTokenAmount,
  parseAmount,
} from '../../staking/amount.ts';
import { ensureChain } from '../../vscode/chain-form.ts';
import { connectLocalAccount } from '../../vscode/local-accounts.ts';
import { WalletError } from '../../wallet-failure.ts';
import { getCheckedChain } from '../../vscode/profile-chain.ts';
import { acquireWindowLock } from '../../../platform/window-lock.ts';
import type { TopUpOutcome, UncreditedTopUp } from '../signed-top-up.ts';
import {
  quoteTopUp,
  topUp,
  type TopUpRequest,
  type TopUpPorts,
  type TopUpProposal,
  type TopUpQuote,
} from '../top-up.ts';
import { choosePayer } from './pay-per-request.ts';
import {
  readStoredAccounts,
  withWalletSignIn,
  readTopUpCeiling,
  readX402Headers,
} from './paying-sign-in.ts';
import {
  formatCreditedPayment,
  showPaymentFailure,
  formatUncreditedPayment,
} from './payment-messages.ts';
import { connectBalanceAccount } from './payments-view.ts';
import { confirmTopUp } from './top-up-review.ts';
import { hasOpenTopUp, TopUpStore } from './top-up-store.ts';

interface AmountLimits {
  /** Address of the account that pays. */
  readonly payer: Address;
  /** Maximum amount per payment from the user's settings, in the token's smallest unit. */
  readonly ceiling: bigint;
}

/**
 * Prompts for the amount, in the token's smallest unit. Accepts amounts of at least `minAmount` that exceed neither the
 * balance nor the maximum per payment. Resolves to `undefined` when the user cancels.
 */
export async function promptForTopUpAmount(
  { usdc, minAmount }: Pick<TopUpQuote, 'usdc' | 'minAmount'>,
  { payer, ceiling }: AmountLimits,
): Promise<bigint | undefined> {
  const { decimals, symbol, balance } = usdc;
  const maxAmount = balance < ceiling ? balance : ceiling;
  const parseInput = (text: string) => parseAmount(text, { decimals, maxAmount });
  const formatAmount = (amount: bigint): string =>
    `${formatShortAmount(amount, decimals)} ${symbol}`;
  const findInputProblem = (text: string): string | undefined => {
    const { amount, problem: reason } = parseInput(text);
    if (reason === 'over-balance') {
      return maxAmount < ceiling
        ? vscode.l10n.t('The wallet has {0}.', formatAmount(balance))
        : vscode.l10n.t(
            'One top-up is at most {0}. Change this with {1}.',
            formatAmount(ceiling),
            vscode.l10n.t('Show Wallet Balance and Payments'),
          );
    }
    if (reason !== undefined) return reason === 'empty' ? '' : findAmountProblem(reason, decimals);
    return amount < minAmount
      ? vscode.l10n.t('The service takes {0} or more.', formatAmount(minAmount))
      : undefined;
  };
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t('Top up: how much {0} from {1}?', symbol, payer),
    prompt: vscode.l10n.t(
      '{0} or more, {1} at most. The wallet has {2}. Nothing is paid before you have seen all of it.',
      formatAmount(minAmount),
      formatAmount(ceiling),
      formatAmount(balance),
    ),
    value: minAmount <= maxAmount ? formatTokenAmount(minAmount, decimals) : '',
    ignoreFocusOut: true,
    validateInput: findInputProblem,
  });
  return text === undefined || findInputProblem(text) !== undefined
    ? undefined
    : parseInput(text).amount;
}

function findAmountProblem(
  problem: Exclude<AmountProblem, 'empty' | 'over-balance'>,
  decimals: number,
) {
  switch (problem) {
    case 'not-a-number':
    case 'separator':
      return vscode.l10n.t('Enter an amount such as 5 or 2.50.');
    case 'zero':
      return vscode.l10n.t('Enter more than 0.');
    case 'too-many-decimals':
      return vscode.l10n.t('At most {0} digits after the point.', decimals);
  }
}

/**
 * Runs "Top Up Wallet Balance": prompts for the amount, shows the review, signs and pays. Only one top-up runs on this
 * machine at a time, because two equal payments would both be executed. If requests use an API key, which cannot spend
 * the balance (spec §5.6), requests switch to pay-per-request when the payment is credited.
 */
export async function runTopUpCommand(host: Host): Promise<void> {
  using lock = await acquireWindowLock(getTopUpFolder(host));
  if (lock === undefined) {
    void showInformation(
      vscode.l10n.t(
        'This is already under way, here or in another window. Finish or stop it there first.',
      ),
    );
    return;
  }
  try {
    const chain = await ensureChain(host, 'top-up');
    if (chain !== undefined) await new TopUpRun(host, chain, lock.lossSignal).run();
  } catch (error) {
    showPaymentFailure(error);
  }
}

/** Returns the folder of the top-up lock, which all windows share. */
export const getTopUpFolder = ({ context }: Pick<Host, 'context'>): string =>
  join(context.globalStorageUri.fsPath, 'top-up');

interface PreparedTopUp {
  readonly ports: TopUpPorts;
  readonly quote: TopUpQuote;
  /** Id of the profile that was active when the quote was requested from the service. */
  readonly profileId: string;
  /**
   * True if the wallet does not pay for requests yet. Requests then switch to pay-per-request when the payment is
   * credited.
   */
  readonly willSwitchToWallet: boolean;
  readonly balance?: WalletBalance;
}

/** Amounts in the token's smallest unit. */
interface TopUpAmounts {
  readonly amount: bigint;
  readonly ceiling: bigint;
}

class TopUpRun {
  readonly #host: Host;
  readonly #chain: Chain;
  readonly #store: TopUpStore;
  readonly #lockLossSignal: AbortSignal;

  /**
   * @param lockLossSignal Aborts when another window may take over the lock. Nothing is signed after that.
   */
  constructor(host: Host, chain: Chain, lockLossSignal: AbortSignal) {
    this.#host = host;
    this.#lockLossSignal = lockLossSignal;
    this.#chain = chain;
    this.#store = new TopUpStore(host.context.globalState);
  }

  async run(): Promise<void> {
    if (await hasOpenTopUp(this.#host, this.#chain)) return;
    const preparedTopUp = await this.#prepareTopUp(await this.#connectSigner());
    const ceiling = readTopUpCeiling();
    const payer = preparedTopUp.ports.signer.address;
    const amount = await promptForTopUpAmount(preparedTopUp.quote, { payer, ceiling });
    if (amount === undefined) return;
    // The promise of the message is not awaited, because an open message must not block the next top-up.
    const outcome = await this.#payTopUp(preparedTopUp, { amount, ceiling });
    const messagePromise = this.#showOutcome(outcome, preparedTopUp);
    messagePromise.catch((error: unknown) =>
      this.#host.log.error('Could not show the result of a top-up', error),
    );
  }

  async #connectSigner(): Promise<LocalSigner> {
    const purpose = vscode.l10n.t('Top up the balance at the service');
    const { signal } = new AbortController();
    const options = { chain: this.#chain, purpose, signal };
    if (this.#host.account.key.kind === 'wallet') return connectBalanceAccount(this.#host, options);
    // Only an account whose key is stored can sign requests without a prompt.
    const [account = await choosePayer(this.#host)] = readStoredAccounts(this.#host.context);
    if (account === undefined) throw new WalletError('rejected', 'No account was chosen.');
    return connectLocalAccount(this.#host, account, options).signer;
  }

  #prepareTopUp(signer: LocalSigner): Promise<PreparedTopUp> {
    const title = vscode.l10n.t('Checking the chain');
    return showCancellable(title, async (signal) => {
      const ports: TopUpPorts = {
        service: this.#host.service,
        headers: readX402Headers(),
        chain: await getCheckedChain(this.#host, this.#chain, signal),
        signer,
        journal: this.#store,
        clock: systemClock,
        randomBytes,
      };
      const { profileId } = this.#host.account;
      const quote = await quoteTopUp(ports, signal);
      const willSwitchToWallet = this.#host.account.key.kind !== 'wallet';
      const balance = await this.#readBalance(ports, signal);
      return omitUndefined({ ports, quote, profileId, willSwitchToWallet, balance });
    });
  }

  /**
   * Reads the balance for display. Returns `undefined` for keystore accounts, which would prompt for their password
   * again.
   */
  async #readBalance(ports: TopUpPorts, signal: AbortSignal): Promise<WalletBalance | undefined> {
    const { signer } = ports;
    if (signer.kind === 'keystore') return undefined;
    const context = withWalletSignIn(this.#host.account, {
      getSigner: async () => signer,
      chain: this.#chain,
    });
    const { address } = signer;
    return getWalletBalance(context, { address, signal }).catch(() => undefined);
  }

  /**
   * Pays, and shows progress as soon as the user has accepted the payment. Until then, a confirmation dialog is open.
   */
  async #payTopUp(preparedTopUp: PreparedTopUp, amounts: TopUpAmounts): Promise<TopUpOutcome> {
    const confirmationResolvers = Promise.withResolvers<boolean>();
    const abortController = new AbortController();
    const request = this.#createRequest(preparedTopUp, {
      ...amounts,
      onAnswer: confirmationResolvers.resolve,
    });
    const signal = AbortSignal.any([abortController.signal, this.#lockLossSignal]);
    const outcomePromise = topUp(preparedTopUp.ports, request, signal);
    const declineConfirmation = (): void => confirmationResolvers.resolve(false);
    outcomePromise.then(declineConfirmation, declineConfirmation);
    if (!(await confirmationResolvers.promise)) return outcomePromise;
    return showCancellable(getPayingTitle(), (cancelSignal) => {
      cancelSignal.addEventListener('abort', () => abortController.abort());
      return outcomePromise;
    });
  }

  #createRequest(
    { quote, balance, willSwitchToWallet }: PreparedTopUp,
    { amount, ceiling, onAnswer }: TopUpAmounts & { onAnswer: (isAgreed: boolean) => void },
  ): TopUpRequest {
    const chain = this.#chain;
    const { origin } = quote.baseUrl;
    const payeeKey = { origin, chainId: chain.id, asset: quote.usdc.address };
    const knownPayee = this.#store.getPayee(payeeKey);
    const confirm = async (proposal: TopUpProposal): Promise<boolean> => {
      const details = omitUndefined({ balance, knownPayee });
      const isAgreed =
        (await confirmTopUp({ ...proposal, ...details, willSwitchToWallet, chain })) &&
        // Another payment may have started while the review was open.
        !(await hasOpenTopUp(this.#host, chain));
      onAnswer(isAgreed);
      return isAgreed;
    };
    return { quote, amount, ceiling, confirm, ...omitUndefined({ knownPayee }) };
  }

  async #showOutcome(outcome: TopUpOutcome, preparedTopUp: PreparedTopUp): Promise<void> {
    if (outcome.kind === 'declined') return;
    if (outcome.kind === 'credited') {
      const isPaid = outcome.state?.kind === 'paid';
      // Show the message before the switch, because the user must see the credit even if the switch fails.
      const messagePromise = showWithActions(
        isPaid ? showInformation : showWarning,
        formatCreditedPayment(outcome),
        this.#createExplorerActions(isPaid ? outcome.state.hash : undefined),
      );
      const applyCredit = async (): Promise<void> => {
        if (preparedTopUp.willSwitchToWallet) await this.#switchToWallet(preparedTopUp);
        this.#reportBalance(outcome.receipt.balanceUsd, preparedTopUp);
      };
      await Promise.all([messagePromise, applyCredit()]);
      return;
    }
    await this.#showUncreditedOutcome(outcome, preparedTopUp);
  }

  /**
   * Switches requests to payment by the topped-up wallet, and shows the result. If the user has switched to another
   * connection since the top-up began, shows only a warning, because the user agreed to the payment by wallet for the
   * first connection only.
   */
  async #switchToWallet(preparedTopUp: PreparedTopUp): Promise<void> {
    const { account, context, log } = this.#host;
    const { origin } = preparedTopUp.quote.baseUrl;
    const { address } = preparedTopUp.ports.signer;
    if (!this.#isConnectionActive(preparedTopUp)) {
      void showWarning(
        vscode.l10n.t(
          'Requests are not paid by {0}, because another connection is active now.',
          address,
        ),
      );
      return;
    }
    try {
      await savePayingAccount(context.globalState, { address, origin });
      await startPayingPerRequest();
      await account.reloadKey();
    } catch (error) {
      log.error('Could not turn on payment by wallet after a top-up', error);
      void showWarning(vscode.l10n.t('That did not work. See the log for details.'));
      return;
    }
    void showInformation(vscode.l10n.t('Requests are paid by {0} now.', address));
  }

  /** Checks whether the connection that the top-up was prepared for is still active. */
  #isConnectionActive({ profileId, quote }: PreparedTopUp): boolean {
    const { account } = this.#host;
    const { origin } = quote.baseUrl;
    return account.profileId === profileId && URL.parse(account.profile.baseUrl)?.origin === origin;
  }

  async #showUncreditedOutcome(
    outcome: UncreditedTopUp,
    preparedTopUp: PreparedTopUp,
  ): Promise<void> {
    const resend = async (): Promise<void> =>
      this.#showOutcome(await showCancellable(getPayingTitle(), outcome.resend), preparedTopUp);
    const retryAction = { label: vscode.l10n.t('Send it again'), run: resend };
    const canResend = outcome.kind === 'unknown' || outcome.kind === 'paid';
    const actions = [
      ...(canResend ? [retryAction] : []),
      ...this.#createExplorerActions(outcome.hash),
    ];
    await showWithActions(
      outcome.kind === 'void' ? showInformation : showWarning,
      formatUncreditedPayment(outcome),
      actions,
    );
  }

  #createExplorerActions(hash: string | undefined) {
    const { explorerUrl } = this.#chain;
    if (hash === undefined || explorerUrl === undefined) return [];
    const run = () => vscode.env.openExternal(vscode.Uri.parse(`${explorerUrl}/tx/${hash}`, true));
    return [{ label: vscode.l10n.t('Open in explorer'), run }];
  }

  /**
   * Shows the new balance in the status bar if the wallet pays for requests and the connection of the top-up is still
   * active.
   */
  #reportBalance(balanceUsd: number | undefined, preparedTopUp: PreparedTopUp): void {
    const { account } = this.#host;
    if (balanceUsd === undefined || account.key.kind !== 'wallet') return;
    if (!this.#isConnectionActive(preparedTopUp)) return;
    account.reportOutcome({ balance: { usd: balanceUsd } }, account.profile);
  }
}

const getPayingTitle = (): string => vscode.l10n.t('Paying, and waiting for the chain…');
