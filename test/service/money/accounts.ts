import type { ServiceClock } from '../service-clock.ts';
import { ApiError } from '../api-error.ts';
import {
  type Amounts,
  type Micro,
  toMicro,
  zeroAmounts,
  type FundingSource,
  spendOrder,
} from './amounts.ts';
import { type ApiKey, isExpired, getRemainingLimit } from './api-key.ts';
import { ApiKeys, type NewKey } from './api-keys.ts';
import { dayMs, toEpochDay } from './epoch-day.ts';

export interface Account {
  readonly id: string;
  usd: Micro;
  bundled: Micro;
  stakedDiem: Micro;
  /**
   * Daily credits (diem) from the staking pool, for wallet accounts. Undefined for other accounts, which get one diem
   * per day for each staked diem.
   */
  dailyDiem?: Micro;
  /** Part of the daily diem that was spent on the UTC day {@link Account.epochDay}. */
  diemSpent: Micro;
  /** UTC day, in days since 1970-01-01. */
  epochDay: number;
}

/** Returns the id of a wallet's account. */
export const getWalletAccountId = (wallet: string): string => wallet.toLowerCase();

export interface Charge extends Amounts {
  readonly accountId: string;
  readonly keyId: string;
  readonly modelId: string;
  /** Time of the charge in milliseconds since the Unix epoch. */
  readonly chargedAt: number;
}

type KeyView = Omit<ApiKey, 'spending'> & { readonly spent: Amounts };

/** Minimum stake in diem. The daily diem of a smaller stake cannot be spent (spec §8). */
const minimumStake = toMicro(0.1);

/** Accounts with their API keys and balances. A charge never makes a balance negative. */
export class Accounts {
  readonly charges: Charge[] = [];
  readonly keys = new ApiKeys();
  readonly #accounts = new Map<string, Account>();
  readonly #clock: ServiceClock;

  constructor(clock: ServiceClock) {
    this.#clock = clock;
  }

  clear(): void {
    this.charges.length = 0;
    this.#accounts.clear();
    this.keys.clear();
  }

  /** Returns the account with this id. If there is none, opens an empty account. */
  openAccount(id: string): Account {
    const existingAccount = this.#accounts.get(id);
    if (existingAccount !== undefined) return existingAccount;
    const epochDay = this.#getEpochDay();
    const account = { id, usd: 0, bundled: 0, stakedDiem: 0, diemSpent: 0, epochDay };
    this.#accounts.set(id, account);
    return account;
  }

  addKey(key: NewKey): ApiKey {
    this.openAccount(key.accountId);
    return this.keys.addKey(key, this.#clock.now());
  }

  /**
   * Returns the API key with this secret.
   * @throws ApiError 401 if the key is unknown, expired or revoked
   */
  authenticate(secret: string): ApiKey {
    const key = this.keys.findKey(secret);
    const now = this.#clock.now();
    if (key === undefined || isExpired(key, now)) throw new ApiError(401, 'Authentication failed');
    key.lastUsedAt = now;
    return key;
  }

  /** Returns all accounts, keys and charges, for tests. Excludes secrets and their hashes. */
  listAll(): {
    accounts: (Account & { spendable: Amounts })[];
    keys: KeyView[];
    charges: Charge[];
  } {
    const accounts = [...this.#accounts.values()].map((account) => ({
      ...account,
      spendable: this.getBalances(account.id),
    }));
    const keys = this.keys
      .listKeys()
      .map(({ spending, ...key }) => ({ ...key, spent: spending.sumSince(0) }));
    return { accounts, keys, charges: this.charges };
  }

  /** Returns the balances that the account can spend. Does not apply the spending limits of its keys. */
  getBalances(accountId: string): Amounts {
    const account = this.openAccount(accountId);
    const diem = this.getAllocation(accountId) - account.diemSpent;
    return { diem: Math.max(0, diem), bundled: account.bundled, usd: account.usd };
  }

  /** Returns the diem that the account may spend per UTC day. */
  getAllocation(accountId: string): Micro {
    const account = this.openAccount(accountId);
    this.#startEpoch(account);
    if (account.stakedDiem < minimumStake) return 0;
    return account.dailyDiem ?? account.stakedDiem;
  }

  /** Returns the time of the next 00:00 UTC in milliseconds since the Unix epoch. */
  getNextEpoch(): number {
    return (this.#getEpochDay() + 1) * dayMs;
  }

  /**
   * Checks that the key can currently pay `cost`. Default: the smallest possible amount.
   * @throws ApiError 402 if the funds or the spending limit of the key are insufficient
   */
  requireFunds(key: ApiKey, cost: Micro = 1): void {
    const balances = this.getBalances(key.accountId);
    const { diem, bundled, usd } = this.#getSpendableAmounts(key);
    if (diem + Math.min(bundled + usd, this.#getRemainingLimit(key).usd) >= cost) return;
    const fundedSource = spendOrder.find((source) => balances[source] > 0);
    const totalBalance = balances.diem + balances.bundled + balances.usd;
    throw fundedSource === undefined || totalBalance < cost
      ? createOutOfFundsError()
      : createSpendLimitError(fundedSource);
  }

  /**
   * Charges `cost` to the funding sources in order, each at most up to its balance. Returns the amount charged to each
   * source.
   */
  chargeAccount(key: ApiKey, cost: Micro, model: string): Amounts {
    const payment = splitCost(
      cost,
      this.#getSpendableAmounts(key),
      this.#getRemainingLimit(key).usd,
    );
    const time = this.#clock.now();
    key.spending.addAmounts(time, payment);
    this.#deduct(this.openAccount(key.accountId), payment);
    this.charges.push({
      accountId: key.accountId,
      keyId: key.id,
      modelId: model,
      chargedAt: time,
      ...payment,
    });
    return payment;
  }

  #deduct(account: Account, payment: Amounts): void {
    account.diemSpent += payment.diem;
    account.bundled -= payment.bundled;
    account.usd -= payment.usd;
  }

  #getSpendableAmounts(key: ApiKey): Amounts {
    const balances = this.getBalances(key.accountId);
    const remainingLimit = this.#getRemainingLimit(key);
    return {
      diem: Math.min(balances.diem, remainingLimit.diem),
      bundled: Math.min(balances.bundled, remainingLimit.usd),
      usd: Math.min(balances.usd, remainingLimit.usd),
    };
  }

  #getRemainingLimit(key: ApiKey): { readonly usd: Micro; readonly diem: Micro } {
    return getRemainingLimit(key, this.#clock.now());
  }

  #startEpoch(account: Account): void {
    const epochDay = this.#getEpochDay();
    if (account.epochDay === epochDay) return;
    account.epochDay = epochDay;
    account.diemSpent = 0;
  }

  #getEpochDay(): number {
    return toEpochDay(this.#clock.now());
  }
}

/** Divides `cost` among the funding sources. `remainingDollars` is the maximum for `bundled` and `usd` together. */
function splitCost(cost: Micro, spendable: Amounts, remainingDollars: Micro): Amounts {
  const payment: Record<FundingSource, Micro> = { ...zeroAmounts };
  let remainingCost = cost;
  for (const source of spendOrder) {
    const remainingLimit = source === 'usd' ? remainingDollars - payment.bundled : Infinity;
    payment[source] = Math.min(remainingCost, spendable[source], remainingLimit);
    remainingCost -= payment[source];
  }
  return payment;
}

function createOutOfFundsError(): ApiError {
  return new ApiError(
    402,
    'Insufficient USD or Diem balance to complete request. Visit the dashboard to add credits.',
  );
}

function createSpendLimitError(source: FundingSource): ApiError {
  const currency = source === 'diem' ? 'DIEM' : 'USD';
  return new ApiError(
    402,
    `API key ${currency} spend limit exceeded. Your account may still have a balance; raise the limit of this key or use another one.`,
  );
}
