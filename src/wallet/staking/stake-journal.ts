import { isAddress, isAddressEqual, isHash } from 'viem';
import type { Clock } from '../../base/clock.ts';
import { omitUndefined, isRecord, parseJson } from '../../base/json.ts';
import { isFromNewerVersion } from '../../base/newer-version.ts';
import type { ChainClient } from '../chain-client.ts';
import type { Address, Hash, Hex, StakingChain } from '../chain.ts';
import type { Review, Signer } from '../signer.ts';
import type { WatchEvent, WatchTiming } from './watch-transaction.ts';

/** Purpose of a staking flow. `revoke` sets the allowance to 0; `unstake` starts the cooldown before `withdraw`. */
export type StakingPurpose = 'stake' | 'revoke' | 'unstake' | 'withdraw';

/**
 * One transaction of a staking flow. `reset` approves 0 first, which some tokens require before
 * another approval.
 */
export type StakingStep = 'reset' | 'approve' | 'stake' | 'revoke' | 'unstake' | 'withdraw';

/** Signature of a contract's `stake`: `stake(uint256)` or `stake(address,uint256)`. */
export type StakeSignature = 'amount' | 'recipient-and-amount';

/**
 * State of an unfinished flow of one account, so that the flow can resume after a reload or a
 * crash. Contains only public chain data.
 */
export interface StakingRecord {
  readonly purpose: StakingPurpose;
  readonly chainId: number;
  readonly from: Address;
  readonly token: Address;
  readonly staking: Address;
  /** Amount in the token's smallest unit; 0 for a purpose without an amount. */
  readonly amount: bigint;
  readonly allowanceBefore: bigint;
  /**
   * Value that the current step changes (an allowance or a balance), as read before its transaction. The effect of the
   * step is verified against this value.
   */
  readonly measureBefore: bigint;
  /** Signature of `stake`; absent until a simulation has found it. */
  readonly form?: StakeSignature;
  /** Estimated total fee that the user saw, in the currency's smallest unit; absent when unknown. */
  readonly fee?: bigint;
  /** Start of the flow in milliseconds since the Unix epoch. */
  readonly time: number;
  /** Transaction whose outcome is unknown: the wallet may be showing it or may have sent it. */
  readonly sending?: PendingTransaction;
}

/** Transaction of a step. Stored before the wallet request, and again when the hash is known. */
export interface PendingTransaction {
  readonly step: StakingStep;
  readonly to: Address;
  readonly data: Hex;
  /** Expected nonce. The wallet may use another nonce. */
  readonly nonce: number;
  /** Number of the latest block before the wallet request. */
  readonly block: bigint;
  readonly hash?: Hash;
}

/** Storage for the unfinished flow of one account on one chain. */
export interface StakingJournal {
  /**
   * Returns the stored record.
   * @throws if the record cannot be read
   */
  read(): Promise<StakingRecord | undefined>;
  /**
   * Stores the record. Resolves when the record would survive a crash.
   * @throws if the record cannot be written; then no transaction may be sent
   */
  write(record: StakingRecord): Promise<void>;
  /** Removes the record after the flow is completed. */
  clear(): Promise<void>;
}

export const encodeStakingRecord = (record: StakingRecord): string =>
  JSON.stringify(record, (_key, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );

/**
 * Decodes a complete record of this version. Returns `undefined` for any other text, because the flow must not act on
 * an incomplete record.
 */
export function decodeStakingRecord(text: string): StakingRecord | undefined {
  const fields = text.length > maxTextLength ? undefined : parseJson(text);
  if (!isRecord(fields) || isFromNewerVersion(text)) return undefined;
  const sending =
    fields['sending'] === undefined ? {} : decodePendingTransaction(fields['sending']);
  const form = fields['form'];
  const fee = parseQuantity(fields['fee']);
  const record = {
    purpose: parseOneOf(purposes, fields['purpose']),
    chainId: parseCount(fields['chainId']),
    from: decodeAddress(fields['from']),
    token: decodeAddress(fields['token']),
    staking: decodeAddress(fields['staking']),
    amount: parseQuantity(fields['amount']),
    allowanceBefore: parseQuantity(fields['allowanceBefore']),
    measureBefore: parseQuantity(fields['measureBefore']),
    time: parseCount(fields['time']),
  };
  if (!hasAllFields(record) || sending === undefined) return undefined;
  if (form !== undefined && parseOneOf(stakeSignatures, form) === undefined) return undefined;
  if (fields['fee'] !== undefined && fee === undefined) return undefined;
  return {
    ...record,
    ...omitUndefined({ form: form as StakeSignature | undefined, fee }),
    ...sending,
  };
}

const maxTextLength = 100_000;
const purposes: readonly StakingPurpose[] = ['stake', 'revoke', 'unstake', 'withdraw'];
const steps: readonly StakingStep[] = ['reset', 'approve', ...purposes];
const stakeSignatures: readonly StakeSignature[] = ['amount', 'recipient-and-amount'];

function decodePendingTransaction(value: unknown): { sending: PendingTransaction } | undefined {
  if (!isRecord(value)) return undefined;
  const sending = {
    step: parseOneOf(steps, value['step']),
    to: decodeAddress(value['to']),
    data: decodeCallData(value['data']),
    nonce: parseCount(value['nonce']),
    block: parseQuantity(value['block']),
  };
  if (!hasAllFields(sending)) return undefined;
  const { hash } = value;
  if (hash === undefined) return { sending };
  return typeof hash === 'string' && isHash(hash) ? { sending: { ...sending, hash } } : undefined;
}

type DefinedFields<T> = { [K in keyof T]: Exclude<T[K], undefined> };

const hasAllFields = <T extends object>(fields: T): fields is T & DefinedFields<T> =>
  Object.values(fields).every((value) => value !== undefined);

const parseOneOf = <T extends string>(names: readonly T[], value: unknown): T | undefined =>
  names.find((name) => name === value);

const parseCount = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;

const decodeAddress = (value: unknown): Address | undefined =>
  typeof value === 'string' && isAddress(value) ? value : undefined;

const decodeCallData = (value: unknown): Hex | undefined =>
  typeof value === 'string' && /^0x(?:[0-9a-f]{2}){4,1024}$/iu.test(value)
    ? (value as Hex)
    : undefined;

/** Decodes a number of at most 256 bits from decimal digits. */
function parseQuantity(value: unknown): bigint | undefined {
  if (typeof value !== 'string' || !/^\d{1,78}$/u.test(value)) return undefined;
  const number = BigInt(value);
  return number < 2n ** 256n ? number : undefined;
}

/**
 * Checks whether the record belongs to this chain and its contracts. The chain settings may have
 * changed since the record was stored.
 */
export const isForChain = (record: StakingRecord, { id, token, staking }: StakingChain): boolean =>
  record.chainId === id &&
  isAddressEqual(record.token, token) &&
  isAddressEqual(record.staking, staking);

/** Dependencies of a staking flow. */
export interface StakingContext {
  readonly client: ChainClient;
  readonly chain: StakingChain;
  readonly signer: Signer;
  readonly journal: StakingJournal;
  readonly clock: Clock;
  readonly timing: WatchTiming;
  /** Stops the flow when aborted. A transaction that was already requested may still be mined. */
  readonly signal: AbortSignal;
  /** Builds the review of a step. The review is shown with the wallet request. */
  createReview(step: StakingStep, record: StakingRecord): Review;
  onProgress(step: StakingStep, progress: StakingProgress): void;
  /**
   * Prompts the user to decide whether to resend a transaction with an unknown outcome. Only the user can see in the
   * wallet whether the transaction was sent.
   * @returns true to resend
   */
  confirmResend(sending: PendingTransaction): Promise<boolean>;
}

export type StakingProgress =
  /** The wallet shows the transaction request. */
  | { readonly type: 'wallet' }
  | WatchEvent
  /** The transaction is mined, and its effect is being verified. */
  | { readonly type: 'proof' }
  | { readonly type: 'done' };
