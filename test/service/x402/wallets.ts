import type { Accounts } from '../money/accounts.ts';
import type { Micro } from '../money/amounts.ts';
import type { ApiKey } from '../money/api-key.ts';
import { DailySpending } from '../money/daily-spending.ts';
import { ApiError } from '../api-error.ts';
import type { TopUpMisbehavior } from './misbehavior.ts';

export interface TopUp {
  readonly id: string;
  readonly address: string;
  readonly amount: Micro;
  /** Time of the top-up in milliseconds since the Unix epoch. */
  readonly creditedAt: number;
}

const nonceLifetimeMs = 330_000;
const maxConcurrentRequests = 5;

/** Wallets that pay for requests. Each has a balance that API keys cannot spend. */
export class Wallets {
  readonly topUps: TopUp[] = [];
  /** Payments whose settlement is running, identified by payer and nonce. */
  readonly settlingNonces = new Set<string>();
  misbehavior: TopUpMisbehavior = {};
  readonly #accounts: Accounts;
  readonly #callerKeys = new Map<string, ApiKey>();
  /** Nonces that each wallet has used, with the time at which each was used. */
  readonly #nonceTimes = new Map<string, number>();
  readonly #runningCounts = new Map<string, number>();

  constructor(accounts: Accounts) {
    this.#accounts = accounts;
  }

  reset(): void {
    this.topUps.length = 0;
    this.misbehavior = {};
    this.#callerKeys.clear();
    this.#nonceTimes.clear();
  }

  getBalance(address: string): Micro {
    return this.#accounts.getBalances(getBalanceAccountId(address)).usd;
  }

  creditTopUp(topUp: TopUp): void {
    this.#accounts.openAccount(getBalanceAccountId(topUp.address)).usd += topUp.amount;
    this.topUps.push(topUp);
  }

  /**
   * Returns a key record that represents the wallet. Requests with this record are charged to the balance of the
   * wallet.
   */
  getCallerKey(address: string, now: number): ApiKey {
    const existingKey = this.#callerKeys.get(address.toLowerCase());
    const callerKey = existingKey ?? createCallerKey(address, now);
    this.#callerKeys.set(address.toLowerCase(), callerKey);
    return callerKey;
  }

  /** Marks a nonce as used. Returns false if the wallet already used it within the last 5.5 minutes. */
  tryUseNonce(address: string, nonce: string, now: number): boolean {
    for (const [nonceKey, usedAt] of this.#nonceTimes)
      if (usedAt <= now - nonceLifetimeMs) this.#nonceTimes.delete(nonceKey);
    const id = `${address.toLowerCase()} ${nonce}`;
    if (this.#nonceTimes.has(id)) return false;
    this.#nonceTimes.set(id, now);
    return true;
  }

  /**
   * Counts a request as running until `closeSignal` aborts.
   * @throws ApiError 429 if the wallet already has five running requests
   */
  countRequest(address: string, closeSignal: AbortSignal): void {
    const id = address.toLowerCase();
    const runningCount = this.#runningCounts.get(id) ?? 0;
    if (runningCount >= maxConcurrentRequests) {
      const error = 'Too many concurrent requests';
      throw new ApiError(429, { error, code: 'X402_CONCURRENCY_LIMIT' });
    }
    this.#runningCounts.set(id, runningCount + 1);
    const endRequest = (): void =>
      void this.#runningCounts.set(id, (this.#runningCounts.get(id) ?? 1) - 1);
    closeSignal.addEventListener('abort', endRequest, { once: true });
  }
}

/** Returns the account id for the balance of a paying wallet. The control plane accepts this id. */
export const getBalanceAccountId = (address: string): string => `x402:${address.toLowerCase()}`;

const createCallerKey = (address: string, now: number): ApiKey => ({
  id: getBalanceAccountId(address),
  type: 'INFERENCE',
  accountId: getBalanceAccountId(address),
  description: 'A wallet',
  limit: {},
  limitPeriod: 'LIFETIME',
  modelPrivacy: 'ALL',
  last6Chars: address.slice(-6),
  createdAt: now,
  spending: new DailySpending(),
});
