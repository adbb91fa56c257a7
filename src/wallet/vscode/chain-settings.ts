import type { Chain } from '../chain.ts';
import { chainFromSettings } from '../chain-settings.ts';
import type { Account } from '../../account/vscode/account.ts';
import { chainSetting } from './chain-setting.ts';

/**
 * The chain of the active profile, from the user's settings alone.
 * @throws WalletError `no-chain`, naming the setting that is missing or wrong
 */
export function chainOf(account: Pick<Account, 'profileId'>): Chain {
  const { name, value } = chainSetting(account);
  return chainFromSettings(value, name);
}
