import type * as vscode from 'vscode';
import {
  decodeKnownAccounts,
  type KnownAccount,
  withAccount,
  withoutAccount,
} from '../local/known-account.ts';

const stateName = 'wallet.accounts';

/** The accounts that the person has used, the one in use first. Kept for all windows; nothing in it is secret. */
export class KnownAccounts {
  readonly #state: vscode.Memento;

  constructor({ globalState }: Pick<vscode.ExtensionContext, 'globalState'>) {
    this.#state = globalState;
  }

  get all(): readonly KnownAccount[] {
    return decodeKnownAccounts(this.#state.get(stateName));
  }

  /** The one in use; undefined when none is connected. */
  get current(): KnownAccount | undefined {
    return this.all[0];
  }

  /** Makes this one the account in use. */
  async use(account: KnownAccount): Promise<void> {
    await this.#state.update(stateName, withAccount(this.#state.get(stateName), account));
  }

  async forget(account: KnownAccount): Promise<void> {
    await this.#state.update(stateName, withoutAccount(this.#state.get(stateName), account));
  }
}
