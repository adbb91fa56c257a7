import { isSignedInBy } from '../key-state.ts';
import type { CommandId } from '../../platform/command-ids.ts';
import type { Account } from './account.ts';
import { testConnectionAloud } from './connection-commands.ts';
import { removeApiKey, setApiKey } from './key-commands.ts';
import { addProfile, removeProfile, setAddress, switchProfile } from './profile-commands.ts';

/** What the commands for key, address, profiles and connection do. Loaded with the first of them. */
export const accountCommands = {
  'inferenceService.setApiKey': setApiKey,
  'inferenceService.removeApiKey': removeApiKey,
  'inferenceService.setAddress': async (account) =>
    askForMissingKey(account, await setAddress(account)),
  'inferenceService.addProfile': async (account) => askForMissingKey(account, await addProfile()),
  'inferenceService.removeProfile': removeProfile,
  'inferenceService.switchProfile': switchProfile,
  'inferenceService.testConnection': testConnectionAloud,
} as const satisfies Partial<Record<CommandId, (account: Account) => Promise<unknown>>>;

async function askForMissingKey(account: Account, changed: boolean): Promise<void> {
  if (changed && !isSignedInBy(await account.readKey())) await setApiKey(account);
}
