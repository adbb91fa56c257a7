import type * as vscode from 'vscode';
import type { Address } from '../../chain.ts';
import {
  decodeTopUp,
  encodeTopUp,
  type TopUpJournal,
  topUpPrefix,
  type TopUpRecord,
} from '../top-up-record.ts';

const payeePrefix = 'wallet.payee.';

/**
 * Payments whose end is not known, and who was paid, in the editor's own state. One entry for each, so that two windows
 * do not overwrite what the other keeps. Nothing in it is secret.
 */
export class TopUpStore implements TopUpJournal {
  readonly #state: vscode.Memento;

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  list(): readonly TopUpRecord[] {
    return this.#records()
      .filter((record) => record !== undefined)
      .toSorted((a, b) => Number(a.validBefore - b.validBefore));
  }

  /** Checks for payments that this version cannot read: a newer version may have signed them. */
  hasUnreadable(): boolean {
    return this.#records().includes(undefined);
  }

  /** From now on its payee is who was paid there. */
  async add(record: TopUpRecord): Promise<void> {
    await this.#state.update(topUpPrefix + record.nonce, encodeTopUp(record));
    await this.#state.update(payeeName(record), record.to);
  }

  async remove({ nonce }: TopUpRecord): Promise<void> {
    await this.#state.update(topUpPrefix + nonce, undefined);
  }

  /** Who was paid before at this service in this token. */
  payee(place: PayeePlace): Address | undefined {
    const known = this.#state.get(payeeName(place));
    const isAddress = typeof known === 'string' && /^0x[0-9a-fA-F]{40}$/.test(known);
    return isAddress ? (known as Address) : undefined;
  }

  #records(): readonly (TopUpRecord | undefined)[] {
    const keys = this.#state.keys().filter((key) => key.startsWith(topUpPrefix));
    return keys.map((key) => decodeTopUp(this.#state.get(key)));
  }
}

export type PayeePlace = Pick<TopUpRecord, 'origin' | 'chainId' | 'asset'>;

const payeeName = ({ origin, chainId, asset }: PayeePlace): string =>
  `${payeePrefix}${origin} ${chainId} ${asset}`;
