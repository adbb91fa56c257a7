import { defaultProfileId } from '../../account/profile.ts';
import type { Account } from '../../account/vscode/account.ts';
import { isRecord } from '../../base/json.ts';
import { setting } from '../../platform/settings.ts';

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
    return { name: defaultSetting, value: setting(defaultSetting) };
  }
  const profiles = setting(profilesSetting);
  const profile = isRecord(profiles) ? profiles[profileId] : undefined;
  const value = isRecord(profile) ? profile['chain'] : undefined;
  return { name: `${profilesSetting}.${profileId}.chain`, value };
}

/** Checks whether the profile has a valid or invalid chain setting. Loads no wallet code. */
export function hasChain(account: Pick<Account, 'profileId'>): boolean {
  const { value } = readChainSetting(account);
  return isRecord(value) && Object.keys(value).length > 0;
}
