import * as vscode from 'vscode';
import { systemClock } from '../../../base/clock.ts';
import type { Profile } from '../../../account/profile.ts';
import type { KeyOptions, NewKey } from '../../../service/key-types.ts';
import { mintKey } from '../../../wallet/mint/mint-key.ts';
import type { WalletConnection } from '../../../wallet/wallet-connection.ts';
import { hostOf } from '../../account/account-words.ts';
import type { Host } from '../../host.ts';
import { showProgress } from '../../tell.ts';
import { chainOf } from '../chain-settings.ts';
import { confirmReview } from '../confirm-review.ts';
import { connectWallet } from '../connect-wallet.ts';
import { keepMintedKey, showUnkeptKey } from './keep-minted-key.ts';
import { MintProgressText } from './mint-progress-text.ts';
import { isMintFailure, mintFailureWords } from './mint-words.ts';
import { prepareMint } from './prepare-mint.ts';

/** A key, and whether the editor keeps it for the profile it was minted for. */
export interface MintedForProfile extends NewKey {
  readonly profile: Profile;
  readonly isKept: boolean;
}

/**
 * Connects a wallet, lets the person look at what is signed, and mints; can be stopped until the key is asked for.
 * @throws MintError, WalletError, ServiceError
 */
export function mintWithWallet(host: Host, options: KeyOptions): Promise<MintedForProfile> {
  const progress = {
    location: vscode.ProgressLocation.Notification,
    title: vscode.l10n.t('Creating an API key'),
    cancellable: true,
  };
  return showProgress(progress, async (report, token) => {
    const stop = new AbortController();
    token.onCancellationRequested(() => stop.abort());
    using text = new MintProgressText(report, systemClock);
    return connectAndMint(host, { options, signal: stop.signal, text });
  });
}

interface Flow {
  readonly options: KeyOptions;
  readonly signal: AbortSignal;
  readonly text: MintProgressText;
}

async function connectAndMint(host: Host, flow: Flow): Promise<MintedForProfile> {
  flow.text.show({ step: 'connect' });
  const connection = await connectWallet(host, {
    chain: chainOf(host.account),
    purpose: vscode.l10n.t('Create an API key of {0}', hostOf(host.account.profile)),
    steps: ['connect', 'network', 'sign'],
    signal: flow.signal,
  });
  try {
    const minted = await mintConnected(host, connection, flow);
    await connection.finish('done', vscode.l10n.t('The API key is in the editor.'));
    return minted;
  } catch (error) {
    const words = isMintFailure(error) ? mintFailureWords(error) : '';
    await connection.finish('failed', words).catch(() => {});
    throw error;
  } finally {
    connection.dispose();
  }
}

async function mintConnected(
  host: Host,
  connection: WalletConnection,
  { options, signal, text }: Flow,
): Promise<MintedForProfile> {
  const { account } = host;
  const { profile } = account;
  let isKept = false;
  const key = await mintKey({
    ...(await prepareMint(host, { signer: connection.signer, options, signal })),
    confirm: (review) => confirmReview(review, vscode.l10n.t('Sign')),
    onProgress: (progress) => {
      text.show(progress);
      if (progress.step === 'sign') connection.show('sign', 'current');
      if (progress.step === 'verify') connection.show('sign', 'done');
    },
    keep: async (minted) => {
      isKept = await keepMintedKey(account, profile, minted);
      if (!isKept) await showUnkeptKey(minted);
    },
  });
  return { ...key, profile, isKept };
}
