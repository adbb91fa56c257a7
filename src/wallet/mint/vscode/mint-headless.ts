import * as vscode from 'vscode';
import type { Profile } from '../../../account/profile.ts';
import { getDisplayHost } from '../../../account/vscode/account-view.ts';
import { systemClock } from '../../../base/clock.ts';
import { stripHiddenCharacters } from '../../../base/hidden-characters.ts';
import { omitUndefined, isRecord, type JsonRecord, parseJson } from '../../../base/json.ts';
import type { Host } from '../../../host.ts';
import { confirmConsent } from '../../../platform/notifications.ts';
import type {
  ConsumptionLimit,
  KeyRecord,
  KeyType,
  LimitPeriod,
  ModelPrivacy,
  NewKey,
} from '../../../service/key-record.ts';
import { MintError } from '../../../service/web3-key.ts';
import { type ParsedMintOptions, parseOptionsWithDefaults } from '../mint-options.ts';
import { mintKey } from '../mint.ts';
import { openEnvironmentAccount } from './environment-account.ts';
import { isMintFailure, formatMintFailure } from './mint-messages.ts';
import {
  formatExpiry,
  formatKeyType,
  formatLimitLabel,
  formatOptionProblem,
  formatPrivacy,
} from './option-labels.ts';
import {
  storeMintedKey,
  prepareMint,
  showUnstoredKey,
  type PrepareMintOptions,
} from './prepare-mint.ts';
import { getConfiguredChain } from '../../vscode/profile-chain.ts';
import { WalletError } from '../../wallet-failure.ts';
import { stripEllipsis } from '../../../base/amounts.ts';

/**
 * Options with which a program mints a key. Omitted fields have the recommended values: an inference key for 90 days
 * with a spending limit.
 */
export interface MintOptions {
  readonly type?: KeyType;
  /** Name of the key, at most 64 characters. */
  readonly description?: string;
  /** Expiry as `YYYY-MM-DD` or an ISO instant in UTC; null for a key that does not expire. */
  readonly expiresAt?: string | null;
  /** Spending limit, for example in US dollars or DIEM; null for a key without a spending limit. */
  readonly consumptionLimit?: ConsumptionLimit | null;
  /** Period after which the spending limit resets; null for a service that has no such periods. */
  readonly limitPeriod?: LimitPeriod | null;
  readonly modelPrivacy?: ModelPrivacy;
  /** Absolute path of a keystore file outside the workspace. Defaults to the path in the environment variable. */
  readonly keystore?: string;
  /** False to return the key in the result instead of storing it in VS Code. */
  readonly store?: boolean;
}

/** Result of a program's request to mint a key. Contains the key only if the key is not stored. */
export type MintResult =
  | { readonly stored: true; readonly record: KeyRecord }
  | { readonly stored: false; readonly record: KeyRecord; readonly apiKey: string }
  /**
   * No key was created. `problem` is a code and `message` is a sentence; neither contains a secret.
   */
  | { readonly stored: false; readonly problem: string; readonly message: string };

export interface MintWithSignerOptions extends PrepareMintOptions {
  /**
   * Stores the key. Until the promise resolves, the journal lists the key as possibly lost. Omit this function only if
   * the caller receives the key and cannot lose it.
   */
  readonly storeKey?: (key: NewKey) => Promise<void>;
}

/**
 * Mints a key with `signer` at the base URL of the profile. Shows no UI. For scripts and other extensions.
 * @throws MintError, WalletError or ServiceError if no key was minted; the error of `storeKey` if the key was not
 *   stored
 */
export async function mintWithSigner(
  host: Pick<Host, 'account'>,
  { storeKey, ...request }: MintWithSignerOptions,
): Promise<NewKey> {
  const mint = prepareMint(host, request);
  return mintKey(storeKey === undefined ? mint : { ...mint, storeKey });
}

interface ParsedMintRequest {
  readonly parsedOptions: ParsedMintOptions;
  /** Path of a keystore file; absent if environment variables contain the path of the account's key file. */
  readonly keystore?: string;
  /** True to store the key in VS Code. */
  readonly shouldStore: boolean;
}

/**
 * Parses a program's request, with recommended values for omitted fields.
 * @param now Milliseconds since the Unix epoch.
 */
export function parseMintRequest(request: JsonRecord, now: number): ParsedMintRequest {
  const { keystore, store, ...fields } = request;
  const parsedOptions = parseOptionsWithDefaults(fields, now);
  const isPath = typeof keystore === 'string' && keystore !== '';
  return { parsedOptions, shouldStore: store !== false, ...(isPath ? { keystore } : {}) };
}

interface HeadlessMintRequest {
  readonly profile: Profile;
  /** Unvalidated options from the caller. */
  readonly options: JsonRecord;
  /** True if the result may contain the key. False if the caller has consent only to have the key stored. */
  readonly canReturnKey: boolean;
  readonly environment: NodeJS.ProcessEnv;
}

/**
 * Mints a key for a profile. The options or the environment variables contain the path of the account's key file.
 * Omitted options have the recommended values. Shows no UI, with one exception: a key that can neither be stored nor
 * returned to the caller is shown to the user.
 */
export async function mintHeadless(
  host: Pick<Host, 'account' | 'log'>,
  { profile, options: request, canReturnKey, environment }: HeadlessMintRequest,
): Promise<MintResult> {
  const { parsedOptions, keystore, shouldStore } = parseMintRequest(request, systemClock.now());
  if (!parsedOptions.ok)
    return createFailureResult(
      `invalid-${parsedOptions.problem}`,
      formatOptionProblem(parsedOptions.problem),
    );
  if (!shouldStore && !canReturnKey) return createFailureResult('not-allowed', notAllowedMessage);
  const { signal } = new AbortController();
  try {
    const chain = getConfiguredChain({ profileId: profile.id });
    const signer = await openEnvironmentAccount(
      omitUndefined({ environment, keystore, workspaceFolders: listWorkspaceFolderPaths() }),
    );
    const { options } = parsedOptions;
    return await mintAndStoreKey(host, {
      profile,
      chain,
      signer,
      options,
      signal,
      shouldStore,
      canReturnKey,
    });
  } catch (error) {
    if (!isMintFailure(error)) throw error;
    const problem = error instanceof MintError ? error.problem : error.failure.code;
    host.log.warn(`Could not create an API key: ${problem}.`);
    const isWalletError = error instanceof WalletError;
    return createFailureResult(
      problem,
      isWalletError ? error.failure.detail : formatMintFailure(error),
    );
  }
}

/**
 * Returns the paths of the workspace folders. Another extension must not mint with a keystore file in one of these
 * folders.
 */
const listWorkspaceFolderPaths = (): readonly string[] =>
  (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);

interface HeadlessMint extends PrepareMintOptions {
  readonly shouldStore: boolean;
  readonly canReturnKey: boolean;
}

async function mintAndStoreKey(
  { account }: Pick<Host, 'account'>,
  { shouldStore, canReturnKey, ...request }: HeadlessMint,
): Promise<MintResult> {
  let isStored = false;
  const storeKey = async (key: NewKey): Promise<void> => {
    isStored = shouldStore && (await storeMintedKey(account, request.profile, key));
    if (!isStored && !canReturnKey) await showUnstoredKey(key);
  };
  const { apiKey, record } = await mintWithSigner({ account }, { ...request, storeKey });
  if (isStored) return { stored: isStored, record };
  return canReturnKey
    ? { stored: isStored, record, apiKey }
    : createFailureResult('not-stored', notStoredMessage);
}

const notStoredMessage =
  'VS Code’s secret storage did not accept the key. The key was shown to the user and is not stored.';

const notAllowedMessage =
  'A key is returned instead of stored only when INFERENCE_SERVICE_ALLOW_MINT is set to 1 in the environment of the editor.';

const createFailureResult = (problem: string, message: string): MintResult => ({
  stored: false,
  problem,
  message,
});

/**
 * Accounts for which a consent dialog is open. While the dialog is open, further requests are rejected, so that a
 * program cannot open several dialogs at once.
 */
const openDialogs = new WeakSet<object>();

/**
 * Mints a key for another extension. Needs the user's consent in a dialog, unless the environment variable
 * `INFERENCE_SERVICE_ALLOW_MINT` grants it in advance. VS Code does not report which extension calls.
 */
export async function mintForExtension(host: Host, request: JsonRecord): Promise<MintResult> {
  const { isMintPreapproved, accountEnvironment: environment } = host;
  const { profile } = host.account;
  // The options are copied, so that they cannot change while the user reads them.
  const options = copyJson(request);
  if (options === undefined)
    return createFailureResult('invalid-unknown-field', formatOptionProblem('unknown-field'));
  // Consent to storing a key is not consent to returning it when storing fails.
  const canReturnKey = isMintPreapproved || options['store'] === false;
  const mintRequest = { profile, options, canReturnKey, environment };
  // Without valid options, the result is a failure. The user is not asked about it.
  const isValid = parseMintRequest(options, systemClock.now()).parsedOptions.ok;
  if (isMintPreapproved || !isValid || (await confirmMint(host, mintRequest)))
    return mintHeadless(host, mintRequest);
  const message = 'The user did not allow it, or is being asked about another key.';
  return createFailureResult('not-allowed', message);
}

/**
 * Returns a copy of the options if they contain only JSON data; otherwise `undefined`. Rejects infinite numbers and
 * NaN, because JSON would replace them with null, and null means no limit.
 */
function copyJson(options: JsonRecord): JsonRecord | undefined {
  try {
    const text = JSON.stringify(options, (_, value: unknown) => {
      if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError();
      return value;
    });
    const optionsCopy = parseJson(text);
    return isRecord(optionsCopy) ? optionsCopy : undefined;
  } catch {
    return undefined;
  }
}

async function confirmMint(
  host: Host,
  { profile, options }: Pick<HeadlessMintRequest, 'profile' | 'options'>,
): Promise<boolean> {
  const { account } = host;
  if (openDialogs.has(account)) return false;
  openDialogs.add(account);
  try {
    const request = parseMintRequest(options, systemClock.now());
    const question = vscode.l10n.t(
      'Another extension wants to create an API key of {0}',
      getDisplayHost(profile),
    );
    const confirmation = { question, detail: formatMintRequest(request) };
    return await confirmConsent(
      host,
      confirmation,
      stripEllipsis(vscode.l10n.t('Get API Key with Wallet…')),
    );
  } finally {
    openDialogs.delete(account);
  }
}

function formatMintRequest({ parsedOptions, keystore, shouldStore }: ParsedMintRequest): string {
  const storageNote = shouldStore
    ? vscode.l10n.t('The editor stores the key in place of the one in use.')
    : vscode.l10n.t('The other extension gets the key.');
  if (!parsedOptions.ok) return storageNote;
  const { options } = parsedOptions;
  return [
    ...(keystore === undefined
      ? [vscode.l10n.t('{0}: {1}', vscode.l10n.t('Account'), vscode.l10n.t('From the environment'))]
      : [vscode.l10n.t('{0}: {1}', vscode.l10n.t('Keystore file'), formatPath(keystore))]),
    vscode.l10n.t('{0}: {1}', vscode.l10n.t('Type'), formatKeyType(options.type)),
    vscode.l10n.t('{0}: {1}', vscode.l10n.t('Key expires'), formatExpiry(options)),
    vscode.l10n.t('{0}: {1}', vscode.l10n.t('Limit'), formatLimitLabel(options)),
    vscode.l10n.t(
      '{0}: {1}',
      vscode.l10n.t('Models'),
      formatPrivacy(options.modelPrivacy ?? 'ALL'),
    ),
    storageNote,
  ].join('\n');
}

/**
 * Maximum number of characters to display from each end of a path. A path of up to twice this length is displayed in
 * full.
 */
const maxPathEndLength = 100;

/**
 * Formats a path that another extension passed. The result has only one line, so that the path cannot imitate further
 * lines of the dialog.
 */
function formatPath(path: string): string {
  const line = stripHiddenCharacters(path).text.replaceAll(/\s+/gu, ' ');
  return line.length <= 2 * maxPathEndLength
    ? line
    : `${line.slice(0, maxPathEndLength)}…${line.slice(-maxPathEndLength)}`;
}
