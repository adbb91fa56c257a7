import { omitUndefined, isRecord, type JsonRecord, stringOr } from '../../base/json.ts';
import { decodeStoredKey, encodeStoredKey, type StoredKey } from '../../account/key-state.ts';

/** State of a key rotation, which replaces an API key with a new one. Contains no secrets. */
export interface KeyRotation {
  /** Record of the new key. */
  readonly next: StoredKey;
  /** The key to replace. It stays valid until the rotation revokes it. */
  readonly old: { readonly id?: string; readonly last6: string };
  /** True if requests already use the new key. */
  readonly isSwitched: boolean;
}

/** Encodes a rotation as plain JSON. */
export const encodeRotation = ({ next, ...rest }: KeyRotation): JsonRecord => ({
  ...rest,
  next: encodeStoredKey(next),
});

/** Decodes the output of {@link encodeRotation}. Returns `undefined` for any other value. */
export function decodeRotation(value: unknown): KeyRotation | undefined {
  if (!isRecord(value) || !isRecord(value['old'])) return undefined;
  const next = decodeStoredKey(value['next']);
  const { last6, id } = value['old'];
  if (next === undefined || typeof last6 !== 'string') return undefined;
  const old = omitUndefined({ id: stringOr(id, undefined), last6 });
  return { next, old, isSwitched: value['isSwitched'] === true };
}
