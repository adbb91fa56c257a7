import * as vscode from 'vscode';
import type { Address } from '../../chain.ts';
import { newRecord } from '../stake-flow.ts';
import { isAbout, type StakingRecord } from '../stake-journal.ts';
import { planStep } from '../stake-plan.ts';
import type { Host } from '../../../host.ts';
import { tellInformation } from '../../../platform/notifications.ts';
import { confirmReview } from '../../vscode/wallet-messages.ts';
import { JournalFile, unfinishedRecords } from './staking-files.ts';
import { resumeFirst } from './resume-flow.ts';
import { type OpenedFlow, runFlow } from './run-flow.ts';
import { flowReview } from './staking-review.ts';
import { inStakingSession, type StakingSession } from './staking-session.ts';
import { flowDoneWords, tellFlowEnd } from './flow-result.ts';

const nothing = { purpose: 'revoke', amount: 0n } as const;

/**
 * "Revoke approval": sets what the staking contract may take to 0.
 * @returns true when it did
 */
export async function revokeApprovalCommand(host: Host): Promise<boolean> {
  const revoked = await inStakingSession(host, async (session) => {
    const left = await stakeThatStopped(session);
    if (left === undefined) {
      const resumed = await resumeFirst(session);
      if (resumed.type === 'ended')
        tellFlowEnd(resumed.end, { record: resumed.record, offersKey: false });
      if (resumed.type !== 'none') return false;
    }
    return revoke(session, left?.from);
  });
  return revoked === true;
}

/** After its approval and before its stake: what is revoked is that approval. */
async function stakeThatStopped({
  folder,
  chain,
}: StakingSession): Promise<StakingRecord | undefined> {
  const records = (await unfinishedRecords(folder)).filter((each) => isAbout(each, chain));
  const isUnderWay = records.some(({ sending }) => sending !== undefined);
  return isUnderWay ? undefined : records.find(({ purpose }) => purpose === 'stake');
}

async function revoke(session: StakingSession, address: Address | undefined): Promise<boolean> {
  const end = await runFlow(session, {
    purpose: 'revoke',
    title: vscode.l10n.t('Revoke the approval for {0}', session.checked.token.symbol),
    ...(address === undefined ? {} : { address }),
    begin: (opened) => begin(session, opened),
    doneWords: (result, token) => flowDoneWords(nothing, { result, token }),
  });
  tellFlowEnd(end, { record: nothing, offersKey: false });
  return end.end === 'done';
}

async function begin(
  { chain, checked, folder }: StakingSession,
  { from, state }: OpenedFlow,
): Promise<StakingRecord | undefined> {
  const { token, staking } = chain;
  const subject = { token, staking, from, amount: 0n };
  const facts = { chainId: chain.id, state, time: Date.now() };
  if (state.allowance === 0n) {
    await new JournalFile(folder, newRecord('revoke', subject, facts)).clear();
    void tellInformation(
      vscode.l10n.t('The staking contract may not take any {0} of {1}.', state.symbol, from),
    );
    return undefined;
  }
  const plan = await planStep(checked.client, 'revoke', { subject, state });
  const record = newRecord('revoke', subject, { ...facts, plan });
  const review = flowReview(
    { chain, token: state, record },
    { plan: { ...plan, allowanceAfter: 0n } },
  );
  return (await confirmReview(review, vscode.l10n.t('Revoke'))) ? record : undefined;
}
