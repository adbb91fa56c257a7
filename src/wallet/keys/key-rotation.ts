import { defined, isRecord, type JsonRecord, stringOr } from '../../base/json.ts';
import { decodeKeptKey, encodeKeptKey, type KeptKey } from '../../account/key-state.ts';

/** How far a key is replaced by a new one. Nothing of it is secret. */
export interface KeyRotation {
  /** What takes the place of the old key. */
  readonly next: KeptKey;
  /** The one that is replaced, and still valid. */
  readonly old: { readonly id?: string; readonly last6: string };
  /** Whether the new key is in use already. */
  readonly isSwitched: boolean;
}

/** As plain JSON. */
export const encodeRotation = ({ next, ...rest }: KeyRotation): JsonRecord => ({
  ...rest,
  next: encodeKeptKey(next),
});

/** Reads what {@link encodeRotation} made; `undefined` for anything else. */
export function decodeRotation(value: unknown): KeyRotation | undefined {
  if (!isRecord(value) || !isRecord(value['old'])) return undefined;
  const next = decodeKeptKey(value['next']);
  const { last6, id } = value['old'];
  if (next === undefined || typeof last6 !== 'string') return undefined;
  const old = defined({ id: stringOr(id, undefined), last6 });
  return { next, old, isSwitched: value['isSwitched'] === true };
}
