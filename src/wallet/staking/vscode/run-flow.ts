import * as vscode from 'vscode';
import { systemClock } from '../../../base/clock.ts';
import type { Host } from '../../../host.ts';
import {
  confirm,
  showCancellable,
  showInformation,
  showWarning,
} from '../../../platform/notifications.ts';
import { type CheckedStakingChain, requireStakingChain } from '../../chain-client.ts';
import type { Address, Hash, StakingChain } from '../../chain.ts';
import type { WalletConnection, SignerKind } from '../../signer.ts';
import { runStaking, type StakingResult } from '../stake-flow.ts';
import type {
  PendingTransaction,
  StakingProgress,
  StakingContext,
  StakingRecord,
  StakingStep,
} from '../stake-journal.ts';
import { readStakingState, type StakingState } from '../staking-state.ts';
import { StakingJournalFile } from './staking-files.ts';
import { getStakingFolder } from '../../vscode/unfinished-hints.ts';
import {
  formatProgress,
  formatPurpose,
  getStepLabel,
  toWalletStep,
  toWalletSteps,
} from './staking-messages.ts';
import { createStepReview } from './staking-review.ts';
import { defaultWatchTiming, watchForReorg } from '../watch-transaction.ts';
import { ensureChain } from '../../vscode/chain-form.ts';
import { getCheckedChain } from '../../vscode/profile-chain.ts';
import { connectWallet } from '../../vscode/connect-wallet.ts';
import { showWalletFailure, formatWalletFailure } from '../../vscode/wallet-messages.ts';
import { acquireWindowLock } from '../../../platform/window-lock.ts';
import { WalletError, type WalletFailure } from '../../wallet-failure.ts';

/** Context of a staking command. This window holds the lock that prevents other staking commands. */
export interface StakingSession {
  readonly host: Host;
  readonly chain: StakingChain;
  readonly checkedChain: CheckedStakingChain;
  readonly folder: string;
  /** Aborts when another window takes over the lock. */
  readonly signal: AbortSignal;
}

/**
 * Runs a staking command and shows its failure. Only one staking command runs on this machine at a
 * time.
 * @returns the result of `run`; `undefined` on failure
 */
export async function withStakingSession<T>(
  host: Host,
  run: (session: StakingSession) => Promise<T>,
): Promise<T | undefined> {
  const folder = getStakingFolder(host);
  using lock = await acquireWindowLock(folder);
  if (lock === undefined) {
    void showInformation(
      vscode.l10n.t(
        'This is already under way, here or in another window. Finish or stop it there first.',
      ),
    );
    return undefined;
  }
  // A reload of the window skips the rest of this function, so deactivation must release the lock as well.
  host.context.subscriptions.push({ dispose: () => lock[Symbol.dispose]() });
  try {
    const configuredChain = await ensureChain(host, 'staking');
    if (configuredChain === undefined) return undefined;
    const checkedChain = await withProgress(
      vscode.l10n.t('Checking the chain'),
      lock.lossSignal,
      async (signal) => requireStakingChain(await getCheckedChain(host, configuredChain, signal)),
    );
    const { chain } = checkedChain;
    return await run({ host, chain, checkedChain, folder, signal: lock.lossSignal });
  } catch (error) {
    showWalletFailure(toWalletFailure(error, host));
    return undefined;
  }
}

/**
 * Runs a task with a cancelable progress notification. The task's signal aborts when the user cancels or `outerSignal`
 * aborts.
 */
export function withProgress<T>(
  title: string,
  outerSignal: AbortSignal,
  run: (signal: AbortSignal, report: (message: string) => void) => Promise<T>,
): Promise<T> {
  return showCancellable(title, (cancelSignal, report) =>
    run(AbortSignal.any([outerSignal, cancelSignal]), report),
  );
}

/** Converts an error of a staking command to a failure. Logs all errors, unexpected ones with their stack. */
export function toWalletFailure(error: unknown, { log }: Pick<Host, 'log'>): WalletFailure {
  if (!(error instanceof WalletError)) {
    log.error('Could not complete the stake', error);
    return { code: 'internal-error', detail: 'It failed for an unknown reason.' };
  }
  log.info(`Staking ended: ${error.failure.code}: ${error.failure.detail}`);
  return error.failure;
}

/**
 * Number of blocks that must follow the block of the last transaction. Until then, the transaction is watched for a
 * reorganization. Exceeds the depth of known reorganizations.
 */
const watchedBlockCount = 12;
const pollIntervalMs = 10_000;
const maxWaitMs = 300_000;

/** Warns the user if a later reorganization removes the flow's last transaction. Runs in the background. */
export async function warnOnReorg(
  { host, checkedChain }: StakingSession,
  hash: Hash,
): Promise<void> {
  const abortController = new AbortController();
  host.context.subscriptions.push({ dispose: () => abortController.abort() });
  const { signal } = abortController;
  const options = {
    blockCount: watchedBlockCount,
    pollIntervalMs,
    maxWaitMs,
    clock: systemClock,
    signal,
  };
  if ((await watchForReorg(checkedChain.client, hash, options)) !== 'reorganised') return;
  void showWarning(
    vscode.l10n.t(
      'The chain dropped the block with your last transaction for the stake, {0}. It may be included again, so check your wallet before you resend it.',
      hash,
    ),
  );
}

export interface StakingFlow {
  readonly purpose: StakingRecord['purpose'];
  /** Title of the wallet page. */
  readonly title: string;
  /** Address of the required account; absent when any account is accepted. */
  readonly address?: Address;
  /**
   * Prepares the flow and confirms it with the user. Resolves to `undefined` when the user
   * declines.
   */
  begin(flowContext: FlowContext): Promise<StakingRecord | undefined>;
  /** Returns the final message for the wallet page. */
  formatDoneMessage(result: StakingResult, state: StakingState): string;
}

export interface FlowContext {
  readonly from: Address;
  readonly kind: SignerKind;
  /** Balances, stake and allowance of the account before the flow begins. */
  readonly state: StakingState;
}

export type FlowOutcome =
  | { readonly end: 'done'; readonly result: StakingResult; readonly state: StakingState }
  | { readonly end: 'refused' }
  | {
      readonly end: 'failed';
      readonly failure: WalletFailure;
      readonly state: StakingState;
      /** Record that remains in the journal; `undefined` if there is nothing to resume. */
      readonly remainingRecord: StakingRecord | undefined;
    };

/**
 * Connects an account, prompts for confirmation, and runs a flow to its end.
 * @throws WalletError for a failure before the flow begins
 */
export async function runFlow(session: StakingSession, flow: StakingFlow): Promise<FlowOutcome> {
  const { address } = flow;
  const connection = await connectWallet(session.host, {
    chain: session.chain,
    purpose: flow.title,
    steps: toWalletSteps(flow.purpose),
    signal: session.signal,
    ...(address === undefined ? {} : { address }),
  });
  try {
    return await runFlowOverConnection(session, flow, connection);
  } catch (error) {
    await connection.showOutcome(
      'failed',
      formatWalletFailure(toWalletFailure(error, session.host)),
    );
    throw error;
  } finally {
    connection.dispose();
  }
}

async function runFlowOverConnection(
  session: StakingSession,
  flow: StakingFlow,
  connection: WalletConnection,
): Promise<FlowOutcome> {
  const from = connection.signer.address;
  const state = await readStakingState(session.checkedChain, from);
  const record = await flow.begin({ from, kind: connection.signer.kind, state });
  if (record === undefined) {
    await connection.showOutcome(
      'failed',
      vscode.l10n.t('Stopped. Nothing more was signed or sent.'),
    );
    return { end: 'refused' };
  }
  const journal = new StakingJournalFile(session.folder, record);
  try {
    const result = await runStakingWithProgress(session, { connection, record, state, journal });
    void warnOnReorg(session, result.hash);
    await connection.showOutcome('done', flow.formatDoneMessage(result, state));
    return { end: 'done', result, state };
  } catch (error) {
    const failure = toWalletFailure(error, session.host);
    await connection.showOutcome('failed', formatWalletFailure(failure));
    return { end: 'failed', failure, state, remainingRecord: await journal.read() };
  }
}

interface RunningFlow {
  readonly connection: WalletConnection;
  readonly record: StakingRecord;
  readonly state: StakingState;
  readonly journal: StakingJournalFile;
}

function runStakingWithProgress(
  { chain, checkedChain, signal: outerSignal }: StakingSession,
  { connection, record, state: token, journal }: RunningFlow,
): Promise<StakingResult> {
  if (record.purpose === 'stake' && token.allowance >= record.amount)
    connection.showStep('approve', 'skipped');
  return withProgress(formatPurpose(record, token), outerSignal, (signal, report) => {
    const context: StakingContext = {
      client: checkedChain.client,
      chain,
      signer: connection.signer,
      journal,
      clock: systemClock,
      timing: defaultWatchTiming,
      signal,
      createReview: (step, currentRecord) =>
        createStepReview(step, { chain, token, record: currentRecord }),
      onProgress(step, progress) {
        report(formatProgress(step, progress));
        showStep(connection, step, progress);
      },
      confirmResend,
    };
    return runStaking(context, record);
  });
}

/** Updates the state of the steps on the wallet page. */
function showStep(
  connection: WalletConnection,
  step: StakingStep,
  progress: StakingProgress,
): void {
  const walletStep = toWalletStep(step);
  if (progress.type === 'wallet') connection.showStep(walletStep, 'current');
  // Another approval follows a reset, so the step on the page remains current.
  if (progress.type === 'done' && step !== 'reset') connection.showStep(walletStep, 'done');
}

/** Confirms a resend with the user, because only the user can see in the wallet whether the transaction was sent. */
async function confirmResend({ step }: PendingTransaction): Promise<boolean> {
  const resendLabel = vscode.l10n.t('Send it again');
  const question = vscode.l10n.t('Send this transaction once more? ({0})', getStepLabel(step));
  const detail = vscode.l10n.t(
    'Its outcome is unknown: the request to the wallet was interrupted, or the network does not know the transaction. Check the activity in your wallet. Send it again only if it is not there or you canceled it; otherwise, both may be carried out.',
  );
  return (await confirm({ question, detail }, resendLabel)) === resendLabel;
}
