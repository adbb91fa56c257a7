import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import type { Hex } from '../chain.ts';
import type { LocalSigner, TypedData } from '../signer.ts';

/** Signer that signs immediately and records every signed message and payment. */
export class CountingSigner implements LocalSigner {
  readonly kind = 'private-key';
  readonly signedMessages: string[] = [];
  readonly signedPayments: TypedData[] = [];
  readonly #account: PrivateKeyAccount;

  constructor(privateKey: Hex) {
    this.#account = privateKeyToAccount(privateKey);
  }

  get address(): Hex {
    return this.#account.address;
  }

  async signMessage({ text }: { text: string }): Promise<Hex> {
    this.signedMessages.push(text);
    return this.#account.signMessage({ message: text });
  }

  async signTypedData(data: TypedData): Promise<Hex> {
    this.signedPayments.push(data);
    return this.#account.signTypedData(data);
  }

  sendTransaction(): Promise<Hex> {
    throw new Error('Nothing here sends a transaction.');
  }
}

/** Private key of the first account of the standard test phrase, which is public. */
export const knownPrivateKey = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
