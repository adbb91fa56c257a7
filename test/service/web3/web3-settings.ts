import * as v from 'valibot';
import { rejectionReasons } from './rejections.ts';

/** Kinds of invalid tokens that `GET /api_keys/generate_web3_key` can return. */
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

/** Kinds of invalid keys that `POST /api_keys/generate_web3_key` can return in place of the minted key. */
export const keyFaults = ['missing', 'malformed', 'too-long', 'newline', 'not-a-string'] as const;
export type KeyFault = (typeof keyFaults)[number];

export const web3BodySchema = v.strictObject({
  /** Token in the next reply to a request for a token: any text, or one of the invalid tokens. */
  token: v.optional(v.union([v.picklist(tokenFaults), v.strictObject({ text: v.string() })])),
  /** Replaces the key in the next reply to a mint request with an invalid key. The service still mints a key. */
  key: v.optional(v.picklist(keyFaults)),
  /** Rejects the next mint request for this reason, regardless of its body. The service mints no key. */
  refusal: v.optional(v.picklist(rejectionReasons)),
  /** Number of chain calls that fail, starting with the next one. */
  rpcFailures: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
  /** Resets the connection of the next mint request after the key is minted and before the first byte of the reply. */
  loseReply: v.optional(v.boolean()),
  /** Position of token and key in all replies: `bare` is the top level, `enveloped` is `data`. Default: `both`. */
  shape: v.optional(v.picklist(['both', 'bare', 'enveloped'])),
  /** If true, each token mints only one key. Default: false. */
  oneKeyPerToken: v.optional(v.boolean()),
  /** Time at which a new account gets its first credits (diem). Default: next 00:00 UTC. */
  firstAllocation: v.optional(v.picklist(['next-epoch', 'at-once'])),
  /** Number of credits (diem) that all stakers together get per day. Default: 1,000. */
  dailyDiem: v.optional(v.pipe(v.number(), v.minValue(0))),
});

/** Body of `POST /web3`. */
export type Web3Change = v.InferInput<typeof web3BodySchema>;

interface PersistentSettings {
  readonly shape: 'both' | 'bare' | 'enveloped';
  readonly oneKeyPerToken: boolean;
  readonly firstAllocation: 'next-epoch' | 'at-once';
  readonly dailyDiem: number;
}

type OneTimeSettings = Omit<Web3Change, keyof PersistentSettings>;

const initialSettings: PersistentSettings = {
  shape: 'both',
  oneKeyPerToken: false,
  firstAllocation: 'next-epoch',
  dailyDiem: 1000,
};

/** Settings of the endpoints that mint keys for wallets, and their planned faults. */
export class Web3Settings {
  persistentSettings: PersistentSettings = initialSettings;
  #oneTimeSettings: OneTimeSettings = {};

  /** True after a test has replaced the token or the key in a reply. */
  hasFaults = false;

  reset(): void {
    this.hasFaults = false;
    this.persistentSettings = initialSettings;
    this.#oneTimeSettings = {};
  }

  change({
    shape,
    oneKeyPerToken,
    firstAllocation,
    dailyDiem,
    ...oneTimeChange
  }: Web3Change): void {
    this.persistentSettings = {
      shape: shape ?? this.persistentSettings.shape,
      oneKeyPerToken: oneKeyPerToken ?? this.persistentSettings.oneKeyPerToken,
      firstAllocation: firstAllocation ?? this.persistentSettings.firstAllocation,
      dailyDiem: dailyDiem ?? this.persistentSettings.dailyDiem,
    };
    this.#oneTimeSettings = { ...this.#oneTimeSettings, ...oneTimeChange };
    this.hasFaults ||= oneTimeChange.token !== undefined || oneTimeChange.key !== undefined;
  }

  /** Returns a setting that applies to one request only, and removes it. */
  take<Name extends 'token' | 'key' | 'refusal' | 'loseReply'>(name: Name): OneTimeSettings[Name] {
    const { [name]: setting, ...rest } = this.#oneTimeSettings;
    this.#oneTimeSettings = rest;
    return setting;
  }

  /** Checks whether the next chain call must fail. If so, reduces the number of planned failures by one. */
  takeRpcFailure(): boolean {
    const { rpcFailures = 0 } = this.#oneTimeSettings;
    if (rpcFailures === 0) return false;
    this.#oneTimeSettings = { ...this.#oneTimeSettings, rpcFailures: rpcFailures - 1 };
    return true;
  }
}
