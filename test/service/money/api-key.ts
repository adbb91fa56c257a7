import type { Amounts, Micro } from './amounts.ts';
import { toEpochDay } from './epoch-day.ts';
import type { DailySpending } from './daily-spending.ts';

export const keyTypes = ['INFERENCE', 'ADMIN'] as const;
export type KeyType = (typeof keyTypes)[number];

/** Periods for which a spending limit can apply: a UTC day, a UTC month, or all time. */
export const limitPeriods = ['EPOCH', 'MONTH', 'LIFETIME'] as const;
export type LimitPeriod = (typeof limitPeriods)[number];

/**
 * Values that restrict the models of a key. `PRIVATE_TEXT` excludes text models that are not private. `PRIVATE_ONLY`
 * excludes all models that are not private.
 */
export const modelPrivacies = ['ALL', 'PRIVATE_TEXT', 'PRIVATE_ONLY'] as const;
export type ModelPrivacy = (typeof modelPrivacies)[number];

/** Maximum spending of a key per period. `usd` includes bundled credits. */
export interface SpendingLimit {
  readonly usd?: Micro;
  readonly diem?: Micro;
}

/** Properties of a key that an ADMIN key can change. */
export interface KeyTerms {
  description: string;
  /** Expiry in milliseconds since the Unix epoch. Absent if the key does not expire. */
  expiresAt?: number;
  limit: SpendingLimit;
  limitPeriod: LimitPeriod;
  modelPrivacy: ModelPrivacy;
}

/** Stored API key. Contains only the last characters of the secret. `ApiKeys` stores the hash of the secret. */
export interface ApiKey extends KeyTerms {
  readonly id: string;
  readonly type: KeyType;
  readonly accountId: string;
  readonly last6Chars: string;
  /** Time of creation in milliseconds since the Unix epoch. */
  readonly createdAt: number;
  lastUsedAt?: number;
  readonly spending: DailySpending;
}

/** Returns the amount that the key can still spend in the current period. Infinity if the key has no limit. */
export function getRemainingLimit(
  key: ApiKey,
  now: number,
): { readonly usd: Micro; readonly diem: Micro } {
  const spentAmounts = getSpentInPeriod(key, now);
  return {
    usd: Math.max(0, (key.limit.usd ?? Infinity) - spentAmounts.usd - spentAmounts.bundled),
    diem: Math.max(0, (key.limit.diem ?? Infinity) - spentAmounts.diem),
  };
}

/** Returns the amounts spent since the start of the limit's period. */
export function getSpentInPeriod({ limitPeriod, spending }: ApiKey, now: number): Amounts {
  if (limitPeriod === 'LIFETIME') return spending.sumSince(0);
  const today = toEpochDay(now);
  const firstDay = limitPeriod === 'EPOCH' ? today : today - new Date(now).getUTCDate() + 1;
  return spending.sumSince(firstDay);
}

export const isExpired = ({ expiresAt }: ApiKey, now: number): boolean =>
  expiresAt !== undefined && expiresAt <= now;
