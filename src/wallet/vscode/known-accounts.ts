import * as vscode from 'vscode';
import type { Address, Hex } from '../chain.ts';
import {
  decodeKnownAccounts,
  type KnownAccount,
  putAccountFirst,
  removeAccount,
} from '../local/known-account.ts';
import { WalletError } from '../wallet-failure.ts';

const knownAccountsKey = 'wallet.accounts';

/**
 * Accounts that the user has connected. The current account comes first. All windows share the
 * list, which contains no secrets.
 */
export class KnownAccounts {
  readonly #state: vscode.Memento;

  constructor({ globalState }: Pick<vscode.ExtensionContext, 'globalState'>) {
    this.#state = globalState;
  }

  get accounts(): readonly KnownAccount[] {
    return decodeKnownAccounts(this.#state.get(knownAccountsKey));
  }

  /** The current account; `undefined` when none is connected. */
  get currentAccount(): KnownAccount | undefined {
    return this.accounts[0];
  }

  /** Makes `account` the current account. */
  async setCurrent(account: KnownAccount): Promise<void> {
    await this.#state.update(
      knownAccountsKey,
      putAccountFirst(this.#state.get(knownAccountsKey), account),
    );
  }

  async remove(account: KnownAccount): Promise<void> {
    await this.#state.update(
      knownAccountsKey,
      removeAccount(this.#state.get(knownAccountsKey), account),
    );
  }
}

/** Private keys of the local accounts, stored only in VS Code's secret storage. */
export class StoredKeys {
  readonly #secrets: vscode.SecretStorage;

  constructor({ secrets }: Pick<vscode.ExtensionContext, 'secrets'>) {
    this.#secrets = secrets;
  }

  /**
   * Returns the stored private key of an account.
   * @throws WalletError `no-wallet` when none is stored or secret storage cannot be read
   */
  async read(address: Address): Promise<Hex> {
    const key = await this.#secrets.get(getSecretName(address)).then(
      (text) => text,
      () => undefined,
    );
    if (key !== undefined && /^0x[\da-f]{64}$/.test(key)) return key as Hex;
    throw new WalletError(
      'no-wallet',
      vscode.l10n.t('The editor no longer has the key of {0}.', address),
    );
  }

  /** Stores the private key of an account. Returns false if secret storage lost the key. */
  async store(address: Address, key: Hex): Promise<boolean> {
    try {
      await this.#secrets.store(getSecretName(address), key);
      return (await this.#secrets.get(getSecretName(address))) === key;
    } catch {
      // The error is dropped, because its text may quote the key.
      return false;
    }
  }

  async remove(address: Address): Promise<void> {
    await this.#secrets.delete(getSecretName(address));
  }
}

const getSecretName = (address: Address): string =>
  `inferenceService.wallet.${address.toLowerCase()}`;
