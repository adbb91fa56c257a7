import type * as vscode from 'vscode';
import { slotOf, type UsedPlace } from '../../../account/key-state.ts';
import type { Profile } from '../../../account/profile.ts';
import type { Host } from '../../../host.ts';
import { decodeRotation, encodeRotation, type KeyRotation } from '../key-rotation.ts';
import type { Management } from './management.ts';

/** Which key is replaced. */
export interface RotationPlace {
  readonly profileId: string;
  readonly place: UsedPlace;
}

const nameOf = ({ profileId, place }: RotationPlace): string =>
  `keyRotation.${slotOf(profileId, place)}`;

/** What was begun, in this window or another, and not ended. */
export const rotationOf = (state: vscode.Memento, place: RotationPlace): KeyRotation | undefined =>
  decodeRotation(state.get(nameOf(place)));

/** `undefined` when it has ended. */
export async function saveRotation(
  state: vscode.Memento,
  place: RotationPlace,
  rotation: KeyRotation | undefined,
): Promise<void> {
  await state.update(nameOf(place), rotation && encodeRotation(rotation));
}

/** One replacement under way. */
export interface RotationRun {
  readonly host: Host;
  readonly profile: Profile;
  /** Of the profile as it was when this began. */
  readonly management: Management;
  readonly place: UsedPlace;
}
