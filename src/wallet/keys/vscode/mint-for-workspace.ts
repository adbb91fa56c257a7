import * as vscode from 'vscode';
import { getLastSixCharacters } from '../../../account/key-state.ts';
import { systemClock } from '../../../base/clock.ts';
import { parseBaseUrl } from '../../../service/http/endpoint.ts';
import { getRecommendedOptions } from '../../mint/mint-options.ts';
import { testConnectionQuietly } from '../../../account/vscode/connection-test.ts';
import { saveStoredKeyInfo } from '../../../account/vscode/key-store.ts';
import { ensureBaseUrl } from '../../../account/vscode/profile-commands.ts';
import type { Host } from '../../../host.ts';
import { showInformation, showStatusMessage } from '../../../platform/notifications.ts';
import { getWorkspaceId } from '../../../platform/window.ts';
import { promptForLimit } from './edit-key.ts';
import { mintAndStoreKey } from '../../mint/vscode/mint-with-wallet.ts';
import { listLocalApiKeys } from './local-api-keys.ts';
import { rotateApiKey } from './rotate-key.ts';

/**
 * Runs "Create API Key for This Workspace": mints a key with a separate spending limit. Only this
 * workspace uses the key.
 */
export async function mintForWorkspace(host: Host): Promise<void> {
  const { account } = host;
  const { name } = vscode.workspace;
  if (name === undefined) {
    void showInformation(vscode.l10n.t('Open a folder first.'));
    return;
  }
  if (!(await ensureBaseUrl(account))) return;
  const { profile } = account;
  const localKeys = await listLocalApiKeys(account, profile);
  const currentKey = localKeys.find(({ slot, isInUse }) => isInUse && typeof slot === 'object');
  // Only one workspace key at a time: a second key would replace the first key without revoking it.
  if (currentKey !== undefined) return rotateApiKey(host, { localKey: currentKey, profile });
  const title = vscode.l10n.t('API key for {0}', name);
  const limitChange = await promptForLimit(title);
  if (limitChange === undefined) return;
  const workspace = { id: getWorkspaceId(), name };
  const description = `${vscode.env.appName}: ${name}`.slice(0, 64);
  const { type, expiresAt } = getRecommendedOptions(systemClock.now(), description);
  const isStored = await mintAndStoreKey(host, {
    purpose: title,
    profile,
    options: {
      ...{ type, description, ...(expiresAt === undefined ? {} : { expiresAt }) },
      ...(Object.keys(limitChange.consumptionLimit ?? {}).length === 0 ? {} : limitChange),
    },
    restartCommand: () => mintForWorkspace(host),
    storeKey: async ({ apiKey, record }) => {
      const slot = { workspace: workspace.id };
      await account.storeKey(profile, apiKey, slot);
      const { origin } = parseBaseUrl(profile.baseUrl);
      const storedRecord = { ...record, last6: getLastSixCharacters(apiKey), origin, workspace };
      // If this fails, VS Code only lacks the displayed properties of the key.
      await saveStoredKeyInfo(account.state, { profileId: profile.id, slot }, storedRecord).catch(
        () => {},
      );
    },
  });
  if (!isStored || !(await testConnectionQuietly(account))) return;
  showStatusMessage(vscode.l10n.t('The workspace “{0}” has an API key of its own.', name));
}
