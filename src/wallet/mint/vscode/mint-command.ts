import * as vscode from 'vscode';
import { displayHost } from '../../../account/vscode/account-view.ts';
import { notifyPaymentEnd } from '../../../account/vscode/payment-choice.ts';
import { ensureAddress } from '../../../account/vscode/profile-commands.ts';
import { systemClock } from '../../../base/clock.ts';
import { isRecord } from '../../../base/json.ts';
import type { Host } from '../../../host.ts';
import { showWithActions, showError } from '../../../platform/notifications.ts';
import type { KeyOptions, KeyType } from '../../../service/key-record.ts';
import { startUsingKey } from './funding.ts';
import { promptForKeyOptions } from './key-options-input.ts';
import { mintForExtension } from './mint-headless.ts';
import { reportLostMints } from './mint-journal.ts';
import { isMintFailure, mintFailureActions, mintFailureMessage } from './mint-messages.ts';
import { mintWithWallet } from './mint-with-wallet.ts';
import { storeMintedKey } from './prepare-mint.ts';
import { profileChain } from '../../vscode/profile-chain.ts';
import { isDeclined } from '../../vscode/wallet-messages.ts';

/**
 * "Create API key with a wallet": what the key should be, the wallet, the signature, and the key in its place.
 * @param type What the person is offered first.
 */
export async function mintInteractively(host: Host, type: KeyType = 'INFERENCE'): Promise<void> {
  if (!(await ensureAddress(host.account))) return;
  await reportLostMints(host.account, systemClock.now());
  await tellingFailures(host, { type }, async () => {
    // Before any question: nothing could come of the answers without a chain.
    profileChain(host.account);
    const options = await promptForKeyOptions(systemClock.now(), type);
    if (options !== undefined) await mintAndWelcome(host, options);
  });
}

const mintAndWelcome = (host: Host, options: KeyOptions): Promise<void> =>
  tellingFailures(host, { type: options.type, options }, async () => {
    const { account } = host;
    const { profile } = account;
    const record = await mintWithWallet(host, {
      purpose: vscode.l10n.t('Create an API key for {0}', displayHost(profile)),
      profile,
      options,
      keep: (key) => notifyPaymentEnd(() => storeMintedKey(account, profile, key)),
    });
    if (record !== undefined) await startUsingKey(host, { profile, record });
  });

interface Wanted {
  readonly type: KeyType;
  /** Absent while they are not known. */
  readonly options?: KeyOptions;
}

async function tellingFailures(
  host: Host,
  { type, options }: Wanted,
  run: () => Promise<void>,
): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!isMintFailure(error)) throw error;
    const afresh = (): Promise<void> => mintInteractively(host, type);
    const again = options === undefined ? afresh : () => mintAndWelcome(host, options);
    host.log.info(`No API key was created: ${error.failure.code}.`);
    if (isDeclined(error)) return;
    await showWithActions(
      showError,
      mintFailureMessage(error),
      mintFailureActions(error, { again, options: afresh }),
    );
  }
}

/**
 * `inferenceService.mintKey`: asks the person what the key should be, or with an object of options mints with the
 * account that the environment names. Anything in the editor can run it, so the person is asked then as for another
 * extension.
 * @returns a `MintResult` in the second case
 */
export function mintKeyCommand(host: Host, options?: unknown): Promise<unknown> {
  return isRecord(options) ? mintForExtension(host, options) : mintInteractively(host);
}
