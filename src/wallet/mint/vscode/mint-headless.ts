import * as vscode from 'vscode';
import type { Profile } from '../../../account/profile.ts';
import { displayHost } from '../../../account/vscode/account-view.ts';
import { systemClock } from '../../../base/clock.ts';
import { omitUndefined, isRecord, type JsonRecord, parseJson } from '../../../base/json.ts';
import type { Host } from '../../../host.ts';
import { confirm } from '../../../platform/notifications.ts';
import type {
  ConsumptionLimit,
  KeyRecord,
  KeyType,
  LimitPeriod,
  ModelPrivacy,
  NewKey,
} from '../../../service/key-record.ts';
import { MintError } from '../../../service/web3-key.ts';
import { createChainClient } from '../../chain-client.ts';
import { parseMintOptions, type ParsedMintOptions, recommendedOptions } from '../mint-options.ts';
import { mintKey } from '../mint.ts';
import { openEnvironmentAccount, isMintAllowedByEnvironment } from './environment-account.ts';
import { isMintFailure, mintFailureMessage } from './mint-messages.ts';
import { expiryLabel, limitLabel, optionProblemMessage, keyTypeLabel } from './option-labels.ts';
import {
  storeMintedKey,
  prepareMint,
  showUnstoredKey,
  type PrepareMintOptions,
} from './prepare-mint.ts';
import { profileChain } from '../../vscode/profile-chain.ts';
import { WalletError } from '../../wallet-failure.ts';

/** What a program asks for. What is left out is as recommended: an inference key for 90 days with a limit. */
export interface MintOptions {
  readonly type?: KeyType;
  /** At most 64 characters. */
  readonly description?: string;
  /** `YYYY-MM-DD`, or an ISO instant in UTC; null for a key that does not expire. */
  readonly expiresAt?: string | null;
  /** In units of each currency; null for a key without a limit. */
  readonly consumptionLimit?: ConsumptionLimit | null;
  readonly limitPeriod?: LimitPeriod;
  readonly modelPrivacy?: ModelPrivacy;
  /** Absolute path of a keystore file outside the workspace; what the environment names, when absent. */
  readonly keystore?: string;
  /** False to get the key instead of keeping it in the editor. */
  readonly store?: boolean;
}

/** What a program is told. The key itself only where it is kept nowhere else. */
export type MintResult =
  | { readonly stored: true; readonly record: KeyRecord }
  | { readonly stored: false; readonly record: KeyRecord; readonly apiKey: string }
  /** No key. `problem` is a code, `message` a sentence; neither holds a secret. */
  | { readonly stored: false; readonly problem: string; readonly message: string };

export interface MintWithSignerOptions extends PrepareMintOptions {
  /**
   * Puts the key where it belongs. Until it has returned, the key counts as one that may have been lost; absent when
   * the caller cannot lose it.
   */
  readonly keep?: (key: NewKey) => Promise<void>;
}

/**
 * Mints a key with `signer` at the profile's address, without asking or telling anybody: for scripts and other extensions.
 * @throws MintError, WalletError, ServiceError, and what `keep` throws
 */
export async function mintWithSigner(
  host: Pick<Host, 'account'>,
  { keep, ...request }: MintWithSignerOptions,
): Promise<NewKey> {
  const mint = prepareMint(host, request);
  return mintKey(keep === undefined ? mint : { ...mint, keep });
}

/** What a program asks for, as far as it could be read. */
interface AskedMint {
  readonly read: ParsedMintOptions;
  /** Of a keystore file; absent when the environment names the account. */
  readonly keystore?: string;
  /** Whether the editor is to keep the key. */
  readonly stores: boolean;
}

/**
 * Reads what a program asks for, with what is recommended in place of what it leaves out.
 * @param now Milliseconds since the Unix epoch.
 */
export function parseMintRequest(asked: JsonRecord, now: number): AskedMint {
  const { keystore, store, ...fields } = asked;
  const read = parseMintOptions({ ...recommendedOptions(now, 'Editor'), ...fields }, now);
  const isPath = typeof keystore === 'string' && keystore !== '';
  return { read, stores: store !== false, ...(isPath ? { keystore } : {}) };
}

interface Asked {
  /** That the key is for. */
  readonly profile: Profile;
  /** As the caller gave it, unchecked. */
  readonly options: JsonRecord;
  /** Whether the caller may have the key itself. */
  readonly mayReturn: boolean;
  readonly environment: NodeJS.ProcessEnv;
}

/**
 * Mints a key for a profile with the account that the environment names. Asks nothing, and shows
 * nothing but a key that could not be stored and that the caller may not have. What the options leave out is as
 * recommended: an inference key for 90 days with a limit.
 */
export async function mintHeadless(
  host: Pick<Host, 'account' | 'log'>,
  { profile, options: asked, mayReturn, environment }: Asked,
): Promise<MintResult> {
  const { read, keystore, stores } = parseMintRequest(asked, systemClock.now());
  if (!read.ok) return refused(`invalid-${read.problem}`, optionProblemMessage(read.problem));
  if (!stores && !mayReturn) return refused('not-allowed', notAllowed);
  const { signal } = new AbortController();
  try {
    const chain = profileChain({ profileId: profile.id });
    const signer = await openEnvironmentAccount(
      omitUndefined({ environment, keystore }),
      createChainClient(chain),
    );
    const { options } = read;
    return await mintAndKeep(host, { profile, chain, signer, options, signal, stores, mayReturn });
  } catch (error) {
    if (!isMintFailure(error)) throw error;
    const problem = error instanceof MintError ? error.problem : error.failure.code;
    host.log.warn(`No API key was created: ${problem}.`);
    const isOfWallet = error instanceof WalletError;
    return refused(problem, isOfWallet ? error.failure.detail : mintFailureMessage(error));
  }
}

interface ToMint extends PrepareMintOptions {
  readonly stores: boolean;
  readonly mayReturn: boolean;
}

async function mintAndKeep(
  { account }: Pick<Host, 'account'>,
  { stores, mayReturn, ...request }: ToMint,
): Promise<MintResult> {
  let stored = false;
  const keep = async (key: NewKey): Promise<void> => {
    stored = stores && (await storeMintedKey(account, request.profile, key));
    if (!stored && !mayReturn) await showUnstoredKey(key);
  };
  const { apiKey, record } = await mintWithSigner({ account }, { ...request, keep });
  if (stored) return { stored, record };
  return mayReturn ? { stored, record, apiKey } : refused('not-stored', notStored);
}

const notStored =
  'The editor’s secret storage did not accept the key. It was shown to the person, and is kept nowhere.';

const notAllowed =
  'A key is returned instead of kept only when INFERENCE_SERVICE_ALLOW_MINT is set to 1 in the environment of the editor.';

const refused = (problem: string, message: string): MintResult => ({
  stored: false,
  problem,
  message,
});

/** Hosts whose person is being asked: a program must not pile up dialogs. */
const asking = new WeakSet<object>();

/** Mints for another extension, when the person or the environment allows it. Which one asks cannot be known. */
export async function mintForExtension(host: Host, asked: JsonRecord): Promise<MintResult> {
  const environment = process.env;
  const { profile } = host.account;
  // A copy: what the person agrees to must not change while they read it.
  const options = copyOf(asked);
  const isFree = isMintAllowedByEnvironment(environment);
  if (!isFree && !(await isAllowedByPerson(host, { profile, options }))) {
    const message = 'The person did not allow it, or is being asked about another key.';
    return { stored: false, problem: 'not-allowed', message };
  }
  // Who agreed that a key is kept did not agree that it is given away when that fails.
  const mayReturn = isFree || options['store'] === false;
  return mintHeadless(host, { profile, options, mayReturn, environment });
}

/** Of what is data in it; the rest is of no use here. */
function copyOf(options: JsonRecord): JsonRecord {
  const copy = parseJson(JSON.stringify(options));
  return isRecord(copy) ? copy : {};
}

async function isAllowedByPerson(
  { account }: Host,
  { profile, options }: { readonly profile: Profile; readonly options: JsonRecord },
): Promise<boolean> {
  if (asking.has(account)) return false;
  asking.add(account);
  try {
    const allow = vscode.l10n.t('Create a key');
    const question = vscode.l10n.t(
      'Another extension wants to create an API key of {0} with the account of the editor’s environment',
      displayHost(profile),
    );
    return (await confirm({ question, detail: detailOf(options) }, allow)) === allow;
  } finally {
    asking.delete(account);
  }
}

function detailOf(asked: JsonRecord): string {
  const { read, stores } = parseMintRequest(asked, systemClock.now());
  const kept = stores
    ? vscode.l10n.t('The key is kept in the editor, in place of the one that is in use.')
    : vscode.l10n.t('The other extension gets the key.');
  if (!read.ok) return kept;
  const { options } = read;
  return [
    vscode.l10n.t('Key type: {0}', keyTypeLabel(options.type)),
    vscode.l10n.t('Key expires: {0}', expiryLabel(options)),
    vscode.l10n.t('Limit: {0}', limitLabel(options)),
    kept,
  ].join('\n');
}
