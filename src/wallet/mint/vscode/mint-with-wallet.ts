import * as vscode from 'vscode';
import type { Profile } from '../../../account/profile.ts';
import { withCountdown } from '../../../account/vscode/show-failure.ts';
import { type Clock, systemClock } from '../../../base/clock.ts';
import type { Disposable } from '../../../base/disposable.ts';
import type { Host } from '../../../host.ts';
import { confirm, showCancellable } from '../../../platform/notifications.ts';
import type { KeyOptions, KeyRecord, NewKey } from '../../../service/key-record.ts';
import { MintError } from '../../../service/web3-key.ts';
import type { Chain } from '../../chain.ts';
import { mintKey, type MintProgress } from '../mint.ts';
import { type CheckedToken, computeRemainingLifetimeMs } from '../validation-token.ts';
import {
  isMintFailure,
  formatMintFailure,
  describeOmissionEffect,
  showMintFailure,
} from './mint-messages.ts';
import { formatCountdown } from './option-labels.ts';
import { prepareMint, showUnstoredKey } from './prepare-mint.ts';
import type { WalletConnection } from '../../signer.ts';
import {
  getConfiguredChain,
  readStakedBalance,
  type StakeQuery,
} from '../../vscode/profile-chain.ts';
import { connectWallet } from '../../vscode/connect-wallet.ts';
import { confirmReview, isDeclined } from '../../vscode/wallet-messages.ts';
import { WalletError } from '../../wallet-failure.ts';

export interface WalletMintRequest {
  /** Short purpose of the key, shown to the user. */
  readonly purpose: string;
  /** Target profile, as it was when the user started the command. */
  readonly profile: Profile;
  readonly options: KeyOptions;
  /** Stores the key. If the promise resolves to false, a message shows the key to the user. */
  readonly storeKey: (key: NewKey) => Promise<boolean>;
}

/**
 * Connects a wallet, lets the user review the text to sign, and mints. The user can cancel until the key is requested.
 * @returns the key's record; `undefined` when the key was not stored
 * @throws MintError, WalletError or ServiceError if no key was minted
 */
export function mintWithWallet(
  host: Host,
  request: WalletMintRequest,
): Promise<KeyRecord | undefined> {
  return showCancellable(request.purpose, async (signal, report) => {
    using progressNotification = new MintProgressNotification(report, systemClock);
    return connectAndMint(host, { ...request, signal, progressNotification });
  });
}

/** Asks the user whether to mint a key without an option that the service refuses. */
async function confirmOmission(error: MintError): Promise<boolean> {
  const mintLabel = vscode.l10n.t('Send without it');
  const question = { question: error.failure.message, detail: describeOmissionEffect(error) };
  return (await confirm(question, mintLabel)) === mintLabel;
}

interface MintFlow extends WalletMintRequest {
  readonly signal: AbortSignal;
  readonly progressNotification: MintProgressNotification;
}

async function connectAndMint(host: Host, flow: MintFlow): Promise<KeyRecord | undefined> {
  flow.progressNotification.showProgress({ step: 'connect' });
  const chain = getConfiguredChain({ profileId: flow.profile.id });
  const connection = await connectWallet(host, {
    chain,
    purpose: flow.purpose,
    steps: ['connect', 'sign'],
    signal: flow.signal,
  });
  try {
    const { address, kind } = connection.signer;
    // The page does not send the user back to the editor, because only the page confirms the signature.
    if (kind === 'browser') connection.showStep('sign', 'current');
    if (chain !== undefined) await requireStake(host, { chain, address, signal: flow.signal });
    const record = await mintOverConnection(host, connection, { ...flow, chain });
    await connection.showOutcome('done', vscode.l10n.t('The API key is in the editor.'));
    return record;
  } catch (error) {
    const message = isMintFailure(error) ? formatMintFailure(error) : '';
    await connection.showOutcome('failed', message).catch(() => {});
    throw error;
  } finally {
    connection.dispose();
  }
}

/**
 * Checks that the account has a stake before the user signs, because the service creates keys only for accounts with a
 * stake. If the chain does not answer, does nothing, because the service checks the stake later.
 * @throws MintError `no-stake` if nothing is staked
 */
async function requireStake(host: Host, query: StakeQuery): Promise<void> {
  const stakedBalance = await readStakedBalance(host, query);
  if (stakedBalance?.value !== 0n) return;
  const message = 'The wallet has nothing staked.';
  throw new MintError('no-stake', { code: 'invalid-request', message });
}

async function mintOverConnection(
  host: Host,
  connection: WalletConnection,
  {
    profile,
    chain,
    options,
    signal,
    progressNotification,
    storeKey,
  }: MintFlow & { readonly chain: Chain | undefined },
): Promise<KeyRecord | undefined> {
  let isStored = false;
  const { signer } = connection;
  const request = prepareMint(host, { profile, chain, signer, options, signal });
  const setMessage = (message: string): void => progressNotification.showWait(message);
  const { record } = await mintKey({
    ...request,
    service: withCountdown(request.service, { setMessage, signal }),
    confirm: (review) => confirmReview(review, vscode.l10n.t('Sign'), signer.kind),
    confirmOmission,
    onProgress: (progress) => {
      progressNotification.showProgress(progress);
      if (progress.step === 'sign') connection.showStep('sign', 'current');
      if (progress.step === 'verify') connection.showStep('sign', 'done');
    },
    storeKey: async (key) => {
      isStored = await storeKey(key);
      if (!isStored) await showUnstoredKey(key);
    },
  });
  return isStored ? record : undefined;
}

/**
 * Progress notification while a key is minted. Counts down the remaining time to sign while the wallet shows the
 * request.
 */
export class MintProgressNotification implements Disposable {
  readonly #showMessage: (message: string) => void;
  readonly #clock: Clock;
  #closeNotification: () => void = () => {};
  #stepMessage = '';

  constructor(report: (message: string) => void, clock: Clock) {
    this.#showMessage = report;
    this.#clock = clock;
  }

  showProgress(progress: MintProgress | { readonly step: 'connect' }): void {
    this.#closeNotification();
    if (progress.step === 'sign') this.#showCountdown(progress.token);
    else this.#showMessage((this.#stepMessage = formatProgress(progress)));
  }

  /**
   * Shows the wait before an automatic retry.
   * @param message Text about the wait. If empty, shows the message of the current step again.
   */
  showWait(message: string): void {
    this.#showMessage(message === '' ? this.#stepMessage : message);
  }

  dispose(): void {
    this.#closeNotification();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  #showCountdown(token: CheckedToken): void {
    const remainingMs = computeRemainingLifetimeMs(token, this.#clock.now());
    this.#showMessage(vscode.l10n.t('Sign in the wallet; {0} left', formatCountdown(remainingMs)));
    if (remainingMs > 0)
      this.#closeNotification = this.#clock.after(1_000, () => this.#showCountdown(token));
  }
}

function formatProgress(
  progress: Exclude<MintProgress, { step: 'sign' }> | { step: 'connect' },
): string {
  switch (progress.step) {
    case 'connect':
      return vscode.l10n.t('Connecting…');
    case 'token':
    case 'verify':
    case 'exchange':
      return vscode.l10n.t('Getting the API key…');
    case 'wait':
      return vscode.l10n.t('Trying again…');
  }
}

export interface MintAndStoreRequest {
  /** Purpose of the key, shown to the user. */
  readonly purpose: string;
  /** Target profile, as it was when the user started the command. */
  readonly profile: Profile;
  readonly options: KeyOptions;
  /** Stores the key. If the promise rejects, a message shows the key to the user. */
  readonly storeKey: (key: NewKey) => Promise<void>;
  /** Restarts the command from its first prompt. */
  readonly restartCommand: () => unknown;
}

/**
 * Connects a wallet, shows the text to sign, and mints. Reports failures to the user.
 * @returns true when a new key was stored
 */
export async function mintAndStoreKey(
  host: Host,
  { storeKey, restartCommand, ...request }: MintAndStoreRequest,
): Promise<boolean> {
  // The error is dropped, because its text may contain the key.
  const tryStoreKey = (key: NewKey): Promise<boolean> =>
    storeKey(key).then(
      () => true,
      () => false,
    );
  try {
    return (await mintWithWallet(host, { ...request, storeKey: tryStoreKey })) !== undefined;
  } catch (error) {
    if (!isMintFailure(error)) throw error;
    if (isDeclined(error)) return false;
    if (!(error instanceof WalletError)) host.account.reportOutcome(error.failure, request.profile);
    void showMintFailure(error, { onRetry: restartCommand, changeOptions: restartCommand });
    return false;
  }
}
