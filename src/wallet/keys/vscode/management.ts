import * as vscode from 'vscode';
import type { Profile } from '../../../account/profile.ts';
import { displayHost } from '../../../account/vscode/account-view.ts';
import type { Account } from '../../../account/vscode/account.ts';
import { KeyNotStoredError } from '../../../account/vscode/key-store.ts';
import { showCancellable, showError } from '../../../platform/notifications.ts';
import type { ServiceContext } from '../../../service/http/client.ts';
import { isApiKey, parseBaseUrl } from '../../../service/http/endpoint.ts';
import { ServiceError } from '../../../service/http/failure.ts';

/** The profile whose keys are managed, and the service context for the requests. */
export interface KeyManagement {
  readonly profile: Profile;
  /**
   * Service context with the management key or, if none is stored, the key in use. Its base URL
   * does not change.
   */
  readonly service: ServiceContext;
}

/**
 * Creates the key management of a profile.
 * @throws ServiceError `no-address`, `invalid-address`
 */
export function createKeyManagement(account: Account, profile = account.profile): KeyManagement {
  const { service } = account;
  const baseUrl = parseBaseUrl(profile.baseUrl);
  const endpoint = async () => {
    const apiKey =
      (await account.readStoredKey(profile, 'management')) ?? (await keyInUse(account, profile));
    return { baseUrl, vendorWord: profile.vendorWord, ...(apiKey === undefined ? {} : { apiKey }) };
  };
  return { profile, service: { ...service, endpoint } };
}

/** Returns a copy of the service context that always uses the given API key. */
export const withApiKey = (service: ServiceContext, apiKey: string): ServiceContext => ({
  ...service,
  endpoint: async () => {
    const { baseUrl, vendorWord } = await service.endpoint();
    return { baseUrl, vendorWord, apiKey };
  },
});

/**
 * Checks whether a call failed because its key is missing, invalid or not of type ADMIN (service
 * facts §0.1).
 */
export const needsAdminKey = (error: unknown): boolean =>
  error instanceof ServiceError &&
  ['unauthorized', 'no-key', 'forbidden'].includes(error.failure.code);

/**
 * Prompts for a key of type ADMIN. The key is stored separately and used only for the management of
 * keys.
 */
export async function promptForManagementKey(account: Account, profile: Profile): Promise<boolean> {
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t('ADMIN key for {0}', displayHost(profile)),
    prompt: vscode.l10n.t(
      'Kept in the editor’s secret storage, and used for nothing but the management of keys.',
    ),
    password: true,
    ignoreFocusOut: true,
    validateInput: (value) =>
      value === '' || isApiKey(value.trim())
        ? undefined
        : vscode.l10n.t('A key has 8 to 512 visible ASCII characters and no spaces.'),
  });
  const key = text?.trim() ?? '';
  if (key === '') return false;
  try {
    await account.storeKey(profile, key, 'management');
  } catch (error) {
    if (!(error instanceof KeyNotStoredError)) throw error;
    void showError(
      vscode.l10n.t('The editor’s secret storage did not accept the key, so it is not set.'),
    );
    return false;
  }
  return true;
}

async function keyInUse(account: Account, profile: Profile): Promise<string | undefined> {
  if (account.profile !== profile) return undefined;
  const key = await account.readKey();
  return key.kind === 'usable' ? key.key : undefined;
}

/**
 * Runs a cancelable key operation and shows its error.
 * @returns true when it succeeded
 */
export function tryWithProgress(
  title: string,
  run: (signal: AbortSignal) => Promise<void>,
): Promise<boolean> {
  return showCancellable(title, async (signal) => {
    try {
      await run(signal);
      return true;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (error.failure.code !== 'stopped') void showError(errorMessage(error));
      return false;
    }
  });
}

/** Formats an error with the service's detail, which usually explains key errors best. */
function errorMessage({ failure: { message, detail } }: ServiceError): string {
  return detail === undefined || message.includes(detail) ? message : `${message} (${detail})`;
}
