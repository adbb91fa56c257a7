import { omitUndefined, isRecord, type JsonRecord, stringOr } from '../../base/json.ts';
import { decodeStoredKey, encodeStoredKey, type StoredKey } from '../../account/key-state.ts';

/** How far a key is replaced by a new one. Nothing of it is secret. */
export interface KeyRotation {
  /** What takes the place of the old key. */
  readonly next: StoredKey;
  /** The one that is replaced, and still valid. */
  readonly old: { readonly id?: string; readonly last6: string };
  /** Whether the new key is in use already. */
  readonly isSwitched: boolean;
}

/** As plain JSON. */
export const encodeRotation = ({ next, ...rest }: KeyRotation): JsonRecord => ({
  ...rest,
  next: encodeStoredKey(next),
});

/** Reads what {@link encodeRotation} made; `undefined` for anything else. */
export function decodeRotation(value: unknown): KeyRotation | undefined {
  if (!isRecord(value) || !isRecord(value['old'])) return undefined;
  const next = decodeStoredKey(value['next']);
  const { last6, id } = value['old'];
  if (next === undefined || typeof last6 !== 'string') return undefined;
  const old = omitUndefined({ id: stringOr(id, undefined), last6 });
  return { next, old, isSwitched: value['isSwitched'] === true };
}
