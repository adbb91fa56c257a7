import * as vscode from 'vscode';
import type { Profile } from '../../../account/profile.ts';
import { getDisplayHost } from '../../../account/vscode/account-view.ts';
import type { Account } from '../../../account/vscode/account.ts';
import {
  showFailure,
  toShownFailure,
  withCountdown,
} from '../../../account/vscode/show-failure.ts';
import { KeyNotStoredError } from '../../../account/vscode/key-store.ts';
import { showCancellable, showError } from '../../../platform/notifications.ts';
import type { ServiceContext } from '../../../service/http/client.ts';
import { isApiKey, parseBaseUrl } from '../../../service/http/endpoint.ts';
import {
  type FailureCode,
  ServiceError,
  type ServiceFailure,
} from '../../../service/http/failure.ts';

/** The profile whose keys are managed, and the service context for the requests. */
export interface KeyManagement {
  readonly account: Account;
  readonly profile: Profile;
  /**
   * Service context with the management key or, if none is stored, the key in use. Keeps its base URL if the profile
   * changes.
   */
  readonly service: ServiceContext;
}

/**
 * Creates the key management of a profile.
 * @throws ServiceError `no-address` or `invalid-address` if the profile has no valid base URL
 */
export function createKeyManagement(account: Account, profile = account.profile): KeyManagement {
  const { service } = account;
  const baseUrl = parseBaseUrl(profile.baseUrl);
  const getEndpoint = async () => {
    const apiKey =
      (await account.readStoredKey(profile, 'management')) ?? (await getKeyInUse(account, profile));
    const connection = account.getConnection(baseUrl);
    const vendorPrefix = connection.vendorPrefix ?? profile.vendorPrefix;
    return { baseUrl, connection, vendorPrefix, ...(apiKey === undefined ? {} : { apiKey }) };
  };
  return { account, profile, service: { ...service, getEndpoint } };
}

/** Returns a copy of the service context that always uses the given API key. */
export const withApiKey = (service: ServiceContext, apiKey: string): ServiceContext => ({
  ...service,
  getEndpoint: async () => ({ ...(await service.getEndpoint()), apiKey }),
});

/** Checks whether a call failed because its key is missing, invalid or not of type ADMIN. */
export const needsAdminKey = (error: unknown): boolean =>
  error instanceof ServiceError && refusedKeyCodes.has(error.failure.code);

/** Codes of the failures that a missing, invalid or insufficiently privileged key causes. */
const refusedKeyCodes: ReadonlySet<FailureCode> = new Set([
  'unauthorized',
  'no-key',
  'payment-required',
  'forbidden',
]);

/**
 * Prompts for a key of type ADMIN. The key is stored separately and used only for the management of
 * keys.
 */
export async function promptForManagementKey(account: Account, profile: Profile): Promise<boolean> {
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t('ADMIN key for {0}', getDisplayHost(profile)),
    prompt: vscode.l10n.t(
      'Stored in the editor’s secret storage and sent to {0} only.',
      getDisplayHost(profile),
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
      vscode.l10n.t(
        'The editor’s secret storage did not accept the key. Set up a keyring, and try again.',
      ),
    );
    return false;
  }
  return true;
}

async function getKeyInUse(account: Account, profile: Profile): Promise<string | undefined> {
  if (account.profile !== profile) return undefined;
  const key = await account.readKey();
  return key.kind === 'usable' ? key.key : undefined;
}

interface KeyOperation extends Pick<KeyManagement, 'account' | 'profile'> {
  readonly title: string;
  readonly run: (options: {
    readonly signal: AbortSignal;
    /**
     * Returns a copy of `service`. Before each automatic retry of a request with the copy, the progress notification
     * counts down the delay.
     */
    readonly withCountdown: (service: ServiceContext) => ServiceContext;
  }) => Promise<void>;
  /**
   * True for an operation that uses a key other than the active key, such as the test of a new key. Failures that
   * this key causes do not change the account's status.
   */
  readonly hasSeparateKey?: true;
  /** Repeats the operation. Run by the retry button of the notification about a failure. */
  readonly retry?: () => unknown;
}

/** Codes of the failures that depend on the key of the operation. This key can differ from the active key. */
const keyFailureCodes: ReadonlySet<FailureCode> = new Set([
  'no-key',
  'payment-required',
  'unauthorized',
  'forbidden',
  'out-of-funds',
  'spend-limit',
]);

/**
 * Runs an operation on API keys with a cancelable progress notification. If the operation fails, shows the failure.
 * @returns true if the operation succeeded; false if it failed or the user canceled it
 */
export function tryWithProgress({
  title,
  run,
  retry,
  hasSeparateKey,
  ...connection
}: KeyOperation): Promise<boolean> {
  return showCancellable(title, async (signal, report) => {
    try {
      await run({
        signal,
        withCountdown: (service) => withCountdown(service, { setMessage: report, signal }),
      });
      return true;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const { failure } = error;
      if (failure.code === 'stopped') return false;
      if (hasSeparateKey !== true || !keyFailureCodes.has(failure.code))
        await reportKeyFailure(connection, failure);
      // "Set API Key" would replace the key in use, which did not fail.
      const excludedActions = ['set-key', 'choose-model'] as const;
      void showFailure(toShownFailure(failure), { retry, excludedActions });
      return false;
    }
  });
}

/**
 * Records the failure of a key operation in `account`, so that the account's status can change. Does not record that a
 * key was rejected: only keys of type ADMIN can manage keys, so a rejected key of type INFERENCE can still permit
 * chats.
 */
export async function reportKeyFailure(
  { account, profile }: Pick<KeyManagement, 'account' | 'profile'>,
  failure: ServiceFailure,
): Promise<void> {
  if (keyFailureCodes.has(failure.code)) {
    if (refusedKeyCodes.has(failure.code)) return;
    if ((await account.readStoredKey(profile, 'management')) !== undefined) return;
  }
  account.reportOutcome(failure, profile);
}
