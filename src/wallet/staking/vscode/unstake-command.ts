import * as vscode from 'vscode';
import { createStakingRecord } from '../stake-flow.ts';
import type { StakingRecord } from '../stake-journal.ts';
import { planStep } from '../stake-plan.ts';
import type { StepParameters } from '../staking-steps.ts';
import { readUnstakeTerms, type UnstakeTerms } from '../staking-state.ts';
import type { Host } from '../../../host.ts';
import { showInformation } from '../../../platform/notifications.ts';
import { confirmReview } from '../../vscode/wallet-messages.ts';
import { promptForAmount } from './stake-command.ts';
import { formatFlowCompletion, offerResume, reportFlowOutcome } from './flow-result.ts';
import { withStakingSession, type FlowContext, runFlow, type StakingSession } from './run-flow.ts';
import { createFlowReview, getUnstakeWarning } from './staking-review.ts';
import { formatDuration, formatShortAmountWithSymbol } from './staking-messages.ts';

/**
 * Runs "Unstake": withdraws a requested amount if the cooldown has ended. Otherwise prompts for an
 * amount and starts the cooldown.
 * @returns true if something was withdrawn or unstaked
 */
export async function unstakeCommand(host: Host): Promise<boolean> {
  const hasUnstaked = await withStakingSession(host, async (session) => {
    const resumeResult = await offerResume(session);
    if (resumeResult.type === 'ended')
      reportFlowOutcome(resumeResult.outcome, { record: resumeResult.record, offersKey: false });
    return resumeResult.type === 'none' && unstakeTokens(session);
  });
  return hasUnstaked === true;
}

async function unstakeTokens(session: StakingSession): Promise<boolean> {
  let record: StakingRecord | undefined;
  const outcome = await runFlow(session, {
    purpose: 'unstake',
    title: vscode.l10n.t('Unstake {0}', session.checkedChain.token.symbol),
    begin: async (flowContext) => (record = await beginUnstake(session, flowContext)),
    formatDoneMessage: (result, token) => {
      const { purpose = 'unstake', amount = 0n } = record ?? {};
      return formatFlowCompletion({ purpose, amount }, { result, token });
    },
  });
  if (record !== undefined) reportFlowOutcome(outcome, { record, offersKey: false });
  return outcome.end === 'done';
}

async function beginUnstake(
  session: StakingSession,
  flowContext: FlowContext,
): Promise<StakingRecord | undefined> {
  const { chain, checkedChain } = session;
  const { from, state } = flowContext;
  const stakingAccount = { token: chain.token, staking: chain.staking, from };
  const terms = await readUnstakeTerms(checkedChain.client, stakingAccount);
  const problem = findUnstakeProblem(terms, flowContext);
  if (terms === undefined || problem !== undefined) {
    void showInformation(problem ?? '');
    return undefined;
  }
  const { pendingAmount, secondsLeft } = terms.cooldown;
  if (pendingAmount > 0n && secondsLeft === 0)
    return confirmUnstake(session, flowContext, {
      ...stakingAccount,
      purpose: 'withdraw',
      amount: pendingAmount,
    });
  const amount = await promptForAmount({
    title: vscode.l10n.t('Unstake {0}', state.symbol),
    prompt: `${vscode.l10n.t('Staked: {0}', formatShortAmountWithSymbol(terms.stakedBalance, state))}. ${formatWaitingNote(terms, flowContext)}`,
    token: state,
    maxAmount: terms.stakedBalance,
  });
  return amount === undefined
    ? undefined
    : confirmUnstake(session, flowContext, {
        ...stakingAccount,
        purpose: 'unstake',
        amount,
        terms,
      });
}

/** Returns a message for the user if nothing can be unstaked; otherwise `undefined`. */
function findUnstakeProblem(
  terms: UnstakeTerms | undefined,
  { from, state }: FlowContext,
): string | undefined {
  if (terms === undefined)
    return vscode.l10n.t(
      'The staking contract offers no way to unstake that is known here. The operator of the service says how it is done.',
    );
  const { pendingAmount, secondsLeft } = terms.cooldown;
  if (terms.stakedBalance > 0n || (pendingAmount > 0n && secondsLeft === 0)) return undefined;
  if (pendingAmount === 0n) return vscode.l10n.t('{0} has no stake.', from);
  const text = formatShortAmountWithSymbol(pendingAmount, state);
  return vscode.l10n.t('{0} can be withdrawn in {1}.', text, formatDuration(secondsLeft));
}

function formatWaitingNote(
  { cooldownSeconds, cooldown }: UnstakeTerms,
  { state }: FlowContext,
): string {
  const remainderNote = vscode.l10n.t('Unstaking takes {0}.', formatDuration(cooldownSeconds));
  if (cooldown.pendingAmount === 0n) return remainderNote;
  return `${remainderNote} ${vscode.l10n.t(
    '{0} wait already, for another {1}. Their waiting time may restart.',
    formatShortAmountWithSymbol(cooldown.pendingAmount, state),
    formatDuration(cooldown.secondsLeft),
  )}`;
}

interface UnstakeRequest extends StepParameters {
  readonly purpose: 'unstake' | 'withdraw';
  readonly terms?: UnstakeTerms;
}

async function confirmUnstake(
  { chain, checkedChain }: StakingSession,
  { state, kind }: FlowContext,
  { purpose, terms, ...parameters }: UnstakeRequest,
): Promise<StakingRecord | undefined> {
  const plan = await planStep(checkedChain.client, purpose, { parameters, state });
  const facts = { chainId: chain.id, state, time: Date.now(), plan };
  const record = createStakingRecord(purpose, parameters, facts);
  const warnings =
    terms === undefined
      ? []
      : [
          vscode.l10n.t('Unstaking takes {0}.', formatDuration(terms.cooldownSeconds)),
          getUnstakeWarning(),
        ];
  const review = createFlowReview({ chain, token: state, record }, { plan, warnings });
  const button = purpose === 'unstake' ? vscode.l10n.t('Unstake') : vscode.l10n.t('Withdraw');
  return (await confirmReview(review, button, kind)) ? record : undefined;
}
