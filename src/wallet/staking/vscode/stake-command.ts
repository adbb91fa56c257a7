import * as vscode from 'vscode';
import { isRecord } from '../../../base/json.ts';
import { newRecord } from '../stake-flow.ts';
import type { StakingRecord } from '../stake-journal.ts';
import { planStake } from '../stake-plan.ts';
import { WalletError } from '../../wallet-failure.ts';
import type { Host } from '../../../host.ts';
import { confirmReview } from '../../vscode/wallet-messages.ts';
import { askAmount } from './ask-amount.ts';
import { resumeFirst } from './resume-flow.ts';
import { type OpenedFlow, runFlow } from './run-flow.ts';
import { flowReview } from './staking-review.ts';
import { inStakingSession, type StakingSession, withProgress } from './staking-session.ts';
import { tokenText } from './staking-messages.ts';
import { flowDoneWords, tellFlowEnd } from './flow-result.ts';

/**
 * "Stake": goes on with what was interrupted, else asks for an amount, shows all that will be sent, and stakes it.
 * @param options `offersKey: false` from who leads on to a key anyway
 * @returns true when something was staked
 */
export async function stakeCommand(host: Host, options?: unknown): Promise<boolean> {
  const offersKey = !isRecord(options) || options['offersKey'] !== false;
  const staked = await inStakingSession(host, async (session) => {
    const resumed = await resumeFirst(session);
    if (resumed.type === 'left') return false;
    if (resumed.type === 'ended') {
      const { record, end } = resumed;
      tellFlowEnd(end, { record, offersKey });
      return end.end === 'done' && record.purpose === 'stake';
    }
    return stakeAnew(session, offersKey);
  });
  return staked === true;
}

async function stakeAnew(session: StakingSession, offersKey: boolean): Promise<boolean> {
  let record: StakingRecord | undefined;
  const end = await runFlow(session, {
    purpose: 'stake',
    title: vscode.l10n.t('Stake {0}', session.checked.token.symbol),
    begin: async (opened) => (record = await begin(session, opened)),
    doneWords: (result, token) =>
      flowDoneWords({ purpose: 'stake', amount: record?.amount ?? 0n }, { result, token }),
  });
  if (record !== undefined) tellFlowEnd(end, { record, offersKey });
  return end.end === 'done';
}

async function begin(
  { chain, checked, signal }: StakingSession,
  { from, state }: OpenedFlow,
): Promise<StakingRecord | undefined> {
  if (state.balance === 0n)
    throw new WalletError(
      'insufficient-funds',
      vscode.l10n.t('{0} holds no {1}.', from, state.symbol),
    );
  const amount = await askAmount({
    title: vscode.l10n.t('Stake {0}', state.symbol),
    prompt: vscode.l10n.t(
      'You have {0}. {1} are staked already.',
      tokenText(state.balance, state),
      tokenText(state.staked, state),
    ),
    token: state,
    most: state.balance,
  });
  if (amount === undefined) return undefined;
  const subject = { token: chain.token, staking: chain.staking, from, amount };
  const plan = await withProgress(
    vscode.l10n.t('Trying the stake without sending it'),
    signal,
    () => planStake(checked.client, subject, state),
  );
  const facts = { chainId: chain.id, state, time: Date.now(), plan };
  const record = newRecord('stake', subject, facts);
  const review = flowReview({ chain, token: state, record }, { plan });
  return (await confirmReview(review, vscode.l10n.t('Stake'))) ? record : undefined;
}
