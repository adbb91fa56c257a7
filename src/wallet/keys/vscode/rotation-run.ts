import type { UsedPlace } from '../../../account/key-state.ts';
import type { Profile } from '../../../account/profile.ts';
import type { Host } from '../../../host.ts';
import type { Management } from './management.ts';

/** One replacement under way. */
export interface RotationRun {
  readonly host: Host;
  readonly profile: Profile;
  /** Of the profile as it was when this began. */
  readonly management: Management;
  readonly place: UsedPlace;
}
