/**
 * Failure codes for wallets, chains and payments. Nothing was signed or sent unless the description
 * of a code states otherwise.
 */
export type WalletFailureCode =
  /** The chain setting lacks a required field, or a field is invalid. */
  | 'no-chain'
  | 'no-wallet'
  /** The user declined in the wallet (EIP-1193 4001) or closed the page. */
  | 'rejected'
  /** The wallet already has a pending request (EIP-1193 -32002). */
  | 'wallet-busy'
  /** The wallet denied access (EIP-1193 4100) or is disconnected (4900, 4901). */
  | 'wallet-unavailable'
  /** VS Code cannot open the wallet page, or other users could reach the page. */
  | 'page-unavailable'
  | 'wallet-timeout'
  | 'account-changed'
  | 'wrong-chain'
  /** The wallet returned an address, hash or signature that does not match the request. */
  | 'wallet-lied'
  | 'wrong-password'
  | 'invalid-keystore'
  /** The RPC node does not answer. */
  | 'chain-unreachable'
  /** The chain id at the RPC URL differs from the configured chain id. */
  | 'chain-mismatch'
  /** A configured address has no contract, or a contract of another kind. */
  | 'not-a-contract'
  | 'invalid-amount'
  | 'insufficient-funds'
  /** The simulation reverted, so the transaction was not sent. */
  | 'reverted'
  /** The user replaced the transaction with another one. */
  | 'transaction-replaced'
  | 'transaction-cancelled'
  /** The transaction was mined and reverted. */
  | 'transaction-failed'
  /** The transaction is not mined, but may be mined later. */
  | 'transaction-unknown'
  /** The transaction was mined, and a reorganization removed its block. */
  | 'transaction-reorganised'
  /** The service requested a signature or a payment that fails the security checks. */
  | 'unsafe-request'
  | 'stopped'
  | 'internal-error';

/**
 * Failure of a wallet, a chain or a payment as plain data. No field ever contains a key, a password, a signature or a
 * token.
 */
export interface WalletFailure {
  readonly code: WalletFailureCode;
  /**
   * One sentence without secrets. Translated if it is shown to the user, otherwise English for the
   * log.
   */
  readonly detail: string;
  /** Hash of the transaction to which the failure belongs. */
  readonly hash?: `0x${string}`;
}

/** Error with a {@link WalletFailure}. */
export class WalletError extends Error {
  readonly failure: WalletFailure;

  constructor(code: WalletFailureCode, detail: string, hash?: `0x${string}`) {
    super(detail);
    this.name = 'WalletError';
    this.failure = hash === undefined ? { code, detail } : { code, detail, hash };
  }
}
