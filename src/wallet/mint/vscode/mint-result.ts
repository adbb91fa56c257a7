import type {
  ConsumptionLimit,
  KeyRecord,
  KeyType,
  LimitPeriod,
  ModelPrivacy,
} from '../../../service/key-record.ts';

/** What a program asks for. What is left out is as recommended: an inference key for 90 days with a limit. */
export interface MintOptions {
  readonly type?: KeyType;
  /** At most 64 characters. */
  readonly description?: string;
  /** `YYYY-MM-DD`, or an ISO instant in UTC; null for a key that does not expire. */
  readonly expiresAt?: string | null;
  /** In units of each currency; null for a key without a limit. */
  readonly consumptionLimit?: ConsumptionLimit | null;
  readonly limitPeriod?: LimitPeriod;
  readonly modelPrivacy?: ModelPrivacy;
  /** Absolute path of a keystore file outside the workspace; what the environment names, when absent. */
  readonly keystore?: string;
  /** False to get the key instead of keeping it in the editor. */
  readonly store?: boolean;
}

/** What a program is told. The key itself only where it is kept nowhere else. */
export type MintResult =
  | { readonly stored: true; readonly record: KeyRecord }
  | { readonly stored: false; readonly record: KeyRecord; readonly apiKey: string }
  /** No key. `problem` is a code, `message` a sentence; neither holds a secret. */
  | { readonly stored: false; readonly problem: string; readonly message: string };
