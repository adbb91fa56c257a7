import { isAddress, isAddressEqual, isHash } from 'viem';
import type { Clock } from '../../base/clock.ts';
import { omitUndefined, isRecord, parseJson } from '../../base/json.ts';
import { isFromNewerVersion } from '../../base/newer-version.ts';
import type { ChainClient } from '../chain-client.ts';
import type { Address, Chain, Hash, Hex } from '../chain.ts';
import type { Review, Signer } from '../signer.ts';
import type { WatchEvent, WatchTiming } from './watch-transaction.ts';

/** What a flow is for. */
export type StakingPurpose = 'stake' | 'revoke' | 'unstake' | 'withdraw';

/** One transaction of a flow. `reset` is an approval of 0 that some tokens want before another one. */
export type StakingStep = 'reset' | 'approve' | 'stake' | 'revoke' | 'unstake' | 'withdraw';

/** How a contract's `stake` is called: `stake(uint256)` or `stake(address,uint256)`. */
export type StakeForm = 'amount' | 'recipient-and-amount';

/**
 * What is known about an unfinished flow of one account, so that it can go on after a reload or a crash. Holds only
 * what anyone can see on the chain; never a key.
 */
export interface StakingRecord {
  readonly purpose: StakingPurpose;
  readonly chainId: number;
  readonly from: Address;
  readonly token: Address;
  readonly staking: Address;
  /** In the token's smallest unit; 0 where the purpose has none. */
  readonly amount: bigint;
  readonly allowanceBefore: bigint;
  /** What the flow changes, before its first transaction: the proof that it worked is measured against it. */
  readonly measureBefore: bigint;
  /** Absent until it is found. */
  readonly form?: StakeForm;
  /** Of all its transactions, as the person saw it, in the currency's smallest unit; absent when it was not known. */
  readonly fee?: bigint;
  /** Milliseconds since the Unix epoch. */
  readonly time: number;
  /** A transaction that the wallet is asked for, or that is not known to have ended. */
  readonly sending?: PendingTransaction;
}

/** Written before the wallet is asked; its hash is added as soon as it is known. */
export interface PendingTransaction {
  readonly step: StakingStep;
  readonly to: Address;
  readonly data: Hex;
  /** That the transaction will have, unless the wallet takes another one. */
  readonly nonce: number;
  /** The newest block before the wallet was asked. */
  readonly block: bigint;
  readonly hash?: Hash;
}

/** Where the record of one account on one chain is kept. There is at most one. */
export interface StakingJournal {
  /** @throws what the disk says */
  read(): Promise<StakingRecord | undefined>;
  /**
   * Resolves when it is safe from a crash.
   * @throws what the disk says; then nothing may be sent
   */
  write(record: StakingRecord): Promise<void>;
  /** The flow is over. */
  clear(): Promise<void>;
}

export const encodeStakingRecord = (record: StakingRecord): string =>
  JSON.stringify(record, (_key, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );

/** `undefined` for anything but a whole record of this version: a part of one must not decide what is sent. */
export function decodeStakingRecord(text: string): StakingRecord | undefined {
  const fields = text.length > longestText ? undefined : parseJson(text);
  if (!isRecord(fields) || isFromNewerVersion(text)) return undefined;
  const sending = fields['sending'] === undefined ? {} : decodeSending(fields['sending']);
  const form = fields['form'];
  const fee = quantity(fields['fee']);
  const record = {
    purpose: oneOf(purposes, fields['purpose']),
    chainId: count(fields['chainId']),
    from: address(fields['from']),
    token: address(fields['token']),
    staking: address(fields['staking']),
    amount: quantity(fields['amount']),
    allowanceBefore: quantity(fields['allowanceBefore']),
    measureBefore: quantity(fields['measureBefore']),
    time: count(fields['time']),
  };
  if (!isComplete(record) || sending === undefined) return undefined;
  if (form !== undefined && oneOf(forms, form) === undefined) return undefined;
  if (fields['fee'] !== undefined && fee === undefined) return undefined;
  return { ...record, ...omitUndefined({ form: form as StakeForm | undefined, fee }), ...sending };
}

const longestText = 100_000;
const purposes: readonly StakingPurpose[] = ['stake', 'revoke', 'unstake', 'withdraw'];
const steps: readonly StakingStep[] = ['reset', 'approve', ...purposes];
const forms: readonly StakeForm[] = ['amount', 'recipient-and-amount'];

function decodeSending(value: unknown): { sending: PendingTransaction } | undefined {
  if (!isRecord(value)) return undefined;
  const sending = {
    step: oneOf(steps, value['step']),
    to: address(value['to']),
    data: callData(value['data']),
    nonce: count(value['nonce']),
    block: quantity(value['block']),
  };
  if (!isComplete(sending)) return undefined;
  const { hash } = value;
  if (hash === undefined) return { sending };
  return typeof hash === 'string' && isHash(hash) ? { sending: { ...sending, hash } } : undefined;
}

type Complete<T> = { [K in keyof T]: Exclude<T[K], undefined> };

const isComplete = <T extends object>(fields: T): fields is T & Complete<T> =>
  Object.values(fields).every((value) => value !== undefined);

const oneOf = <T extends string>(names: readonly T[], value: unknown): T | undefined =>
  names.find((name) => name === value);

const count = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;

const address = (value: unknown): Address | undefined =>
  typeof value === 'string' && isAddress(value) ? value : undefined;

const callData = (value: unknown): Hex | undefined =>
  typeof value === 'string' && /^0x(?:[0-9a-f]{2}){4,1024}$/iu.test(value)
    ? (value as Hex)
    : undefined;

/** Digits, as {@link encodeStakingRecord} writes them, of at most 256 bits. */
function quantity(value: unknown): bigint | undefined {
  if (typeof value !== 'string' || !/^\d{1,78}$/u.test(value)) return undefined;
  const number = BigInt(value);
  return number < 2n ** 256n ? number : undefined;
}

/** The record is about this chain and these contracts: the settings may have changed since. */
export const isForChain = (record: StakingRecord, { id, token, staking }: Chain): boolean =>
  record.chainId === id &&
  isAddressEqual(record.token, token) &&
  isAddressEqual(record.staking, staking);

/** What a flow is built from. */
export interface StakingContext {
  readonly client: ChainClient;
  readonly chain: Chain;
  readonly signer: Signer;
  readonly journal: StakingJournal;
  readonly clock: Clock;
  readonly timing: WatchTiming;
  /** Ends the waiting; what the wallet was asked for may still come. */
  readonly signal: AbortSignal;
  /** What the wallet's page shows beside the question. */
  review(step: StakingStep, record: StakingRecord): Review;
  onProgress(step: StakingStep, news: StakingProgress): void;
  /**
   * Nobody knows whether a transaction was sent, or where it is. Asks the person who can look into the wallet.
   * @returns true when it is to be sent once more
   */
  confirmResend(sending: PendingTransaction): Promise<boolean>;
}

export type StakingProgress =
  /** The wallet is asked now. */
  | { readonly type: 'wallet' }
  | WatchEvent
  /** It is in the chain, and what it changed is looked at. */
  | { readonly type: 'proof' }
  | { readonly type: 'done' };
