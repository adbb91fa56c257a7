import type * as vscode from 'vscode';
import { slotId, type ActiveKeySlot } from '../../../account/key-state.ts';
import type { Profile } from '../../../account/profile.ts';
import type { Host } from '../../../host.ts';
import { decodeRotation, encodeRotation, type KeyRotation } from '../key-rotation.ts';
import type { KeyManagement } from './management.ts';

/** Which key is replaced. */
export interface RotationTarget {
  readonly profileId: string;
  readonly place: ActiveKeySlot;
}

const nameOf = ({ profileId, place }: RotationTarget): string =>
  `keyRotation.${slotId(profileId, place)}`;

/** What was begun, in this window or another, and not ended. */
export const readRotation = (
  state: vscode.Memento,
  place: RotationTarget,
): KeyRotation | undefined => decodeRotation(state.get(nameOf(place)));

/** `undefined` when it has ended. */
export async function saveRotation(
  state: vscode.Memento,
  place: RotationTarget,
  rotation: KeyRotation | undefined,
): Promise<void> {
  await state.update(nameOf(place), rotation && encodeRotation(rotation));
}

/** One replacement under way. */
export interface RotationRun {
  readonly host: Host;
  readonly profile: Profile;
  /** Of the profile as it was when this began. */
  readonly management: KeyManagement;
  readonly place: ActiveKeySlot;
}
