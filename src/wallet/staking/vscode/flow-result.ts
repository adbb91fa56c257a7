import * as vscode from 'vscode';
import type { StakingResult } from '../stake-flow.ts';
import type { StakingRecord } from '../stake-journal.ts';
import {
  type Action,
  offer,
  tellInformation,
  tellWarning,
} from '../../../platform/notifications.ts';
import { walletFailureWords } from '../../vscode/wallet-messages.ts';
import type { FlowEnd } from './run-flow.ts';
import { tokenText, type TokenWords } from './staking-messages.ts';

/** What a flow has changed, in one sentence. */
export function flowDoneWords(
  { purpose, amount }: Pick<StakingRecord, 'purpose' | 'amount'>,
  { result, token }: { result: StakingResult; token: TokenWords },
): string {
  switch (purpose) {
    case 'stake':
      return vscode.l10n.t(
        '{0} are staked, which makes {1} in all.',
        tokenText(amount, token),
        tokenText(result.staked, token),
      );
    case 'revoke':
      return vscode.l10n.t('The staking contract may not take any {0} any more.', token.symbol);
    case 'unstake':
      return vscode.l10n.t(
        '{0} of the stake are asked back. Withdraw them with the same command when the waiting time is over.',
        tokenText(amount, token),
      );
    case 'withdraw':
      return vscode.l10n.t('{0} are back in your account.', tokenText(amount, token));
  }
}

export interface Telling {
  readonly record: Pick<StakingRecord, 'purpose' | 'amount'>;
  /** A key is what most people stake for; not offered to who is on the way to one. */
  readonly offersKey: boolean;
}

/** Tells how a flow ended, and offers what is left to do. Resolves at once. */
export function tellFlowEnd(end: FlowEnd, telling: Telling): void {
  if (end.end === 'done') tellDone(end, telling);
  if (end.end === 'failed') tellFailed(end);
}

function tellDone(
  { result, state: token }: Extract<FlowEnd, { end: 'done' }>,
  { record, offersKey }: Telling,
): void {
  const key: Action = {
    label: vscode.l10n.t('Get API key'),
    run: () => vscode.commands.executeCommand('inferenceService.mintKey'),
  };
  const left = result.allowance > 0n;
  const actions = [
    ...(record.purpose === 'stake' && offersKey ? [key] : []),
    ...(left ? [revokeAction()] : []),
  ];
  const words = [flowDoneWords(record, { result, token })];
  if (left) words.push(allowanceWords(result.allowance, token));
  void offer(tellInformation, words.join(' '), actions);
}

function tellFailed({ failure, left, state: token }: Extract<FlowEnd, { end: 'failed' }>): void {
  const resume: Action = {
    label: vscode.l10n.t('Resume'),
    run: () => vscode.commands.executeCommand('inferenceService.wallet.stake'),
  };
  const isUnderWay = left?.sending !== undefined;
  const hasApproval = left?.purpose === 'stake' && !isUnderWay;
  const words = [
    failure.code === 'stopped' && isUnderWay ? stoppedWords() : walletFailureWords(failure),
  ];
  if (hasApproval) words.push(approvalWords(token));
  const actions = [
    ...(left === undefined ? [] : [resume]),
    ...(hasApproval ? [revokeAction()] : []),
  ];
  void offer(tellWarning, words.join(' '), actions);
}

const stoppedWords = (): string =>
  vscode.l10n.t(
    'Nobody waits for the transaction any more, but it was sent or your wallet still has the question, so it may still come. Resume to look what became of it.',
  );

const approvalWords = ({ symbol }: TokenWords): string =>
  vscode.l10n.t(
    'The approval for {0} went through and is still there: go on with the stake, or revoke the approval.',
    symbol,
  );

const allowanceWords = (allowance: bigint, token: TokenWords): string =>
  vscode.l10n.t('The staking contract may still take {0}.', tokenText(allowance, token));

const revokeAction = (): Action => ({
  label: vscode.l10n.t('Revoke approval'),
  run: () => vscode.commands.executeCommand('inferenceService.wallet.revokeApproval'),
});
