import { defaultProfileId } from '../../account/profile.ts';
import type { Account } from '../../account/vscode/account.ts';
import { isRecord } from '../../base/json.ts';
import { setting } from '../../platform/settings.ts';

const defaultSetting = 'inferenceService.wallet.chain';
const profilesSetting = 'inferenceService.profiles';

/** What the user's settings say of a chain, unchecked, and where they say it. */
export interface ChainSetting {
  readonly name: string;
  readonly value: unknown;
}

/**
 * The chain of the active profile, from the user's settings alone: the default profile has it in
 * `inferenceService.wallet.chain`, a named one in its own `chain`. A profile never takes the chain of another.
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

/** Whether there is one, good or not. Nothing of wallets is loaded for it. */
export function hasChain(account: Pick<Account, 'profileId'>): boolean {
  const { value } = readChainSetting(account);
  return isRecord(value) && Object.keys(value).length > 0;
}
