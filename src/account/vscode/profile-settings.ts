import {
  getActiveProfile,
  defaultProfileId,
  type Profile,
  type ProfileSettings,
  readProfiles,
} from '../profile.ts';
import { isRecord, type JsonRecord } from '../../base/json.ts';
import { setSetting, getSetting, getUndeclaredSetting } from '../../platform/settings.ts';

export const readActiveProfile = (): Profile => getActiveProfile(getProfileSettings());

export const readAllProfiles = (): readonly Profile[] => readProfiles(getProfileSettings());

export async function saveProfile({ id, baseUrl }: Pick<Profile, 'id' | 'baseUrl'>): Promise<void> {
  if (id === defaultProfileId) return setSetting('inferenceService.baseUrl', baseUrl);
  const profiles = readNamedProfiles();
  const previousProfile = profiles[id];
  // Keeps other fields of the profile, such as its chain.
  const profile = { ...(isRecord(previousProfile) ? previousProfile : {}), baseUrl };
  await setSetting('inferenceService.profiles', { ...profiles, [id]: profile });
}

export const activateProfile = (id: string): Promise<void> =>
  setSetting('inferenceService.profile', id === defaultProfileId ? undefined : id);

/** Deletes a profile. Activates the default profile if the deleted profile was active. */
export async function deleteProfile(id: string): Promise<void> {
  const { [id]: _, ...remainingProfiles } = readNamedProfiles();
  await setSetting('inferenceService.profiles', remainingProfiles);
  if (getSetting('inferenceService.profile') === id) await activateProfile(defaultProfileId);
}

function readNamedProfiles(): JsonRecord {
  const profiles = getSetting('inferenceService.profiles');
  return isRecord(profiles) ? profiles : {};
}

export const getProfileSettings = (): ProfileSettings => ({
  baseUrl: getSetting('inferenceService.baseUrl'),
  vendorWord: getUndeclaredSetting('inferenceService.vendorWord'),
  profiles: getSetting('inferenceService.profiles'),
  profile: getSetting('inferenceService.profile'),
});
