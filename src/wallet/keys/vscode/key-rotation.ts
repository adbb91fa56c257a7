import type * as vscode from 'vscode';
import {
  getSlotId,
  type ActiveKeySlot,
  decodeStoredKey,
  encodeStoredKey,
  type StoredKey,
} from '../../../account/key-state.ts';
import type { Profile } from '../../../account/profile.ts';
import type { Host } from '../../../host.ts';
import type { KeyManagement } from './management.ts';
import { omitUndefined, isRecord, type JsonRecord, readStringOr } from '../../../base/json.ts';

/** State of a key rotation, which replaces an API key with a new one. Contains no secrets. */
export interface KeyRotation {
  /** Record of the new key. */
  readonly newKey: StoredKey;
  /** The key to replace. It stays valid until the rotation revokes it. */
  readonly oldKey: { readonly id?: string; readonly last6: string };
  /** True if requests already use the new key. */
  readonly usesNewKey: boolean;
}

/** Encodes a rotation as plain JSON. */
export const encodeRotation = ({ newKey, oldKey, usesNewKey }: KeyRotation): JsonRecord => ({
  old: oldKey,
  isSwitched: usesNewKey,
  next: encodeStoredKey(newKey),
});

/** Decodes the output of {@link encodeRotation}. Returns `undefined` for any other value. */
export function decodeRotation(value: unknown): KeyRotation | undefined {
  if (!isRecord(value) || !isRecord(value['old'])) return undefined;
  const newKey = decodeStoredKey(value['next']);
  const { last6, id } = value['old'];
  if (newKey === undefined || typeof last6 !== 'string') return undefined;
  const oldKey = omitUndefined({ id: readStringOr(id, undefined), last6 });
  return { newKey, oldKey, usesNewKey: value['isSwitched'] === true };
}

/** Profile and slot of the key that a rotation replaces. */
export interface RotationTarget {
  readonly profileId: string;
  readonly slot: ActiveKeySlot;
}

const getStateKey = ({ profileId, slot }: RotationTarget): string =>
  `keyRotation.${getSlotId(profileId, slot)}`;

/**
 * Returns the unfinished rotation of the target key; `undefined` if no rotation is unfinished. Another window may have
 * started the rotation.
 */
export const readRotation = (
  state: vscode.Memento,
  target: RotationTarget,
): KeyRotation | undefined => decodeRotation(state.get(getStateKey(target)));

/** Stores the rotation. `undefined` removes the stored rotation. */
export async function saveRotation(
  state: vscode.Memento,
  target: RotationTarget,
  rotation: KeyRotation | undefined,
): Promise<void> {
  await state.update(getStateKey(target), rotation && encodeRotation(rotation));
}

/** A key rotation in progress. */
export interface RotationRun {
  readonly host: Host;
  readonly profile: Profile;
  /** Key management of the profile for which the rotation began. */
  readonly management: KeyManagement;
  readonly slot: ActiveKeySlot;
}
