import * as vscode from 'vscode';
import {
  type Action,
  confirm,
  showWithActions,
  showInformation,
  showStatusMessage,
  showWarning,
} from '../../../platform/notifications.ts';
import type { StakingResult } from '../stake-flow.ts';
import { isForChain, type StakingRecord } from '../stake-journal.ts';
import { type FlowOutcome, runFlow, type StakingSession } from './run-flow.ts';
import { hasNewerRecord, StakingJournalFile, readUnfinishedRecords } from './staking-files.ts';
import {
  formatPurpose,
  getStepLabel,
  formatShortAmountWithSymbol,
  type TokenFormat,
} from './staking-messages.ts';
import { formatWalletFailure } from '../../vscode/wallet-messages.ts';
import { stripEllipsis } from '../../../base/amounts.ts';

/** Describes the effect of a completed flow in one sentence. */
export function formatFlowCompletion(
  { purpose, amount }: Pick<StakingRecord, 'purpose' | 'amount'>,
  { result, token }: { result: StakingResult; token: TokenFormat },
): string {
  switch (purpose) {
    case 'stake':
      return vscode.l10n.t(
        '{0} are staked, which makes {1} in all.',
        formatShortAmountWithSymbol(amount, token),
        formatShortAmountWithSymbol(result.stakedBalance, token),
      );
    case 'revoke':
      return vscode.l10n.t('The staking contract may not take any {0}.', token.symbol);
    case 'unstake':
      return vscode.l10n.t(
        '{0} of the stake are being unstaked. Withdraw them with the same command when the waiting time is over.',
        formatShortAmountWithSymbol(amount, token),
      );
    case 'withdraw':
      return vscode.l10n.t(
        '{0} are back in your account.',
        formatShortAmountWithSymbol(amount, token),
      );
  }
}

export interface FlowReport {
  readonly record: Pick<StakingRecord, 'purpose' | 'amount'>;
  /** True to show a button that creates an API key after the flow. False if the caller mints an API key afterwards. */
  readonly offersKey: boolean;
}

/** Shows the outcome of a flow with buttons for the next steps. Does not wait until the user closes the message. */
export function reportFlowOutcome(outcome: FlowOutcome, report: FlowReport): void {
  if (outcome.end === 'done') reportCompletion(outcome, report);
  if (outcome.end === 'failed') reportFlowFailure(outcome);
}

function reportCompletion(
  { result, state: token }: Extract<FlowOutcome, { end: 'done' }>,
  { record, offersKey }: FlowReport,
): void {
  const keyAction: Action = {
    label: stripEllipsis(vscode.l10n.t('Get API Key with Wallet…')),
    run: () => vscode.commands.executeCommand('inferenceService.mintKey'),
  };
  const hasAllowance = result.allowance > 0n;
  const actions = [
    ...(record.purpose === 'stake' && offersKey ? [keyAction] : []),
    ...(hasAllowance ? [createRevokeAction()] : []),
  ];
  const messages = [formatFlowCompletion(record, { result, token })];
  if (hasAllowance) messages.push(formatAllowance(result.allowance, token));
  void showWithActions(showInformation, messages.join(' '), actions);
}

function reportFlowFailure({
  failure,
  remainingRecord,
  state: token,
}: Extract<FlowOutcome, { end: 'failed' }>): void {
  const resumeAction: Action = {
    label: vscode.l10n.t('Resume'),
    run: () => vscode.commands.executeCommand('inferenceService.wallet.stake'),
  };
  const isSending = remainingRecord?.sending !== undefined;
  const hasApproval = remainingRecord?.purpose === 'stake' && !isSending;
  const messages = [
    failure.code === 'stopped' && isSending ? getStoppedMessage() : formatWalletFailure(failure),
  ];
  if (hasApproval) messages.push(formatApproval(token));
  const actions = [
    ...(remainingRecord === undefined ? [] : [resumeAction]),
    ...(hasApproval ? [createRevokeAction()] : []),
  ];
  void showWithActions(showWarning, messages.join(' '), actions);
}

const getStoppedMessage = (): string =>
  vscode.l10n.t(
    'Waiting was stopped, but the transaction was sent or is still open in your wallet. Resume to check it.',
  );

const formatApproval = ({ symbol }: TokenFormat): string =>
  vscode.l10n.t('The staking contract may still take {0}.', symbol);

const formatAllowance = (allowance: bigint, token: TokenFormat): string =>
  vscode.l10n.t(
    'The staking contract may still take {0}.',
    formatShortAmountWithSymbol(allowance, token),
  );

const createRevokeAction = (): Action => ({
  label: vscode.l10n.t('Revoke approval'),
  run: () => vscode.commands.executeCommand('inferenceService.wallet.revokeApproval'),
});

/**
 * Result of {@link offerResume}. `none`: there is no unfinished flow for this chain, or the user discarded it. `left`:
 * an unfinished flow remains, because the user made no choice, or because a newer version of the extension started the
 * flow. `ended`: the flow was resumed and has ended.
 */
export type ResumeResult =
  | { readonly type: 'none' }
  | { readonly type: 'left' }
  | { readonly type: 'ended'; readonly record: StakingRecord; readonly outcome: FlowOutcome };

/** Prompts the user to resume or discard an interrupted flow before a new flow starts. */
export async function offerResume(session: StakingSession): Promise<ResumeResult> {
  if (await hasNewerRecord(session.folder, session.chain.id)) {
    void showWarning(
      vscode.l10n.t(
        'Created by a newer version of Inference Service. Update the extension to open it.',
      ),
    );
    return { type: 'left' };
  }
  const records = await readUnfinishedRecords(session.folder);
  const record = records.find((candidate) => isForChain(candidate, session.chain));
  if (record === undefined) {
    if (records.length > 0) reportOtherRecords(records);
    return { type: 'none' };
  }
  const choice = await confirmResume(record, session);
  if (choice === undefined) return { type: 'left' };
  if (choice === 'forget') {
    await new StakingJournalFile(session.folder, record).clear();
    return { type: 'none' };
  }
  return { type: 'ended', record, outcome: await resumeFlow(session, record) };
}

/**
 * Informs the user about unfinished flows on other chains or with other contracts, which the user can resume with the
 * matching profile or settings.
 */
function reportOtherRecords(records: readonly StakingRecord[]): void {
  const chainIds = [...new Set(records.map(({ chainId }) => chainId))].join(', ');
  showStatusMessage(
    vscode.l10n.t(
      'An unfinished operation is stored for other contracts, or another chain ({0}).',
      chainIds,
    ),
  );
}

function resumeFlow(session: StakingSession, record: StakingRecord): Promise<FlowOutcome> {
  const { purpose, from } = record;
  return runFlow(session, {
    purpose,
    title: formatPurpose(record, session.checkedChain.token),
    address: from,
    begin: async () => record,
    formatDoneMessage: (result, token) => formatFlowCompletion(record, { result, token }),
  });
}

async function confirmResume(
  record: StakingRecord,
  { checkedChain }: StakingSession,
): Promise<'resume' | 'forget' | undefined> {
  const resumeLabel = vscode.l10n.t('Resume');
  const forgetLabel = vscode.l10n.t('Discard');
  const choice = await confirm(
    {
      question: vscode.l10n.t('Not finished: {0}', formatPurpose(record, checkedChain.token)),
      detail: [
        vscode.l10n.t('{0}: {1}', vscode.l10n.t('Account'), record.from),
        describePendingStep(record),
      ].join('\n'),
    },
    resumeLabel,
    forgetLabel,
  );
  if (choice === resumeLabel) return 'resume';
  return choice === forgetLabel ? 'forget' : undefined;
}

function describePendingStep({ sending }: StakingRecord): string {
  if (sending === undefined)
    return vscode.l10n.t(
      'No transaction is under way. You will see the next one before it is sent.',
    );
  const stepLabel = getStepLabel(sending.step);
  return sending.hash === undefined
    ? vscode.l10n.t('{0}: the answer of your wallet is not known.', stepLabel)
    : vscode.l10n.t(
        '{0}: sent as {1}. If you forget it, it may still be carried out, without a message here.',
        stepLabel,
        sending.hash,
      );
}
