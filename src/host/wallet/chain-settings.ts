import { defaultProfileId } from '../../account/profile.ts';
import { isRecord } from '../../base/json.ts';
import type { Chain } from '../../wallet/chain.ts';
import { chainFromSettings } from '../../wallet/chain-settings.ts';
import type { Account } from '../account/account.ts';
import { userSetting } from '../settings.ts';

const defaultSetting = 'inferenceService.wallet.chain';
const profilesSetting = 'inferenceService.profiles';

/**
 * The chain of the active profile, from the user's settings alone: the default profile has it in
 * `inferenceService.wallet.chain`, a named one in its own `chain`. A profile never takes the chain of another.
 * @throws WalletError `no-chain`, naming the setting that is missing or wrong
 */
export function chainOf({ profileId }: Pick<Account, 'profileId'>): Chain {
  if (profileId === defaultProfileId) {
    return chainFromSettings(userSetting(defaultSetting), defaultSetting);
  }
  const profiles = userSetting(profilesSetting);
  const profile = isRecord(profiles) ? profiles[profileId] : undefined;
  const chain = isRecord(profile) ? profile['chain'] : undefined;
  return chainFromSettings(chain, `${profilesSetting}.${profileId}.chain`);
}
