import { createHash, randomUUID } from 'node:crypto';
import type { ApiKey, KeyTerms, KeyType } from './api-key.ts';
import { DailySpending } from './daily-spending.ts';

/** API key to store. By default, it has no expiry and no limit, and may use all models. */
export interface NewKey extends Partial<KeyTerms> {
  /** Secret of the key. Only its hash is stored. */
  readonly secret: string;
  readonly type: KeyType;
  readonly accountId: string;
  readonly id?: string;
}

/** API keys of all accounts, by the SHA-256 hash of their secret. */
export class ApiKeys {
  readonly #keysByHash = new Map<string, ApiKey>();

  clear(): void {
    this.#keysByHash.clear();
  }

  addKey({ secret, id = randomUUID(), ...fields }: NewKey, now: number): ApiKey {
    const key: ApiKey = {
      description: '',
      limit: {},
      // The specification has limits without a period, which apply to the total spending of the key
      // (§4.4).
      limitPeriod: 'LIFETIME',
      modelPrivacy: 'ALL',
      ...fields,
      id,
      last6Chars: secret.slice(-6),
      createdAt: now,
      spending: new DailySpending(),
    };
    this.#keysByHash.set(hashSecret(secret), key);
    return key;
  }

  findKey(secret: string): ApiKey | undefined {
    return this.#keysByHash.get(hashSecret(secret));
  }

  removeKey(key: ApiKey): void {
    for (const [hash, storedKey] of this.#keysByHash)
      if (storedKey === key) this.#keysByHash.delete(hash);
  }

  /** Returns the keys of an account, newest first. */
  listByAccount(accountId: string): ApiKey[] {
    return [...this.#keysByHash.values()].filter((key) => key.accountId === accountId).reverse();
  }

  listKeys(): ApiKey[] {
    return [...this.#keysByHash.values()];
  }
}

/** Returns the hash that is stored in place of a secret. */
export const hashSecret = (secret: string): string =>
  createHash('sha256').update(secret).digest('hex');
