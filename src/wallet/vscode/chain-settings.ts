import { defaultProfileId } from '../../account/profile.ts';
import type { Account } from '../../account/vscode/account.ts';
import { isRecord, type JsonRecord } from '../../base/json.ts';
import { setSetting, getSetting } from '../../platform/settings.ts';

const defaultSetting = 'inferenceService.wallet.chain';
const profilesSetting = 'inferenceService.profiles';

/** Unvalidated chain setting with the full name of the setting. */
export interface ChainSetting {
  readonly name: string;
  readonly value: unknown;
}

/**
 * Returns the chain setting of the active profile, from user settings only. The default profile
 * uses `inferenceService.wallet.chain`; a named profile uses `chain` in its own settings. Does not parse the setting,
 * because the parser loads `viem`, and the status bar reads the setting directly after the start.
 */
export function readChainSetting({ profileId }: Pick<Account, 'profileId'>): ChainSetting {
  if (profileId === defaultProfileId) {
    return { name: defaultSetting, value: getSetting(defaultSetting) };
  }
  const profiles = getSetting(profilesSetting);
  const profile = isRecord(profiles) ? profiles[profileId] : undefined;
  const value = isRecord(profile) ? profile['chain'] : undefined;
  return { name: `${profilesSetting}.${profileId}.chain`, value };
}

/**
 * Adds fields to the chain setting of a profile, in the user settings only.
 * @throws if a named profile does not exist anymore
 */
export async function saveChainFields(
  account: Pick<Account, 'profileId'>,
  fields: JsonRecord,
): Promise<void> {
  const { value } = readChainSetting(account);
  const chain = { ...(isRecord(value) ? value : {}), ...fields };
  const { profileId } = account;
  if (profileId === defaultProfileId) return setSetting(defaultSetting, chain);
  const profiles = getSetting(profilesSetting);
  const profile = isRecord(profiles) ? profiles[profileId] : undefined;
  if (!isRecord(profiles) || !isRecord(profile)) throw new Error('The profile does not exist.');
  await setSetting(profilesSetting, { ...profiles, [profileId]: { ...profile, chain } });
}

/** Checks whether the profile has a chain setting, which may be invalid. Loads no wallet code. */
export function hasChainSetting(account: Pick<Account, 'profileId'>): boolean {
  const { value } = readChainSetting(account);
  return isRecord(value) && Object.keys(value).length > 0;
}
