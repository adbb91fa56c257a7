import type * as vscode from 'vscode';
import { slotId, type ActiveKeySlot } from '../../../account/key-state.ts';
import type { Profile } from '../../../account/profile.ts';
import type { Host } from '../../../host.ts';
import { decodeRotation, encodeRotation, type KeyRotation } from '../key-rotation.ts';
import type { KeyManagement } from './management.ts';

/** Identifies the key being replaced. */
export interface RotationTarget {
  readonly profileId: string;
  readonly place: ActiveKeySlot;
}

const stateKey = ({ profileId, place }: RotationTarget): string =>
  `keyRotation.${slotId(profileId, place)}`;

/** Returns the unfinished rotation of this or another window. */
export const readRotation = (
  state: vscode.Memento,
  place: RotationTarget,
): KeyRotation | undefined => decodeRotation(state.get(stateKey(place)));

/** Stores the rotation; `undefined` removes it after completion. */
export async function saveRotation(
  state: vscode.Memento,
  place: RotationTarget,
  rotation: KeyRotation | undefined,
): Promise<void> {
  await state.update(stateKey(place), rotation && encodeRotation(rotation));
}

/** A rotation in progress. */
export interface RotationRun {
  readonly host: Host;
  readonly profile: Profile;
  /** Key management of the profile, fixed when the rotation began. */
  readonly management: KeyManagement;
  readonly place: ActiveKeySlot;
}
