import * as vscode from 'vscode';
import type { Address, Hex } from '../chain.ts';
import { WalletError } from '../wallet-failure.ts';

/** Private keys in the editor's secret storage, and nowhere else. */
export class StoredKeys {
  readonly #secrets: vscode.SecretStorage;

  constructor({ secrets }: Pick<vscode.ExtensionContext, 'secrets'>) {
    this.#secrets = secrets;
  }

  /** @throws WalletError `no-wallet` when nothing is stored, or storage cannot be read */
  async read(address: Address): Promise<Hex> {
    const key = await this.#secrets.get(secretName(address)).then(
      (text) => text,
      () => undefined,
    );
    if (key !== undefined && /^0x[\da-f]{64}$/.test(key)) return key as Hex;
    throw new WalletError(
      'no-wallet',
      vscode.l10n.t('The editor does not hold the key of {0} any more.', address),
    );
  }

  /** False when storage does not keep it. */
  async store(address: Address, key: Hex): Promise<boolean> {
    try {
      await this.#secrets.store(secretName(address), key);
      return (await this.#secrets.get(secretName(address))) === key;
    } catch {
      // The storage's own error is dropped: it may quote the key.
      return false;
    }
  }

  async remove(address: Address): Promise<void> {
    await this.#secrets.delete(secretName(address));
  }
}

const secretName = (address: Address): string => `inferenceService.wallet.${address.toLowerCase()}`;
