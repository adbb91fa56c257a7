import type { Disposable } from '../base/disposable.ts';
import type { Address, Chain, Hash, Hex } from './chain.ts';

/** Where the private key is. */
export type SignerKind = 'browser' | 'keystore' | 'private-key' | 'mnemonic';

/**
 * One account that can sign. What it returns is checked already: a signature is by {@link address} over exactly what was
 * asked, a hash is that of a transaction with exactly the fields that were asked.
 */
export interface Signer {
  readonly kind: SignerKind;
  readonly address: Address;
  /**
   * `personal_sign` (EIP-191) over the exact text.
   * @throws WalletError
   */
  signMessage(message: MessageToSign, signal: AbortSignal): Promise<Hex>;
  /**
   * Sends one transaction and returns its hash; does not wait for a block.
   * @throws WalletError
   */
  sendTransaction(transaction: TransactionToSend, signal: AbortSignal): Promise<Hash>;
}

/** An account whose key is on this machine: signs without a person each time. */
export interface LocalSigner extends Signer {
  readonly kind: Exclude<SignerKind, 'browser'>;
  /** EIP-712. */
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
  /** In the smallest unit of the chain's currency; never anything but 0 here. */
  readonly value: bigint;
  /** What its fee may come to, in that unit; absent when none was shown. Wallets of a browser have their own rule. */
  readonly mostFee?: bigint;
  readonly review: Review;
}

export interface TypedData {
  readonly domain: Readonly<Record<string, unknown>>;
  readonly types: Readonly<Record<string, readonly { name: string; type: string }[]>>;
  readonly primaryType: string;
  readonly message: Readonly<Record<string, unknown>>;
}

/** What a person sees before they sign, in the editor and again on the page of the browser wallet. Translated. */
export interface Review {
  /** In one line: what it is for, and what it is not. */
  readonly purpose: string;
  readonly rows: readonly ReviewRow[];
  readonly warnings: readonly string[];
}

export interface ReviewRow {
  readonly name: string;
  readonly value: string;
}

/** What a person goes through, in this order; a flow names those that it has. */
export type WalletStep = 'connect' | 'network' | 'approve' | 'stake' | 'unstake' | 'sign';

/** A connected account for one flow. Disposing ends it, with the browser's page when there is one. */
export interface WalletConnection extends Disposable {
  readonly signer: Signer;
  /** Marks what is done in the list of steps that the person sees. Nothing for local accounts. */
  show(step: WalletStep, state: 'current' | 'done' | 'skipped'): void;
  /**
   * The last thing: the page says how it ended and "You can close this tab", and is gone soon after.
   * @param message One translated sentence.
   */
  finish(outcome: 'done' | 'failed', message: string): Promise<void>;
}

export interface ConnectOptions {
  readonly chain: Chain;
  /** For the title of the page: what this is about, translated. */
  readonly purpose: string;
  readonly steps: readonly WalletStep[];
  readonly signal: AbortSignal;
  /** Only this account will do; absent when any will. */
  readonly address?: `0x${string}`;
}
