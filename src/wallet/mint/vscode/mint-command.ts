import * as vscode from 'vscode';
import { getDisplayHost } from '../../../account/vscode/account-view.ts';
import { storeKeyAndNotify } from '../../../account/vscode/payment-choice.ts';
import { ensureBaseUrl } from '../../../account/vscode/profile-commands.ts';
import { systemClock } from '../../../base/clock.ts';
import { isRecord } from '../../../base/json.ts';
import type { Host } from '../../../host.ts';
import type { KeyOptions, KeyType, KeyRecord } from '../../../service/key-record.ts';
import { promptForKeyOptions } from './key-options-input.ts';
import { mintForExtension } from './mint-headless.ts';
import { reportLostMints } from './mint-journal.ts';
import { isMintFailure, showMintFailure } from './mint-messages.ts';
import { mintWithWallet } from './mint-with-wallet.ts';
import { storeMintedKey } from './prepare-mint.ts';
import { isDeclined } from '../../vscode/wallet-messages.ts';
import { WalletError } from '../../wallet-failure.ts';
import type { Profile } from '../../../account/profile.ts';
import {
  getOtherTransportKind,
  listProblemActions,
  formatProblemSentence,
  testWithProgress,
} from '../../../account/vscode/connection-test.ts';
import { activateProfile } from '../../../account/vscode/profile-settings.ts';
import { showWithActions, showError, showInformation } from '../../../platform/notifications.ts';
import { stripEllipsis } from '../../../base/amounts.ts';

/**
 * Runs "Get API Key with Wallet": prompts for the options, connects the wallet, mints and stores the key.
 * @param type Preselected key type.
 */
export async function mintInteractively(host: Host, type: KeyType = 'INFERENCE'): Promise<void> {
  if (!(await ensureBaseUrl(host.account))) return;
  await reportLostMints(host.account, systemClock.now());
  await runAndShowFailure(host, { type }, async () => {
    const options = await promptForKeyOptions(systemClock.now(), type);
    if (options !== undefined) await mintAndUseKey(host, options);
  });
}

const mintAndUseKey = (host: Host, options: KeyOptions): Promise<void> =>
  runAndShowFailure(host, { type: options.type, options }, async () => {
    const { account } = host;
    const { profile } = account;
    const record = await mintWithWallet(host, {
      purpose: vscode.l10n.t(
        '{0}: {1}',
        stripEllipsis(vscode.l10n.t('Get API Key with Wallet…')),
        getDisplayHost(profile),
      ),
      profile,
      options,
      storeKey: (key) => storeKeyAndNotify(() => storeMintedKey(account, profile, key)),
    });
    if (record !== undefined) await startUsingKey(host, { profile, record });
  });

interface RequestedKey {
  readonly type: KeyType;
  /** Options of the new key; absent until the user has confirmed them. */
  readonly options?: KeyOptions;
}

async function runAndShowFailure(
  host: Host,
  { type, options }: RequestedKey,
  run: () => Promise<void>,
): Promise<void> {
  const { profile } = host.account;
  try {
    await run();
  } catch (error) {
    if (!isMintFailure(error)) throw error;
    const startOver = (): Promise<void> => mintInteractively(host, type);
    const retry = options === undefined ? startOver : () => mintAndUseKey(host, options);
    host.log.info(`No API key was created: ${error.failure.code}.`);
    if (isDeclined(error)) return;
    if (!(error instanceof WalletError)) host.account.reportOutcome(error.failure, profile);
    await showMintFailure(error, { onRetry: retry, changeOptions: startOver });
  }
}

/**
 * Runs `inferenceService.mintKey`. If `options` is an object, mints with the account of a key file; the path of the
 * file is in `options` or in an environment variable. Otherwise prompts the user for the options. Any extension can
 * run the command, so it requires the same consent as the API for extensions.
 * @returns a `MintResult` if `options` is an object
 */
export function mintKeyCommand(host: Host, options?: unknown): Promise<unknown> {
  return isRecord(options) ? mintForExtension(host, options) : mintInteractively(host);
}

interface MintedKey {
  readonly profile: Profile;
  readonly record: KeyRecord;
}

/** Activates the profile of the key, tests the connection and opens the chat. */
async function startUsingKey(host: Host, mintedKey: MintedKey): Promise<void> {
  const { account } = host;
  if (mintedKey.record.type === 'ADMIN') return showAdminKeyMessage(mintedKey);
  if (account.profileId !== mintedKey.profile.id) await activateProfile(mintedKey.profile.id);
  const testResult = await testWithProgress(account);
  if (testResult === undefined) return;
  if (testResult.ok) return vscode.commands.executeCommand('inferenceService.focusChat');
  if (testResult.problem === 'no-credits') {
    await vscode.commands.executeCommand('inferenceService.focusChat');
    const { notifyUnfundedKey } = await import('../../vscode/funding-view.ts');
    return notifyUnfundedKey(host, formatProblemSentence(account, testResult));
  }
  const actions = listProblemActions(testResult, getOtherTransportKind(account.transports.kind));
  await showWithActions(showError, formatProblemSentence(account, testResult), actions);
}

async function showAdminKeyMessage({ profile }: MintedKey): Promise<void> {
  const showKeysAction = {
    label: vscode.l10n.t('Show API Keys'),
    run: () => vscode.commands.executeCommand('inferenceService.keys.show'),
  };
  const message = vscode.l10n.t(
    'The admin key of {0} is stored for managing keys. Chats continue with their API key.',
    getDisplayHost(profile),
  );
  await showWithActions(showInformation, message, [showKeysAction]);
}
