/**
 * What a key of a profile is kept for: every call, the calls made in one workspace, or the management of keys alone.
 */
export type KeyPlace = 'profile' | 'management' | { readonly workspace: string };

/** Names the place among all profiles. Ids of profiles have no dots, those of workspaces are hexadecimal digits. */
export function slotOf(profileId: string, place: KeyPlace = 'profile'): string {
  if (place === 'profile') return profileId;
  return `${profileId}.${place === 'management' ? place : place.workspace}`;
}
