import { isAddress, isHex } from 'viem';
import { isRecord, type JsonRecord } from '../../base/json.ts';
import type { Address, Hex } from '../chain.ts';

/** A payment that was signed, as it is kept until its end is known. Holds no signature: nobody can pay with it. */
export interface TopUpRecord {
  /** Of the service that got it. */
  readonly origin: string;
  readonly chainId: number;
  /** The token. */
  readonly asset: Address;
  readonly symbol: string;
  readonly decimals: number;
  readonly from: Address;
  readonly to: Address;
  /** In the smallest unit. */
  readonly value: bigint;
  readonly nonce: Hex;
  /** Seconds since the Unix epoch: afterwards it cannot be carried out any more. */
  readonly validBefore: bigint;
  /** The newest block when it was signed: its transaction is in a later one. */
  readonly block: bigint;
}

/** Where payments are kept whose end is not known, so that a reload can find out. */
export interface TopUpJournal {
  /** The oldest first. */
  list(): readonly TopUpRecord[];
  /** Before the payment leaves the machine. */
  add(record: TopUpRecord): Promise<void>;
  remove(record: TopUpRecord): Promise<void>;
}

/** As plain JSON. */
export const encodeTopUp = (record: TopUpRecord): Readonly<Record<string, string | number>> => ({
  ...record,
  value: String(record.value),
  validBefore: String(record.validBefore),
  block: String(record.block),
});

/** `undefined` for what {@link encodeTopUp} did not make, such as the record of a newer version. */
export function decodeTopUp(json: unknown): TopUpRecord | undefined {
  if (!isRecord(json) || (json['version'] ?? 1) !== 1) return undefined;
  const { origin, chainId, asset, symbol, decimals, from, to, nonce } = json;
  const [value, validBefore, block] = ['value', 'validBefore', 'block'].map(bigintOf(json));
  if (typeof origin !== 'string' || typeof symbol !== 'string') return undefined;
  if (typeof chainId !== 'number' || typeof decimals !== 'number') return undefined;
  if (!isAccount(asset) || !isAccount(from) || !isAccount(to)) return undefined;
  if (!isHex(nonce) || nonce.length !== 66) return undefined;
  if (value === undefined || validBefore === undefined || block === undefined) return undefined;
  return { origin, chainId, asset, symbol, decimals, from, to, nonce, value, validBefore, block };
}

const isAccount = (value: unknown): value is Address =>
  typeof value === 'string' && isAddress(value);

const bigintOf =
  (json: JsonRecord) =>
  (name: string): bigint | undefined => {
    const text = json[name];
    return typeof text === 'string' && /^\d{1,78}$/.test(text) ? BigInt(text) : undefined;
  };
