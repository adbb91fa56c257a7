import * as v from 'valibot';
import { rejectionReasons } from './rejections.ts';

/** Bad tokens that `GET` can issue. */
export const tokenFaults = [
  'sign-in-sentence',
  'digest',
  'typed-data',
  'expired',
  'long-life',
  'alg-none',
  'foreign',
  'huge',
  'newline',
  'not-a-string',
  'missing',
] as const;
export type TokenFault = (typeof tokenFaults)[number];

/** Invalid keys that `POST` can return instead of the minted one. */
export const keyFaults = ['missing', 'malformed', 'too-long', 'newline', 'not-a-string'] as const;
export type KeyFault = (typeof keyFaults)[number];

export const web3Body = v.strictObject({
  /** Token that the next `GET` issues: any text, or one of the faults. */
  token: v.optional(v.union([v.picklist(tokenFaults), v.strictObject({ text: v.string() })])),
  /** Invalidates the key in the next reply. The service still mints the key. */
  key: v.optional(v.picklist(keyFaults)),
  /** Rejects the next `POST` with this reason, whatever its body, and mints nothing. */
  refusal: v.optional(v.picklist(rejectionReasons)),
  /** Number of chain calls that fail, starting with the next one. */
  rpcFailures: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
  /** Resets the connection of the next `POST` after the key was minted, before the first byte of the reply. */
  loseReply: v.optional(v.boolean()),
  /** Position of the token and the key in all replies; `both` by default. */
  shape: v.optional(v.picklist(['both', 'bare', 'enveloped'])),
  /** Each token mints only one key; off by default. */
  oneKeyPerToken: v.optional(v.boolean()),
  /** Time of a new account's first diem; next 00:00 UTC by default. */
  firstAllocation: v.optional(v.picklist(['next-epoch', 'at-once'])),
  /** Daily diem of all stakers together; 1,000 by default. */
  dailyDiem: v.optional(v.pipe(v.number(), v.minValue(0))),
});

/** Body of `POST /web3`. */
export type Web3Change = v.InferInput<typeof web3Body>;

interface PersistentSettings {
  readonly shape: 'both' | 'bare' | 'enveloped';
  readonly oneKeyPerToken: boolean;
  readonly firstAllocation: 'next-epoch' | 'at-once';
  readonly dailyDiem: number;
}

type OneTimeSettings = Omit<Web3Change, keyof PersistentSettings>;

const initial: PersistentSettings = {
  shape: 'both',
  oneKeyPerToken: false,
  firstAllocation: 'next-epoch',
  dailyDiem: 1000,
};

/** Behavior and faults of the endpoints that mint keys for wallets. */
export class Web3Mode {
  persistent: PersistentSettings = initial;
  #oneTime: OneTimeSettings = {};

  reset(): void {
    this.persistent = initial;
    this.#oneTime = {};
  }

  change({ shape, oneKeyPerToken, firstAllocation, dailyDiem, ...once }: Web3Change): void {
    this.persistent = {
      shape: shape ?? this.persistent.shape,
      oneKeyPerToken: oneKeyPerToken ?? this.persistent.oneKeyPerToken,
      firstAllocation: firstAllocation ?? this.persistent.firstAllocation,
      dailyDiem: dailyDiem ?? this.persistent.dailyDiem,
    };
    this.#oneTime = { ...this.#oneTime, ...once };
  }

  /** Returns a planned one-time setting and clears it. */
  take<Name extends 'token' | 'key' | 'refusal' | 'loseReply'>(name: Name): OneTimeSettings[Name] {
    const { [name]: planned, ...rest } = this.#oneTime;
    this.#oneTime = rest;
    return planned;
  }

  /** Checks whether this chain call must fail, and counts one planned failure. */
  takeRpcFailure(): boolean {
    const { rpcFailures = 0 } = this.#oneTime;
    if (rpcFailures === 0) return false;
    this.#oneTime = { ...this.#oneTime, rpcFailures: rpcFailures - 1 };
    return true;
  }
}
