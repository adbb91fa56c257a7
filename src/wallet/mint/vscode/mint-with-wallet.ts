import * as vscode from 'vscode';
import type { Profile } from '../../../account/profile.ts';
import { type Clock, systemClock } from '../../../base/clock.ts';
import type { Disposable } from '../../../base/disposable.ts';
import type { Host } from '../../../host.ts';
import { showCancellable } from '../../../platform/notifications.ts';
import type { KeyOptions, KeyRecord, NewKey } from '../../../service/key-record.ts';
import { MintError } from '../../../service/web3-key.ts';
import type { Chain } from '../../chain.ts';
import { mintKey, type MintProgress } from '../mint.ts';
import { type CheckedToken, remainingLifetimeMs } from '../validation-token.ts';
import { isMintFailure, mintFailureMessage } from './mint-messages.ts';
import { formatCountdown } from './option-labels.ts';
import { prepareMint, showUnstoredKey } from './prepare-mint.ts';
import type { WalletConnection } from '../../signer.ts';
import { profileChain, readStakedBalance, type StakeQuery } from '../../vscode/profile-chain.ts';
import { connectWallet } from '../../vscode/connect-wallet.ts';
import { confirmReview } from '../../vscode/wallet-messages.ts';

/** What stands in the progress notification; while the wallet is open, with the time that is left to sign. */
export class MintProgressNotification implements Disposable {
  readonly #report: (message: string) => void;
  readonly #clock: Clock;
  #stop: () => void = () => {};

  constructor(report: (message: string) => void, clock: Clock) {
    this.#report = report;
    this.#clock = clock;
  }

  show(progress: MintProgress | { readonly step: 'connect' }): void {
    this.#stop();
    if (progress.step === 'sign') this.#countDown(progress.token);
    else this.#report(wordsOf(progress));
  }

  dispose(): void {
    this.#stop();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  #countDown(token: CheckedToken): void {
    const left = remainingLifetimeMs(token, this.#clock.now());
    this.#report(vscode.l10n.t('Sign in the wallet; {0} left', formatCountdown(left)));
    if (left > 0) this.#stop = this.#clock.after(1_000, () => this.#countDown(token));
  }
}

function wordsOf(progress: Exclude<MintProgress, { step: 'sign' }> | { step: 'connect' }): string {
  switch (progress.step) {
    case 'connect':
      return vscode.l10n.t('Connecting the wallet…');
    case 'token':
      return vscode.l10n.t('Asking the service what to sign…');
    case 'verify':
      return vscode.l10n.t('Checking the signature…');
    case 'exchange':
      return vscode.l10n.t('Asking the service for the key…');
    case 'wait':
      return vscode.l10n.t('The service could not check the signature; trying again…');
  }
}

export interface WalletMintRequest {
  /** For people, in a few words: what the key is for. */
  readonly purpose: string;
  /** That the key is for, as it was when the person asked. */
  readonly profile: Profile;
  readonly options: KeyOptions;
  /** Puts the key where it belongs; false when it is not kept. It is shown once then. */
  readonly keep: (key: NewKey) => Promise<boolean>;
}

/**
 * Connects a wallet, lets the person look at what is signed, and mints; can be stopped until the key is asked for.
 * @returns the key's record; undefined when the key is not kept
 * @throws MintError, WalletError, ServiceError
 */
export function mintWithWallet(
  host: Host,
  request: WalletMintRequest,
): Promise<KeyRecord | undefined> {
  return showCancellable(request.purpose, async (signal, report) => {
    using text = new MintProgressNotification(report, systemClock);
    return connectAndMint(host, { ...request, signal, text });
  });
}

interface Flow extends WalletMintRequest {
  readonly signal: AbortSignal;
  readonly text: MintProgressNotification;
}

async function connectAndMint(host: Host, flow: Flow): Promise<KeyRecord | undefined> {
  flow.text.show({ step: 'connect' });
  const chain = profileChain({ profileId: flow.profile.id });
  const connection = await connectWallet(host, {
    chain,
    purpose: flow.purpose,
    steps: ['connect', 'network', 'sign'],
    signal: flow.signal,
  });
  try {
    const { address } = connection.signer;
    await requireStake(host, { chain, address, signal: flow.signal });
    const record = await mintOverConnection(host, connection, { ...flow, chain });
    await connection.finish('done', vscode.l10n.t('The API key is in the editor.'));
    return record;
  } catch (error) {
    const words = isMintFailure(error) ? mintFailureMessage(error) : '';
    await connection.finish('failed', words).catch(() => {});
    throw error;
  } finally {
    connection.dispose();
  }
}

/** Nobody signs for a key that the service would not give; where the chain does not answer, the service decides. */
async function requireStake(host: Host, question: StakeQuery): Promise<void> {
  const staked = await readStakedBalance(host, question);
  if (staked?.value !== 0n) return;
  const message = 'The wallet has nothing staked.';
  throw new MintError('no-stake', { code: 'invalid-request', message });
}

async function mintOverConnection(
  host: Host,
  connection: WalletConnection,
  { profile, chain, options, signal, text, keep }: Flow & { readonly chain: Chain },
): Promise<KeyRecord | undefined> {
  let isKept = false;
  const { record } = await mintKey({
    ...prepareMint(host, { profile, chain, signer: connection.signer, options, signal }),
    confirm: (review) => confirmReview(review, vscode.l10n.t('Sign')),
    onProgress: (progress) => {
      text.show(progress);
      if (progress.step === 'sign') connection.show('sign', 'current');
      if (progress.step === 'verify') connection.show('sign', 'done');
    },
    keep: async (key) => {
      isKept = await keep(key);
      if (!isKept) await showUnstoredKey(key);
    },
  });
  return isKept ? record : undefined;
}
