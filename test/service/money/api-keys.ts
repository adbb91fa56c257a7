import { createHash, randomUUID } from 'node:crypto';
import type { ApiKey, KeyTerms, KeyType } from './api-key.ts';
import { DailySpending } from './daily-spending.ts';

/** A key to be kept. What is absent is: never expires, no limit, all models. */
export interface NewKey extends Partial<KeyTerms> {
  /** Hashed, and then forgotten. */
  readonly secret: string;
  readonly type: KeyType;
  readonly accountId: string;
  readonly id?: string;
}

/** The keys of all accounts by the SHA-256 of their secrets; a secret itself is never kept. */
export class ApiKeys {
  readonly #byHash = new Map<string, ApiKey>();

  clear(): void {
    this.#byHash.clear();
  }

  add({ secret, id = randomUUID(), ...given }: NewKey, now: number): ApiKey {
    const key: ApiKey = {
      description: '',
      limit: {},
      // The specification knows no periods: a limit without one caps what the key spends in all (§4.4).
      limitPeriod: 'LIFETIME',
      modelPrivacy: 'ALL',
      ...given,
      id,
      last6Chars: secret.slice(-6),
      createdAt: now,
      spending: new DailySpending(),
    };
    this.#byHash.set(hashSecret(secret), key);
    return key;
  }

  find(secret: string): ApiKey | undefined {
    return this.#byHash.get(hashSecret(secret));
  }

  remove(key: ApiKey): void {
    for (const [hash, each] of this.#byHash) if (each === key) this.#byHash.delete(hash);
  }

  /** Newest first. */
  listByAccount(accountId: string): ApiKey[] {
    return [...this.#byHash.values()].filter((key) => key.accountId === accountId).reverse();
  }

  all(): ApiKey[] {
    return [...this.#byHash.values()];
  }
}

/** In its place wherever something is kept about the holder of a secret. */
export const hashSecret = (secret: string): string =>
  createHash('sha256').update(secret).digest('hex');
