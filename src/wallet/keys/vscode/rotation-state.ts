import type * as vscode from 'vscode';
import { slotId, type ActiveKeySlot } from '../../../account/key-state.ts';
import type { Profile } from '../../../account/profile.ts';
import type { Host } from '../../../host.ts';
import { decodeRotation, encodeRotation, type KeyRotation } from '../key-rotation.ts';
import type { KeyManagement } from './management.ts';

/** Identifies the key that a rotation replaces. */
export interface RotationTarget {
  readonly profileId: string;
  readonly slot: ActiveKeySlot;
}

const stateKey = ({ profileId, slot }: RotationTarget): string =>
  `keyRotation.${slotId(profileId, slot)}`;

/** Returns the unfinished rotation, which another window may have started. */
export const readRotation = (
  state: vscode.Memento,
  target: RotationTarget,
): KeyRotation | undefined => decodeRotation(state.get(stateKey(target)));

/** Stores the rotation. `undefined` removes the stored rotation. */
export async function saveRotation(
  state: vscode.Memento,
  target: RotationTarget,
  rotation: KeyRotation | undefined,
): Promise<void> {
  await state.update(stateKey(target), rotation && encodeRotation(rotation));
}

/** A rotation in progress. */
export interface RotationRun {
  readonly host: Host;
  readonly profile: Profile;
  /** Key management of the profile for which the rotation began. */
  readonly management: KeyManagement;
  readonly slot: ActiveKeySlot;
}
