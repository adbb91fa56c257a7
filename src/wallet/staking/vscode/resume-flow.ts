import * as vscode from 'vscode';
import { isAbout, type StakingRecord } from '../stake-journal.ts';
import { ask, tellQuietly, tellWarning } from '../../../platform/notifications.ts';
import { hasNewerRecord, JournalFile, unfinishedRecords } from './staking-files.ts';
import { type FlowEnd, runFlow } from './run-flow.ts';
import type { StakingSession } from './staking-session.ts';
import { purposeWords, stepName } from './staking-messages.ts';
import { flowDoneWords } from './flow-result.ts';

/** Result of an unfinished flow: none found, left (declined, or from a newer version), or ended. */
export type Resumed =
  | { readonly type: 'none' }
  | { readonly type: 'left' }
  | { readonly type: 'ended'; readonly record: StakingRecord; readonly end: FlowEnd };

/** Offers to go on with what was interrupted, before anything new is begun. */
export async function resumeFirst(session: StakingSession): Promise<Resumed> {
  if (await hasNewerRecord(session.folder, session.chain.id)) {
    void tellWarning(
      vscode.l10n.t(
        'A newer version of Inference Service left staking unfinished. Update the extension to finish it.',
      ),
    );
    return { type: 'left' };
  }
  const records = await unfinishedRecords(session.folder);
  const record = records.find((each) => isAbout(each, session.chain));
  if (record === undefined) {
    if (records.length > 0) tellElsewhere(records);
    return { type: 'none' };
  }
  const choice = await askToResume(record, session);
  if (choice === undefined) return { type: 'left' };
  if (choice === 'forget') {
    await new JournalFile(session.folder, record).clear();
    return { type: 'none' };
  }
  return { type: 'ended', record, end: await resume(session, record) };
}

/** It stays: with another profile, or the settings as they were, it can be gone on with. */
function tellElsewhere(records: readonly StakingRecord[]): void {
  const ids = [...new Set(records.map(({ chainId }) => chainId))].join(', ');
  tellQuietly(
    vscode.l10n.t('Something unfinished is kept for other contracts, or another chain ({0}).', ids),
  );
}

function resume(session: StakingSession, record: StakingRecord): Promise<FlowEnd> {
  const { purpose, from } = record;
  return runFlow(session, {
    purpose,
    title: purposeWords(record, session.checked.token),
    address: from,
    begin: async () => record,
    doneWords: (result, token) => flowDoneWords(record, { result, token }),
  });
}

async function askToResume(
  record: StakingRecord,
  { checked }: StakingSession,
): Promise<'resume' | 'forget' | undefined> {
  const resumeLabel = vscode.l10n.t('Resume');
  const forgetLabel = vscode.l10n.t('Forget it');
  const chosen = await ask(
    {
      question: vscode.l10n.t('Not finished: {0}', purposeWords(record, checked.token)),
      detail: [vscode.l10n.t('Account: {0}', record.from), stateOf(record)].join('\n'),
    },
    resumeLabel,
    forgetLabel,
  );
  if (chosen === resumeLabel) return 'resume';
  return chosen === forgetLabel ? 'forget' : undefined;
}

function stateOf({ sending }: StakingRecord): string {
  if (sending === undefined)
    return vscode.l10n.t(
      'No transaction is under way. You will see the next one before it is sent.',
    );
  const step = stepName(sending.step);
  return sending.hash === undefined
    ? vscode.l10n.t('{0}: your wallet was asked, the answer is not known.', step)
    : vscode.l10n.t(
        '{0}: sent as {1}. If you forget it, it may still come, and nothing here will notice.',
        step,
        sending.hash,
      );
}
