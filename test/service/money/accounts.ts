import type { ServiceClock } from '../clock.ts';
import { Problem } from '../problem.ts';

/** Integer millionths of a dollar or of a diem; one diem buys what one dollar buys. */
export type Micro = number;

export const micro = (units: number): Micro => Math.round(units * 1e6);

/** The order in which an account's sources pay (spec §5.5). */
const spendOrder = ['diem', 'bundled', 'usd'] as const;

export type Source = (typeof spendOrder)[number];

export type Amounts = Readonly<Record<Source, Micro>>;

export interface Account {
  readonly id: string;
  usd: Micro;
  bundled: Micro;
  stakedDiem: Micro;
  /** Spent of the allocation in {@link Account.epoch}. */
  diemSpent: Micro;
  /** Days since 1970 UTC. */
  epoch: number;
}

export interface ApiKey {
  readonly id: string;
  readonly secret: string;
  readonly type: 'INFERENCE' | 'ADMIN';
  readonly accountId: string;
  /** Milliseconds since the Unix epoch. */
  readonly expiresAt?: number;
  /** Caps on what this key spends in all; `usd` covers bundled credits too. */
  readonly limit: { readonly usd?: Micro; readonly diem?: Micro };
  readonly spent: Record<Source, Micro>;
}

export interface Charge extends Amounts {
  readonly accountId: string;
  readonly keyId: string;
  readonly model: string;
}

/** The share of the staking pool decides the daily allocation: by default one diem a day for each one staked. */
const pool = { staked: micro(1_000_000), dailyDiem: micro(1_000_000) };

const minimumStake = micro(0.1);
const dayMs = 86_400_000;

/** Who may call, and what they can still spend. A charge never takes a source below zero. */
export class Accounts {
  readonly charges: Charge[] = [];
  readonly #accounts = new Map<string, Account>();
  readonly #keys = new Map<string, ApiKey>();
  readonly #clock: ServiceClock;

  constructor(clock: ServiceClock) {
    this.#clock = clock;
  }

  clear(): void {
    this.charges.length = 0;
    this.#accounts.clear();
    this.#keys.clear();
  }

  open(id: string): Account {
    const known = this.#accounts.get(id);
    if (known !== undefined) return known;
    const epoch = this.#epoch();
    const account = { id, usd: 0, bundled: 0, stakedDiem: 0, diemSpent: 0, epoch };
    this.#accounts.set(id, account);
    return account;
  }

  addKey(key: Omit<ApiKey, 'spent'>): void {
    this.open(key.accountId);
    this.#keys.set(key.secret, { ...key, spent: { diem: 0, bundled: 0, usd: 0 } });
  }

  /** @throws Problem 401 for a key that is unknown or expired. */
  authenticate(secret: string): ApiKey {
    const key = this.#keys.get(secret);
    const expired = key?.expiresAt !== undefined && key.expiresAt <= this.#clock.now();
    if (key === undefined || expired) throw new Problem(401, 'Authentication failed');
    return key;
  }

  all(): { accounts: (Account & { spendable: Amounts })[]; keys: ApiKey[]; charges: Charge[] } {
    const accounts = [...this.#accounts.values()].map((each) => ({
      ...each,
      spendable: this.balances(each.id),
    }));
    return { accounts, keys: [...this.#keys.values()], charges: this.charges };
  }

  /** What the account could spend now, whatever the limits of its keys. */
  balances(accountId: string): Amounts {
    const account = this.open(accountId);
    const diem = this.#allocation(account) - account.diemSpent;
    return { diem: Math.max(0, diem), bundled: account.bundled, usd: account.usd };
  }

  /** Milliseconds since the Unix epoch of the next 00:00 UTC. */
  nextEpoch(): number {
    return (this.#epoch() + 1) * dayMs;
  }

  /** @throws Problem 402 when this key cannot pay `cost` now; without one, when it cannot pay for anything. */
  requireFunds(key: ApiKey, cost: Micro = 1): void {
    const balances = this.balances(key.accountId);
    const { diem, bundled, usd } = this.#spendable(key);
    if (diem + Math.min(bundled + usd, this.#usdRoom(key)) >= cost) return;
    const capped = spendOrder.find((source) => balances[source] > 0);
    const all = balances.diem + balances.bundled + balances.usd;
    throw capped === undefined || all < cost ? outOfFunds() : spendLimit(capped);
  }

  /** Takes `cost` from the sources in their order, as far as they reach, and says what each paid. */
  charge(key: ApiKey, cost: Micro, model: string): Amounts {
    const spendable = this.#spendable(key);
    const paid: Record<Source, Micro> = { diem: 0, bundled: 0, usd: 0 };
    let due = cost;
    for (const source of spendOrder) {
      // Recomputed for the second dollar source, since both share one limit.
      const room =
        source === 'usd' ? Math.min(spendable.usd, this.#usdRoom(key)) : spendable[source];
      paid[source] = Math.min(due, room);
      due -= paid[source];
      key.spent[source] += paid[source];
    }
    this.#take(this.open(key.accountId), paid);
    this.charges.push({ accountId: key.accountId, keyId: key.id, model, ...paid });
    return paid;
  }

  #take(account: Account, paid: Amounts): void {
    account.diemSpent += paid.diem;
    account.bundled -= paid.bundled;
    account.usd -= paid.usd;
  }

  #spendable(key: ApiKey): Amounts {
    const balances = this.balances(key.accountId);
    const usdRoom = this.#usdRoom(key);
    const diemRoom = Math.max(0, (key.limit.diem ?? Infinity) - key.spent.diem);
    return {
      diem: Math.min(balances.diem, diemRoom),
      bundled: Math.min(balances.bundled, usdRoom),
      usd: Math.min(balances.usd, usdRoom),
    };
  }

  #usdRoom(key: ApiKey): Micro {
    return Math.max(0, (key.limit.usd ?? Infinity) - key.spent.usd - key.spent.bundled);
  }

  #allocation(account: Account): Micro {
    this.#startEpoch(account);
    if (account.stakedDiem < minimumStake) return 0;
    return Math.floor((pool.dailyDiem * account.stakedDiem) / pool.staked);
  }

  #startEpoch(account: Account): void {
    const epoch = this.#epoch();
    if (account.epoch === epoch) return;
    account.epoch = epoch;
    account.diemSpent = 0;
  }

  #epoch(): number {
    return Math.floor(this.#clock.now() / dayMs);
  }
}

function outOfFunds(): Problem {
  return new Problem(
    402,
    'Insufficient USD or Diem balance to complete request. Visit the dashboard to add credits.',
  );
}

function spendLimit(source: Source): Problem {
  const currency = source === 'diem' ? 'DIEM' : 'USD';
  return new Problem(
    402,
    `API key ${currency} spend limit exceeded. Your account may still have a balance; raise the limit of this key or use another one.`,
  );
}
