import {
  activeProfile,
  defaultProfileId,
  type Profile,
  type ProfileSettings,
  profilesOf,
} from '../profile.ts';
import { isRecord, type JsonRecord } from '../../base/json.ts';
import { setUserSetting, userSetting } from '../../platform/settings.ts';

export const profileFromSettings = (): Profile => activeProfile(profileSettings());

export const allProfiles = (): readonly Profile[] => profilesOf(profileSettings());

export async function saveProfile({ id, baseUrl, vendorWord }: Profile): Promise<void> {
  if (id === defaultProfileId) return setUserSetting('inferenceService.baseUrl', baseUrl);
  const profiles = namedProfiles();
  const before = profiles[id];
  // What else stands there, such as its chain, stays.
  const profile = { ...(isRecord(before) ? before : {}), baseUrl, vendorWord };
  await setUserSetting('inferenceService.profiles', { ...profiles, [id]: profile });
}

export const activateProfile = (id: string): Promise<void> =>
  setUserSetting('inferenceService.profile', id === defaultProfileId ? undefined : id);

/** The default profile takes the place of a removed active one. */
export async function deleteProfile(id: string): Promise<void> {
  const { [id]: _, ...others } = namedProfiles();
  await setUserSetting('inferenceService.profiles', others);
  if (userSetting('inferenceService.profile') === id) await activateProfile(defaultProfileId);
}

function namedProfiles(): JsonRecord {
  const profiles = userSetting('inferenceService.profiles');
  return isRecord(profiles) ? profiles : {};
}

const profileSettings = (): ProfileSettings => ({
  baseUrl: userSetting('inferenceService.baseUrl'),
  vendorWord: userSetting('inferenceService.vendorWord'),
  profiles: userSetting('inferenceService.profiles'),
  profile: userSetting('inferenceService.profile'),
});
