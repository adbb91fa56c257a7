import * as vscode from 'vscode';
import { systemClock } from '../../../base/clock.ts';
import type { Host } from '../../../host.ts';
import { showCancellable, showInformation, showWarning } from '../../../platform/notifications.ts';
import type { Address, Chain } from '../../chain.ts';
import { getProfileChain, getCheckedChain } from '../../vscode/profile-chain.ts';
import {
  checkPendingTopUps,
  decodeTopUp,
  encodeTopUp,
  type TopUpJournal,
  type TopUpRecord,
} from '../signed-top-up.ts';
import { topUpPrefix } from '../../vscode/unfinished-hints.ts';
import { formatPendingPayment, showPaymentFailure } from './payment-messages.ts';

const payeePrefix = 'wallet.payee.';

/**
 * Pending payments and known payees in VS Code's state. Each payment and each payee has a separate entry, so that two
 * windows do not overwrite each other's entries. Contains no secrets.
 */
export class TopUpStore implements TopUpJournal {
  readonly #state: vscode.Memento;

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  list(): readonly TopUpRecord[] {
    return this.#readRecords()
      .filter((record) => record !== undefined)
      .toSorted((a, b) => Number(a.validBefore - b.validBefore));
  }

  /**
   * Checks whether there are payments that this version cannot read, because a newer version of the extension signed
   * them.
   */
  hasUnreadablePayments(): boolean {
    return this.#readRecords().includes(undefined);
  }

  /** Adds the record, and stores its payee as known. */
  async add(record: TopUpRecord): Promise<void> {
    await this.#state.update(topUpPrefix + record.nonce, encodeTopUp(record));
    await this.#state.update(getPayeeStateKey(record), record.to);
  }

  async remove({ nonce }: TopUpRecord): Promise<void> {
    await this.#state.update(topUpPrefix + nonce, undefined);
  }

  /** Returns the payee of the last payment to this service in this token. */
  getPayee(key: PayeeKey): Address | undefined {
    const knownPayee = this.#state.get(getPayeeStateKey(key));
    const isAddress = typeof knownPayee === 'string' && /^0x[0-9a-fA-F]{40}$/.test(knownPayee);
    return isAddress ? (knownPayee as Address) : undefined;
  }

  #readRecords(): readonly (TopUpRecord | undefined)[] {
    const keys = this.#state.keys().filter((key) => key.startsWith(topUpPrefix));
    return keys.map((key) => decodeTopUp(this.#state.get(key)));
  }
}

export type PayeeKey = Pick<TopUpRecord, 'origin' | 'chainId' | 'asset'>;

const getPayeeStateKey = ({ origin, chainId, asset }: PayeeKey): string =>
  `${payeePrefix}${origin} ${chainId} ${asset}`;

/**
 * Shows the outcome of earlier payments. Returns true if a payment can still be executed or is unreadable, so that the
 * caller signs no other payment.
 * @throws WalletError if the state of a payment cannot be read from the chain
 */
export async function hasOpenTopUp(host: Host, chain: Chain): Promise<boolean> {
  const store = new TopUpStore(host.context.globalState);
  const hasUnreadablePayments = store.hasUnreadablePayments();
  if (hasUnreadablePayments) void showWarning(getNewerPaymentMessage());
  return (await hasOpenRecord(host, chain, store)) || hasUnreadablePayments;
}

async function hasOpenRecord(host: Host, chain: Chain, store: TopUpStore): Promise<boolean> {
  if (store.list().length === 0) return false;
  const title = vscode.l10n.t('Checking the chain');
  const topUps = await showCancellable(title, async (signal) =>
    checkPendingTopUps(await getCheckedChain(host, chain, signal), {
      journal: store,
      clock: systemClock,
      signal,
    }),
  );
  for (const topUp of topUps) {
    const show = topUp.state.kind === 'paid' ? showInformation : showWarning;
    void show(formatPendingPayment(topUp));
  }
  return topUps.some(({ state }) => state.kind === 'open');
}

const getNewerPaymentMessage = (): string =>
  vscode.l10n.t(
    'Created by a newer version of Inference Service. Update the extension to open it.',
  );

/** Shows the outcome of earlier payments after a reload, or an error message if the outcome cannot be read. */
export async function reportOpenTopUps(host: Host): Promise<void> {
  try {
    await hasOpenTopUp(host, getProfileChain(host.account));
  } catch (error) {
    showPaymentFailure(error);
  }
}
