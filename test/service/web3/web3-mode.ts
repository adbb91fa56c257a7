import * as v from 'valibot';
import { rejectionReasons } from './rejections.ts';

/** What `GET` hands out in place of a good token. */
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

/** What `POST` answers in place of a key that it minted. */
export const keyFaults = ['missing', 'malformed', 'too-long', 'newline', 'not-a-string'] as const;
export type KeyFault = (typeof keyFaults)[number];

export const web3Body = v.strictObject({
  /** Once: what `GET` hands out; any text, or one of the tricks. */
  token: v.optional(v.union([v.picklist(tokenFaults), v.strictObject({ text: v.string() })])),
  /** Once: what becomes of the key in the reply. It is minted all the same. */
  key: v.optional(v.picklist(keyFaults)),
  /** Once: `POST` is refused like this, whatever it holds, and nothing is minted. */
  refusal: v.optional(v.picklist(rejectionReasons)),
  /** So many calls of the chain fail, from the next one on. */
  rpcFailures: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
  /** Once: the connection is reset after the key was minted, before a byte of the reply. */
  loseReply: v.optional(v.boolean()),
  /** Until changed: where the token and the key stand; `both` at first. */
  shape: v.optional(v.picklist(['both', 'bare', 'enveloped'])),
  /** Until changed: whether a token mints one key only; not at first. */
  oneKeyPerToken: v.optional(v.boolean()),
  /** Until changed: when the account of a new wallet gets its first diem; at 00:00 UTC at first. */
  firstAllocation: v.optional(v.picklist(['next-epoch', 'at-once'])),
  /** Until changed: what all stakers together get a day, in diem; 1,000 at first. */
  dailyDiem: v.optional(v.pipe(v.number(), v.minValue(0))),
});

/** What a test may say to `POST /web3`. */
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

/** How the key endpoints for wallets behave, and misbehave. */
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

  /** What was planned for once; it is used up by being asked for. */
  take<Name extends 'token' | 'key' | 'refusal' | 'loseReply'>(name: Name): OneTimeSettings[Name] {
    const { [name]: planned, ...rest } = this.#oneTime;
    this.#oneTime = rest;
    return planned;
  }

  /** Whether this call of the chain is to fail. */
  takeRpcFailure(): boolean {
    const { rpcFailures = 0 } = this.#oneTime;
    if (rpcFailures === 0) return false;
    this.#oneTime = { ...this.#oneTime, rpcFailures: rpcFailures - 1 };
    return true;
  }
}
