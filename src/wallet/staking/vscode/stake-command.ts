import * as vscode from 'vscode';
import { isRecord } from '../../../base/json.ts';
import type { Host } from '../../../host.ts';
import { showInformation } from '../../../platform/notifications.ts';
import type { Address } from '../../chain.ts';
import { getMsUntilRefresh } from '../../../account/budget.ts';
import { formatCountdown } from '../../mint/vscode/option-labels.ts';
import { formatShortAmount, formatTokenAmount, parseAmount } from '../amount.ts';
import { readUnstakeTerms } from '../staking-state.ts';
import { createStakingRecord } from '../stake-flow.ts';
import { isForChain, type StakingRecord } from '../stake-journal.ts';
import { planStake, planStep } from '../stake-plan.ts';
import { formatFlowCompletion, offerResume, reportFlowOutcome } from './flow-result.ts';
import {
  withStakingSession,
  type FlowContext,
  runFlow,
  type StakingSession,
  withProgress,
} from './run-flow.ts';
import { StakingJournalFile, readUnfinishedRecords } from './staking-files.ts';
import { formatAmountProblem, formatDuration, type TokenFormat } from './staking-messages.ts';
import { createFlowReview } from './staking-review.ts';
import { confirmReview } from '../../vscode/wallet-messages.ts';
import { WalletError } from '../../wallet-failure.ts';

export interface AmountPrompt {
  readonly title: string;
  /** Text that shows the available amount. Displayed below the input. */
  readonly prompt: string;
  readonly token: TokenFormat;
  /** Maximum amount that the user can enter, in the token's smallest unit. */
  readonly maxAmount: bigint;
}

/**
 * Prompts for an amount, with a button for the maximum. Resolves to `undefined` when the user closes the
 * input.
 */
export function promptForAmount({
  title,
  prompt,
  token,
  maxAmount,
}: AmountPrompt): Promise<bigint | undefined> {
  const input = vscode.window.createInputBox();
  const maxButton = { iconPath: new vscode.ThemeIcon('arrow-up'), tooltip: vscode.l10n.t('Max') };
  const limits = { decimals: token.decimals, maxAmount };
  input.title = title;
  input.prompt = prompt;
  input.placeholder = vscode.l10n.t('Amount');
  input.ignoreFocusOut = true;
  input.buttons = [maxButton];
  const validateInput = (): bigint | undefined => {
    const { amount, problem } = parseAmount(input.value, limits);
    const hasNoMessage = problem === undefined || input.value === '';
    input.validationMessage = hasNoMessage
      ? undefined
      : formatAmountProblem(problem, { token, maxAmount });
    return amount;
  };
  const { promise, resolve } = Promise.withResolvers<bigint | undefined>();
  input.onDidChangeValue(validateInput);
  input.onDidTriggerButton(() => {
    input.value = formatTokenAmount(maxAmount, token.decimals);
    validateInput();
  });
  input.onDidAccept(() => {
    const amount = validateInput();
    if (amount !== undefined) resolve(amount);
  });
  input.onDidHide(() => resolve(undefined));
  input.show();
  return promise.finally(() => input.dispose());
}

/**
 * Runs "Stake": resumes an interrupted flow. Otherwise prompts for an amount, shows every transaction, and stakes.
 * @param options `offersKey: false` if the caller mints an API key afterwards
 * @returns true when something was staked
 */
export async function stakeCommand(host: Host, options?: unknown): Promise<boolean> {
  const offersKey = !isRecord(options) || options['offersKey'] !== false;
  const hasStaked = await withStakingSession(host, async (session) => {
    const resumeResult = await offerResume(session);
    if (resumeResult.type === 'left') return false;
    if (resumeResult.type === 'ended') {
      const { record, outcome } = resumeResult;
      reportFlowOutcome(outcome, { record, offersKey });
      return outcome.end === 'done' && record.purpose === 'stake';
    }
    return startStake(session, offersKey);
  });
  return hasStaked === true;
}

async function startStake(session: StakingSession, offersKey: boolean): Promise<boolean> {
  let record: StakingRecord | undefined;
  const outcome = await runFlow(session, {
    purpose: 'stake',
    title: vscode.l10n.t('Stake {0}', session.checkedChain.token.symbol),
    begin: async (flowContext) => (record = await beginStaking(session, flowContext)),
    formatDoneMessage: (result, token) =>
      formatFlowCompletion({ purpose: 'stake', amount: record?.amount ?? 0n }, { result, token }),
  });
  if (record !== undefined) reportFlowOutcome(outcome, { record, offersKey });
  return outcome.end === 'done';
}

async function beginStaking(
  { chain, checkedChain, signal }: StakingSession,
  { from, kind, state }: FlowContext,
): Promise<StakingRecord | undefined> {
  if (state.balance === 0n)
    throw new WalletError('insufficient-funds', vscode.l10n.t('The balance is 0.'));
  const stakingAccount = { token: chain.token, staking: chain.staking, from };
  const terms = await readUnstakeTerms(checkedChain.client, stakingAccount).catch(() => undefined);
  const amount = await promptForAmount({
    title: vscode.l10n.t(
      'Stake {0}: {1} available, {2} staked',
      state.symbol,
      formatShortAmount(state.balance, state.decimals),
      formatShortAmount(state.stakedBalance, state.decimals),
    ),
    prompt: formatStakeTerms(terms?.cooldownSeconds, Date.now()),
    token: state,
    maxAmount: state.balance,
  });
  if (amount === undefined) return undefined;
  const parameters = { token: chain.token, staking: chain.staking, from, amount };
  const plan = await withProgress(vscode.l10n.t('Checking the chain'), signal, () =>
    planStake(checkedChain.client, parameters, state),
  );
  const facts = { chainId: chain.id, state, time: Date.now(), plan };
  const record = createStakingRecord('stake', parameters, facts);
  const review = createFlowReview({ chain, token: state, record }, { plan });
  return (await confirmReview(review, vscode.l10n.t('Stake'), kind)) ? record : undefined;
}

/**
 * Describes in two sentences the benefit of a stake (spec §5.5) and the duration of unstaking. Exported for tests.
 * @param cooldownSeconds Cooldown that the contract reports; `undefined` if it reports none.
 * @param now Milliseconds since the Unix epoch.
 */
export function formatStakeTerms(cooldownSeconds: number | undefined, now: number): string {
  const benefitNote = vscode.l10n.t(
    'A stake buys daily DIEM credit by your share of the pool, first at 00:00 UTC (in {0}), if at least 0.1 DIEM is staked.',
    formatCountdown(getMsUntilRefresh(now)),
  );
  const unstakingNote =
    cooldownSeconds === undefined
      ? vscode.l10n.t('This contract does not report how long unstaking takes.')
      : vscode.l10n.t('Unstaking takes {0}.', formatDuration(cooldownSeconds));
  return `${benefitNote} ${unstakingNote}`;
}

const revocation = { purpose: 'revoke', amount: 0n } as const;

/**
 * Runs "Revoke Approval for Staking": sets the staking contract's allowance to 0.
 * @returns true if the approval was revoked
 */
export async function revokeApprovalCommand(host: Host): Promise<boolean> {
  const isRevoked = await withStakingSession(host, async (session) => {
    const stoppedStake = await findStoppedStake(session);
    if (stoppedStake === undefined) {
      const resumeResult = await offerResume(session);
      if (resumeResult.type === 'ended')
        reportFlowOutcome(resumeResult.outcome, { record: resumeResult.record, offersKey: false });
      if (resumeResult.type !== 'none') return false;
    }
    return revokeAllowance(session, stoppedStake?.from);
  });
  return isRevoked === true;
}

/**
 * Finds an interrupted stake flow without a pending transaction, so that its approval can be
 * revoked.
 */
async function findStoppedStake({
  folder,
  chain,
}: StakingSession): Promise<StakingRecord | undefined> {
  const records = (await readUnfinishedRecords(folder)).filter((record) =>
    isForChain(record, chain),
  );
  const isSending = records.some(({ sending }) => sending !== undefined);
  return isSending ? undefined : records.find(({ purpose }) => purpose === 'stake');
}

async function revokeAllowance(
  session: StakingSession,
  address: Address | undefined,
): Promise<boolean> {
  const outcome = await runFlow(session, {
    purpose: 'revoke',
    title: vscode.l10n.t('Revoke the approval for {0}', session.checkedChain.token.symbol),
    ...(address === undefined ? {} : { address }),
    begin: (flowContext) => beginRevocation(session, flowContext),
    formatDoneMessage: (result, token) => formatFlowCompletion(revocation, { result, token }),
  });
  reportFlowOutcome(outcome, { record: revocation, offersKey: false });
  return outcome.end === 'done';
}

async function beginRevocation(
  { chain, checkedChain, folder }: StakingSession,
  { from, kind, state }: FlowContext,
): Promise<StakingRecord | undefined> {
  const { token, staking } = chain;
  const parameters = { token, staking, from, amount: 0n };
  const facts = { chainId: chain.id, state, time: Date.now() };
  if (state.allowance === 0n) {
    await new StakingJournalFile(folder, createStakingRecord('revoke', parameters, facts)).clear();
    void showInformation(vscode.l10n.t('The staking contract may not take any {0}.', state.symbol));
    return undefined;
  }
  const plan = await planStep(checkedChain.client, 'revoke', { parameters, state });
  const record = createStakingRecord('revoke', parameters, { ...facts, plan });
  const review = createFlowReview(
    { chain, token: state, record },
    { plan: { ...plan, allowanceAfter: 0n } },
  );
  return (await confirmReview(review, vscode.l10n.t('Revoke'), kind)) ? record : undefined;
}
