/** Where a key lies that calls are made with: those of a profile, or those made in one workspace. */
export type UsedPlace = 'profile' | { readonly workspace: string };

/**
 * What a key of a profile is kept for: calls, the management of keys alone, or to take the place of another once it is
 * proved to work.
 */
export type KeyPlace = UsedPlace | 'management' | { readonly next: UsedPlace };

/** Whether a slot is a place of the profile, whichever. */
export const isSlotOf = (profileId: string, slot: string): boolean =>
  slot === profileId || slot.startsWith(`${profileId}.`);

/** Names the place among all profiles. Ids of profiles have no dots, those of workspaces are hexadecimal digits. */
export function slotOf(profileId: string, place: KeyPlace = 'profile'): string {
  if (place === 'profile') return profileId;
  if (place === 'management') return `${profileId}.management`;
  if ('next' in place) return `${slotOf(profileId, place.next)}.next`;
  return `${profileId}.${place.workspace}`;
}
