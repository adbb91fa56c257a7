import { randomInt } from 'node:crypto';
import type { ServiceClock } from '../service-clock.ts';
import type { Accounts } from '../money/accounts.ts';
import { type ApiKey, isExpired, type KeyTerms, type KeyType } from '../money/api-key.ts';
import { ApiError } from '../api-error.ts';

const maxPerMinute = 20;
const maxActiveKeys = 500;
const secretLength = 43;
const secretAlphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

interface KeyRequest {
  readonly accountId: string;
  readonly type: KeyType;
  readonly terms: Partial<KeyTerms>;
}

/** Issues API keys. An account can create at most 20 keys per minute, and have at most 500 active keys. */
export class KeyIssuer {
  readonly #accounts: Accounts;
  readonly #clock: ServiceClock;
  readonly #prefix: string;
  readonly #issueTimes = new Map<string, number[]>();

  /** @param vendorPrefix prefix of the deployment; every secret starts with this prefix in capital letters */
  constructor(accounts: Accounts, clock: ServiceClock, vendorPrefix: string) {
    this.#accounts = accounts;
    this.#clock = clock;
    this.#prefix = vendorPrefix.toUpperCase();
  }

  reset(): void {
    this.#issueTimes.clear();
  }

  /**
   * Issues a key.
   * @throws ApiError 429 for too many keys in a minute, 400 for too many active keys
   */
  issueKey({ accountId, type, terms }: KeyRequest): {
    readonly key: ApiKey;
    readonly secret: string;
  } {
    this.#checkLimits(accountId);
    const randomCharacters = Array.from(
      { length: secretLength },
      () => secretAlphabet[randomInt(secretAlphabet.length)],
    );
    const secret = `${this.#prefix}_${type}_KEY_${randomCharacters.join('')}`;
    return { key: this.#accounts.addKey({ ...terms, accountId, type, secret }), secret };
  }

  #checkLimits(accountId: string): void {
    const now = this.#clock.now();
    const recentTimes = (this.#issueTimes.get(accountId) ?? []).filter(
      (time) => time > now - 60_000,
    );
    if (recentTimes.length >= maxPerMinute) {
      throw new ApiError(429, 'Rate limit exceeded', {
        'x-ratelimit-type': 'user',
        'retry-after': String(Math.ceil(((recentTimes[0] ?? now) + 60_000 - now) / 1000)),
      });
    }
    const activeKeys = this.#accounts.keys
      .listByAccount(accountId)
      .filter((key) => !isExpired(key, now));
    if (activeKeys.length >= maxActiveKeys) {
      throw new ApiError(400, `An account has at most ${maxActiveKeys} active API keys`);
    }
    this.#issueTimes.set(accountId, [...recentTimes, now]);
  }
}
