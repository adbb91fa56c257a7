import type { Address } from 'viem';
import type { RunningChain } from '../chain/start-chain.ts';
import type { ServiceClock } from '../service-clock.ts';
import { type Account, type Accounts, getWalletAccountId } from '../money/accounts.ts';
import { type Micro, toMicro } from '../money/amounts.ts';
import { toEpochDay } from '../money/epoch-day.ts';
import { ApiError } from '../api-error.ts';
import type { Stake, StakingChain } from './staking-chain.ts';
import type { Web3Settings } from './web3-settings.ts';

interface StakersOptions {
  readonly accounts: Accounts;
  readonly clock: ServiceClock;
  readonly web3Settings: Web3Settings;
  readonly chain: RunningChain | undefined;
}

/** Manages the accounts of wallets with a stake, and the credits (diem) that these wallets get each day (spec §5). */
export class Stakers {
  readonly #options: StakersOptions;
  /** Wallets by account id, each with the UTC day on which its stake was last read. */
  readonly #stakedWallets = new Map<string, { readonly wallet: Address; day: number }>();
  #chainPromise: Promise<StakingChain> | undefined;

  constructor(options: StakersOptions) {
    this.#options = options;
  }

  reset(): void {
    this.#stakedWallets.clear();
  }

  /**
   * Returns the chain client. Loads it on first use.
   * @throws ApiError 503 if the service has no chain
   */
  getChain(): Promise<StakingChain> {
    const { chain, web3Settings } = this.#options;
    if (chain === undefined) throw new ApiError(503, 'No chain is connected to this service');
    this.#chainPromise ??= import('./staking-chain.ts').then(
      ({ StakingChain }) => new StakingChain(chain.facts, () => web3Settings.takeRpcFailure()),
    );
    return this.#chainPromise;
  }

  /**
   * Returns the wallet's account, and opens it if necessary. A new account gets its first diem at the next 00:00 UTC.
   */
  getAccount(wallet: Address, stake: Stake): Account {
    const { accounts, web3Settings } = this.#options;
    const id = getWalletAccountId(wallet);
    const account = accounts.openAccount(id);
    if (this.#stakedWallets.has(id)) return account;
    this.#stakedWallets.set(id, { wallet, day: this.#getToday() });
    account.stakedDiem = stake.microAmount;
    account.dailyDiem =
      web3Settings.persistentSettings.firstAllocation === 'at-once'
        ? this.#computeDailyShare(stake)
        : 0;
    return account;
  }

  /**
   * Reads a wallet's stake from the chain, unless it was already read on this UTC day. Must be called before each use
   * of the account. If the chain is unreachable, the daily diem of the account is 0 until a later call succeeds.
   */
  async refreshStake(accountId: string): Promise<void> {
    const entry = this.#stakedWallets.get(accountId);
    const today = this.#getToday();
    if (entry === undefined || entry.day === today) return;
    const account = this.#options.accounts.openAccount(accountId);
    try {
      const stake = await (await this.getChain()).readStake(entry.wallet);
      account.stakedDiem = stake.microAmount;
      account.dailyDiem = this.#computeDailyShare(stake);
      entry.day = today;
    } catch {
      account.dailyDiem = 0;
    }
  }

  async refreshAllStakes(): Promise<void> {
    for (const id of this.#stakedWallets.keys()) await this.refreshStake(id);
  }

  /** Returns the wallet's share of the credits (diem) that all stakers together get per day. */
  #computeDailyShare({ balance, totalStake }: Stake): Micro {
    if (totalStake === 0n) return 0;
    const dailyDiem = BigInt(toMicro(this.#options.web3Settings.persistentSettings.dailyDiem));
    return Number((dailyDiem * balance) / totalStake);
  }

  #getToday(): number {
    return toEpochDay(this.#options.clock.now());
  }
}
