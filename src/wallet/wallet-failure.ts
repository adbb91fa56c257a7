/**
 * The closed set of ways in which something with a wallet, a chain or a payment can fail. Nothing was sent or signed
 * unless the code says so.
 */
export type WalletFailureCode =
  /** No address, token, or RPC address is configured, or one of them is not what it should be. */
  | 'no-chain'
  | 'no-wallet'
  /** The person said no in the wallet (EIP-1193 4001), or closed the page. */
  | 'rejected'
  /** A request is open in the wallet already (-32002). */
  | 'wallet-busy'
  /** The wallet does not allow it (4100), or is cut off (4900, 4901). */
  | 'wallet-unavailable'
  /** The page for a wallet of the browser cannot be opened here, or others could reach it. */
  | 'page-unavailable'
  | 'wallet-timeout'
  | 'account-changed'
  | 'wrong-chain'
  /** The wallet named an address, hash or signature that is not what it did. */
  | 'wallet-lied'
  | 'wrong-password'
  | 'invalid-keystore'
  /** The chain cannot be asked. */
  | 'chain-unreachable'
  /** Another chain answers at the RPC address than the one that is configured. */
  | 'chain-mismatch'
  /** There is no contract at a configured address, or it is not of the kind it should be. */
  | 'not-a-contract'
  | 'invalid-amount'
  | 'insufficient-funds'
  /** The simulation failed: the contract would refuse. */
  | 'reverted'
  /** The person sent another transaction in its place. */
  | 'transaction-replaced'
  | 'transaction-cancelled'
  /** It was on the chain, and failed there. */
  | 'transaction-failed'
  /** It is neither on the chain nor known to be lost: it may still come. */
  | 'transaction-unknown'
  /** It was on the chain and is not any more. */
  | 'transaction-reorganised'
  /** What the service wants signed or paid is not what it should be. */
  | 'unsafe-request'
  | 'stopped'
  | 'internal-error';

/** A failure as data. No field ever holds a key, a password, a signature or a token. */
export interface WalletFailure {
  readonly code: WalletFailureCode;
  /**
   * What exactly: one sentence, redacted. Translated where the host quotes it in its words for people, else in English
   * for the log.
   */
  readonly detail: string;
  /** Of the transaction that it is about. */
  readonly hash?: `0x${string}`;
}

/** A {@link WalletFailure} on its way through code that throws. */
export class WalletError extends Error {
  readonly failure: WalletFailure;

  constructor(code: WalletFailureCode, detail: string, hash?: `0x${string}`) {
    super(detail);
    this.name = 'WalletError';
    this.failure = hash === undefined ? { code, detail } : { code, detail, hash };
  }
}
