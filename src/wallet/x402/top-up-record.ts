import { isAddress, isHex } from 'viem';
import { isRecord, type JsonRecord } from '../../base/json.ts';
import type { Address, Hex } from '../chain.ts';

/**
 * A signed payment, stored until its outcome is known. Contains no signature, so the record cannot
 * be used to pay.
 */
export interface TopUpRecord {
  /** Origin of the service that received the payment. */
  readonly origin: string;
  readonly chainId: number;
  /** Address of the token contract. */
  readonly asset: Address;
  readonly symbol: string;
  readonly decimals: number;
  readonly from: Address;
  readonly to: Address;
  /** Amount in the smallest unit. */
  readonly value: bigint;
  readonly nonce: Hex;
  /** Expiry in seconds since the Unix epoch. The payment cannot be carried out afterwards. */
  readonly validBefore: bigint;
  /** Latest block when the payment was signed. The payment's transaction is in a later block. */
  readonly block: bigint;
}

/** Storage for payments with an unknown outcome, so that the outcome can be read after a reload. */
export interface TopUpJournal {
  /** Returns the records, oldest first. */
  list(): readonly TopUpRecord[];
  /** Stores a record. Called before the payment is sent. */
  add(record: TopUpRecord): Promise<void>;
  remove(record: TopUpRecord): Promise<void>;
}

/** Encodes a record as plain JSON. */
export const encodeTopUp = (record: TopUpRecord): Readonly<Record<string, string | number>> => ({
  ...record,
  value: String(record.value),
  validBefore: String(record.validBefore),
  block: String(record.block),
});

/**
 * Decodes the output of {@link encodeTopUp}. Returns `undefined` for any other value, such as a
 * record of a newer version.
 */
export function decodeTopUp(json: unknown): TopUpRecord | undefined {
  if (!isRecord(json) || (json['version'] ?? 1) !== 1) return undefined;
  const { origin, chainId, asset, symbol, decimals, from, to, nonce } = json;
  const [value, validBefore, block] = ['value', 'validBefore', 'block'].map(readBigint(json));
  if (typeof origin !== 'string' || typeof symbol !== 'string') return undefined;
  if (typeof chainId !== 'number' || typeof decimals !== 'number') return undefined;
  if (!isAddressText(asset) || !isAddressText(from) || !isAddressText(to)) return undefined;
  if (!isHex(nonce) || nonce.length !== 66) return undefined;
  if (value === undefined || validBefore === undefined || block === undefined) return undefined;
  return { origin, chainId, asset, symbol, decimals, from, to, nonce, value, validBefore, block };
}

const isAddressText = (value: unknown): value is Address =>
  typeof value === 'string' && isAddress(value);

const readBigint =
  (json: JsonRecord) =>
  (name: string): bigint | undefined => {
    const text = json[name];
    return typeof text === 'string' && /^\d{1,78}$/.test(text) ? BigInt(text) : undefined;
  };
