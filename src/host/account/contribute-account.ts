import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import type { CommandId } from '../command-ids.ts';
import { registerCommand } from '../commands.ts';
import type { Host } from '../host.ts';
import { testConnectionAloud } from './connection-commands.ts';
import { removeApiKey, setApiKey } from './key-commands.ts';
import { addProfile, removeProfile, setAddress, switchProfile } from './profile-commands.ts';
import { createStatusBar } from './status-bar.ts';

/** Commands for key, address, profiles and connection, and the status bar entry. */
export function contributeAccount(host: Host): Disposable {
  const { account, log } = host;
  const owned = new DisposableStore();
  const register = (id: CommandId, run: () => unknown): void => {
    owned.add(registerCommand(id, log, run));
  };
  const askForMissingKey = async (changed: boolean): Promise<void> => {
    if (changed && (await account.readKey()).kind !== 'usable') await setApiKey(account);
  };
  register('inferenceService.setApiKey', () => setApiKey(account));
  register('inferenceService.removeApiKey', () => removeApiKey(account));
  register('inferenceService.setAddress', async () => askForMissingKey(await setAddress(account)));
  register('inferenceService.addProfile', async () => askForMissingKey(await addProfile()));
  register('inferenceService.removeProfile', () => removeProfile(account));
  register('inferenceService.switchProfile', () => switchProfile(account));
  register('inferenceService.testConnection', () => testConnectionAloud(account));
  register('inferenceService.showLog', () => log.show());
  owned.add(createStatusBar(host));
  return owned;
}
