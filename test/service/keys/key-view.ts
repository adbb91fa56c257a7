import type { Amounts, Micro } from '../money/amounts.ts';
import { type ApiKey, getSpentInPeriod } from '../money/api-key.ts';
import { toEpochDay } from '../money/epoch-day.ts';

/** Formats a new key with its secret, which no other reply contains. */
export function createNewKeyView(key: ApiKey, secret: string): object {
  return {
    id: key.id,
    apiKey: secret,
    apiKeyType: key.type,
    description: key.description,
    expiresAt: formatInstant(key.expiresAt),
    consumptionLimit: formatLimit(key),
    limitPeriod: key.limitPeriod,
    modelPrivacy: key.modelPrivacy,
  };
}

/** Formats a key for key management, with its usage. */
export function createKeyView(key: ApiKey, now: number): object {
  const recentSpending = key.spending.sumSince(toEpochDay(now) - 6);
  const diem = formatDecimals(recentSpending.diem);
  const usage = {
    trailingSevenDays: { usd: formatDecimals(sumDollars(recentSpending)), vcu: diem, diem },
  };
  return {
    ...createKeyRecord(key),
    usage,
    ...(isLimited(key) && { currentPeriodUsage: formatUsage(key, now) }),
  };
}

/**
 * Formats a key for key management, without its usage. The field with the spending limits is `consumptionLimits` here,
 * but `consumptionLimit` in requests.
 */
export function createKeyRecord(key: ApiKey): object {
  return {
    id: key.id,
    apiKeyType: key.type,
    description: key.description,
    createdAt: formatInstant(key.createdAt),
    expiresAt: formatInstant(key.expiresAt),
    lastUsedAt: formatInstant(key.lastUsedAt),
    last6Chars: key.last6Chars,
    consumptionLimits: formatLimit(key),
    limitPeriod: key.limitPeriod,
    modelPrivacy: key.modelPrivacy,
  };
}

function formatLimit({ limit }: ApiKey): object {
  const diem = toUnitsOrNull(limit.diem);
  return { usd: toUnitsOrNull(limit.usd), diem, vcu: diem };
}

function formatUsage(key: ApiKey, now: number): object {
  const spentAmounts = getSpentInPeriod(key, now);
  return { usd: formatDecimals(sumDollars(spentAmounts)), diem: formatDecimals(spentAmounts.diem) };
}

const isLimited = ({ limit }: ApiKey): boolean => Object.keys(limit).length > 0;

const sumDollars = ({ usd, bundled }: Amounts): Micro => usd + bundled;

const toUnitsOrNull = (amount: Micro | undefined): number | null =>
  amount === undefined ? null : amount / 1e6;

/** Formats an amount in dollars or diem, with four decimals. */
const formatDecimals = (amount: Micro): string => (amount / 1e6).toFixed(4);

const formatInstant = (time: number | undefined): string | null =>
  time === undefined ? null : new Date(time).toISOString();
