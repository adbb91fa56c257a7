/** What a key may call: `INFERENCE` models and pictures, `ADMIN` also keys and bills (spec §5). */
export const keyTypes = ['INFERENCE', 'ADMIN'] as const;
export type KeyType = (typeof keyTypes)[number];

/** When the spending of a key counts from nothing again: each day at 00:00 UTC, on the first of each month, never. */
export const limitPeriods = ['EPOCH', 'MONTH', 'LIFETIME'] as const;
export type LimitPeriod = (typeof limitPeriods)[number];

/** Which models a key may call: all, private ones for text, private ones only. */
export const modelPrivacies = ['ALL', 'PRIVATE_TEXT', 'PRIVATE_ONLY'] as const;
export type ModelPrivacy = (typeof modelPrivacies)[number];

/** The most a key may spend in a {@link LimitPeriod}, each in units of its currency, 0 to 9,999,999,999. */
export interface ConsumptionLimit {
  readonly usd?: number;
  readonly diem?: number;
}

/** What a new key should be. What is absent is the service's choice: no limit, no expiry. */
export interface KeyOptions {
  readonly type: KeyType;
  /** At most 64 characters. */
  readonly description?: string;
  /** `YYYY-MM-DD`, or an ISO instant in UTC; absent for a key that does not expire. */
  readonly expiresAt?: string;
  readonly consumptionLimit?: ConsumptionLimit;
  readonly limitPeriod?: LimitPeriod;
  readonly modelPrivacy?: ModelPrivacy;
}

/** What the service says a new key is, which need not be what was asked for. Holds nothing secret. */
export interface KeyRecord extends KeyOptions {
  readonly id?: string;
}

export interface NewKey {
  readonly apiKey: string;
  readonly record: KeyRecord;
}
