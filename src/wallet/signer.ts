import type { Disposable } from '../base/disposable.ts';
import type { Address, Chain, Hash, Hex } from './chain.ts';

/**
 * Location of the account's private key. `browser`: in a browser wallet. `keystore`: in a password-protected file.
 * `private-key`: on this machine, entered by the user or in a file. `mnemonic`: on this machine, derived from a
 * recovery phrase.
 */
export type SignerKind = 'browser' | 'keystore' | 'private-key' | 'mnemonic';

/**
 * An account that can sign. The implementation verifies every result. Each signature is from {@link address} and covers
 * exactly the requested text, and each hash belongs to a transaction with exactly the requested fields.
 */
export interface Signer {
  readonly kind: SignerKind;
  readonly address: Address;
  /**
   * Signs the exact text with `personal_sign` (EIP-191).
   * @throws WalletError if the text is not signed
   */
  signMessage(message: MessageToSign, signal: AbortSignal): Promise<Hex>;
  /**
   * Sends one transaction and returns its hash without waiting for a block.
   * @throws WalletError if the transaction is not sent, or if its outcome is unknown
   */
  sendTransaction(transaction: TransactionToSend, signal: AbortSignal): Promise<Hash>;
}

/** Signer whose key is on this machine, so that the extension itself can sign. */
export interface LocalSigner extends Signer {
  readonly kind: Exclude<SignerKind, 'browser'>;
  /** Signs typed data (EIP-712). */
  signTypedData(data: TypedData, signal: AbortSignal): Promise<Hex>;
}

export interface MessageToSign {
  readonly text: string;
  readonly review: Review;
}

export interface TransactionToSend {
  readonly chainId: number;
  readonly to: Address;
  readonly data: Hex;
  /** Amount of native currency in its smallest unit. The extension always sends 0. */
  readonly value: bigint;
  /**
   * Maximum total fee in the currency's smallest unit; absent when no fee was shown. Applies to
   * local accounts only.
   */
  readonly maxFee?: bigint;
  readonly review: Review;
}

export interface TypedData {
  readonly domain: Readonly<Record<string, unknown>>;
  readonly types: Readonly<Record<string, readonly { name: string; type: string }[]>>;
  readonly primaryType: string;
  readonly message: Readonly<Record<string, unknown>>;
}

/** Translated facts that the user sees before signing, in VS Code or on the wallet page. */
export interface Review {
  /** Short purpose of the request. */
  readonly purpose: string;
  /** Consequences and limits of the request, in one or two sentences. */
  readonly explanation?: string;
  readonly rows: readonly ReviewRow[];
  readonly warnings: readonly string[];
}

export interface ReviewRow {
  readonly name: string;
  readonly value: string;
  /** Set if the row is hidden until the user opens the details. */
  readonly isDetail?: true;
}

/** Steps that the user completes, in this order. Each flow uses some of the steps. */
export type WalletStep = 'connect' | 'network' | 'approve' | 'stake' | 'unstake' | 'sign';

/**
 * Connection to an account for one flow. Disposing it ends the connection and closes the wallet
 * page, if any.
 */
export interface WalletConnection extends Disposable {
  readonly signer: Signer;
  /** Updates a step in the list on the wallet page. Does nothing for local accounts. */
  showStep(step: WalletStep, state: 'current' | 'done' | 'skipped'): void;
  /**
   * Ends the flow: the page shows the outcome and "You can close this tab", then closes.
   * @param message One translated sentence.
   */
  showOutcome(outcome: 'done' | 'failed', message: string): Promise<void>;
}

export interface ConnectOptions {
  /** Chain for transactions. Not needed for a signature. */
  readonly chain?: Chain | undefined;
  /** Translated purpose of the connection, shown as the title of the page. */
  readonly purpose: string;
  readonly steps: readonly WalletStep[];
  readonly signal: AbortSignal;
  /** Address of the required account; absent when any account is accepted. */
  readonly address?: `0x${string}`;
}
