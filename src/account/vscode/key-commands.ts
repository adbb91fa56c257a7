import * as vscode from 'vscode';
import { isSignedInState } from '../key-state.ts';
import { getDisplayHost, apiKeyVariable } from './account-view.ts';
import type { Account } from './account.ts';
import { testConnectionQuietly } from './connection-test.ts';
import { getKeyNotStoredMessage, KeyNotStoredError } from './key-store.ts';
import { storeKeyAndNotify } from './payment-choice.ts';
import { addProfile, setBaseUrl } from './profile-commands.ts';
import { confirm, showError, showInformation, showWarning } from '../../platform/notifications.ts';
import {
  findBaseUrlFailure,
  isApiKey,
  isLocalBaseUrl,
  parseBaseUrl,
} from '../../service/http/endpoint.ts';

/** Runs "Set API Key": prompts for the key. Opens the connect form if the profile has no valid base URL. */
export async function setApiKey(account: Account): Promise<void> {
  const { profile, unencryptedOrigins } = account;
  if (findBaseUrlFailure(profile.baseUrl, unencryptedOrigins) !== undefined) {
    await vscode.commands.executeCommand('inferenceService.newChat');
    return;
  }
  const key = await promptForKey(account);
  if (key === undefined) return;
  const storeKey = () => storeKeyAndNotify(() => account.storeKey(profile, key));
  if (key !== '' && !(await storeKeyAndReport(account, storeKey))) return;
  const isWorking = await testConnectionQuietly(account);
  if (isWorking && key === '') account.reportKeylessServer(profile, 'user');
}

/** Runs "Remove API Key" after a confirmation. */
export async function removeApiKey(account: Account): Promise<void> {
  const { profile } = account;
  const key = await account.readKey();
  if (key.kind === 'none' || key.kind === 'keyless') {
    void showInformation(vscode.l10n.t('No API key is set for {0}.', profile.id));
    return;
  }
  if (key.kind === 'usable' && key.source === 'environment') {
    void showInformation(
      vscode.l10n.t(
        'The API key comes from the environment variable {0}: change it there.',
        apiKeyVariable,
      ),
    );
    return;
  }
  if ('source' in key && key.source === 'workspace') {
    void showInformation(
      vscode.l10n.t(
        'This workspace has an API key of its own. Revoke it with “{0}”; then the key of “{1}” counts here again.',
        vscode.l10n.t('Show API Keys'),
        profile.id,
      ),
    );
    return;
  }
  const removeLabel = vscode.l10n.t('Remove');
  const chosenButton = await confirm(
    {
      question: vscode.l10n.t('Remove the API key of “{0}” from this machine?', profile.id),
      detail: vscode.l10n.t('The key itself stays valid: revoke it at the service if it leaked.'),
    },
    removeLabel,
  );
  if (chosenButton === removeLabel) await account.removeKey(profile.id);
}

/**
 * Prompts for an API key. Returns `undefined` if the user cancels. If the user enters nothing, returns an empty string
 * for a service on this machine, which may need no key, and `undefined` for any other service.
 */
async function promptForKey({ profile, unencryptedOrigins }: Account): Promise<string | undefined> {
  const host = getDisplayHost(profile);
  const baseUrl = parseBaseUrl(profile.baseUrl, unencryptedOrigins);
  const isOptional = isLocalBaseUrl(baseUrl);
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t('API key for {0}', host),
    prompt: isOptional
      ? vscode.l10n.t('Leave this empty if the service on this machine needs no key.')
      : vscode.l10n.t('Stored in the editor’s secret storage and sent to {0} only.', host),
    password: true,
    ignoreFocusOut: true,
    validateInput: (value) =>
      isApiKey(value.trim(), baseUrl) || value === ''
        ? undefined
        : vscode.l10n.t('A key has 8 to 512 visible ASCII characters and no spaces.'),
  });
  const key = text?.trim();
  return key === '' && !isOptional ? undefined : key;
}

/**
 * Stores a key. Shows an error if the key was not stored, or a warning if the key may not survive a
 * restart.
 */
async function storeKeyAndReport(account: Account, store: () => Promise<void>): Promise<boolean> {
  try {
    await store();
  } catch (error) {
    if (!(error instanceof KeyNotStoredError)) throw error;
    void showError(getKeyNotStoredMessage());
    return false;
  }
  const warning = getRetentionWarning(account);
  if (warning !== undefined) void showWarning(warning);
  return true;
}

/** Returns a warning if the stored key does not survive a restart. */
export const getRetentionWarning = ({ keyRetention }: Account): string | undefined =>
  keyRetention === 'forgotten'
    ? vscode.l10n.t(
        'The editor has no keyring here, so the API key will not survive a restart. To keep it, set up a keyring or the environment variable {0}.',
        apiKeyVariable,
      )
    : undefined;

/** Runs "Set Service Address", then prompts for a key if the profile has no key. */
export async function setAddressAndKey(account: Account): Promise<void> {
  await promptForMissingKey(account, await setBaseUrl(account));
}

/**
 * Runs "Add Connection", then prompts for the key of the new profile.
 * @param baseUrl Initial value of the base URL input.
 */
export async function addProfileAndKey(account: Account, baseUrl = ''): Promise<void> {
  await promptForMissingKey(account, await addProfile(account, baseUrl));
}

async function promptForMissingKey(account: Account, isAddressChanged: boolean): Promise<void> {
  if (isAddressChanged && !isSignedInState(await account.readKey())) await setApiKey(account);
}
