import type { Amounts, Micro } from './amounts.ts';
import { toEpochDay } from './epoch-day.ts';
import type { DailySpending } from './daily-spending.ts';

export const keyTypes = ['INFERENCE', 'ADMIN'] as const;
export type KeyType = (typeof keyTypes)[number];

/** Within which time a limit holds: a day of UTC, a month of UTC, or all time. */
export const limitPeriods = ['EPOCH', 'MONTH', 'LIFETIME'] as const;
export type LimitPeriod = (typeof limitPeriods)[number];

/** Which models a key may call: all, private ones for text, private ones only. */
export const modelPrivacies = ['ALL', 'PRIVATE_TEXT', 'PRIVATE_ONLY'] as const;
export type ModelPrivacy = (typeof modelPrivacies)[number];

/** Caps on what a key spends within its period; `usd` covers bundled credits too. */
export interface SpendingLimit {
  readonly usd?: Micro;
  readonly diem?: Micro;
}

/** What the holder of an ADMIN key may change about a key. */
export interface KeyTerms {
  description: string;
  /** Milliseconds since the Unix epoch; absent when it never expires. */
  expiresAt?: number;
  limit: SpendingLimit;
  limitPeriod: LimitPeriod;
  modelPrivacy: ModelPrivacy;
}

/** All that is kept of a key; of its secret only the end, and elsewhere a hash. */
export interface ApiKey extends KeyTerms {
  readonly id: string;
  readonly type: KeyType;
  readonly accountId: string;
  readonly last6Chars: string;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
  lastUsedAt?: number;
  readonly spending: DailySpending;
}

/** What the key may still spend now, within its own limits. */
export function remainingLimit(
  key: ApiKey,
  now: number,
): { readonly usd: Micro; readonly diem: Micro } {
  const spent = spentInPeriod(key, now);
  return {
    usd: Math.max(0, (key.limit.usd ?? Infinity) - spent.usd - spent.bundled),
    diem: Math.max(0, (key.limit.diem ?? Infinity) - spent.diem),
  };
}

/** Since the day of UTC on which the period of its limit began. */
export function spentInPeriod({ limitPeriod, spending }: ApiKey, now: number): Amounts {
  if (limitPeriod === 'LIFETIME') return spending.since(0);
  const today = toEpochDay(now);
  const first = limitPeriod === 'EPOCH' ? today : today - new Date(now).getUTCDate() + 1;
  return spending.since(first);
}

export const isExpired = ({ expiresAt }: ApiKey, now: number): boolean =>
  expiresAt !== undefined && expiresAt <= now;
