import * as vscode from 'vscode';
import type { ConnectionProblem, Verdict } from '../connection-verdict.ts';
import type { KeyState } from '../key-state.ts';
import type { TransportKind } from '../../platform/network.ts';
import { failureAction } from './failure-actions.ts';
import { setUserSetting } from '../../platform/settings.ts';
import type { Account } from './account.ts';
import { hostOf } from './account-view.ts';
import type { Action } from '../../platform/notifications.ts';

type Bad = Extract<Verdict, { ok: false }>;

/** What is wrong with the connection, in one sentence. */
export function problemSentence(account: Account, { problem, failure }: Bad): string {
  const host = hostOf(account.profile);
  switch (problem) {
    case 'no-address':
      return vscode.l10n.t('No address of the service is set.');
    case 'invalid-address':
    case 'trouble':
      return failure?.message ?? vscode.l10n.t('The service did not answer as expected.');
    case 'wrong-address':
      return vscode.l10n.t(
        'The service was not found at {0}: check the address, and that no sign-in page of the network is in the way.',
        account.profile.baseUrl,
      );
    case 'no-key':
      return account.view.message ?? vscode.l10n.t('No API key is set for {0}.', host);
    case 'wrong-key':
      return vscode.l10n.t('{0} does not accept the API key.', host);
    case 'no-credits':
      if (account.key.kind === 'wallet') {
        return vscode.l10n.t('{0} accepts the wallet, but its balance there is used up.', host);
      }
      return vscode.l10n.t('{0} accepts the API key, but there is nothing left to spend.', host);
    case 'offline':
      return vscode.l10n.t(
        '{0} cannot be reached: check the network connection and the address.',
        host,
      );
    case 'tls':
      return vscode.l10n.t(
        'The certificate of {0} is not trusted on this machine: install the network’s certificate in the system and keep {1} on.',
        host,
        'http.systemCertificates',
      );
    case 'proxy':
      return vscode.l10n.t(
        'The network proxy does not let the connection to {0} through: check {1} and {2}.',
        host,
        'http.proxy',
        'http.noProxy',
      );
  }
}

/** What a person can press below {@link problemSentence}, the most promising first. */
export function problemActions(
  { problem, otherWorks, failure }: Bad,
  other: TransportKind,
  key?: KeyState,
): Action[] {
  const usual = key?.kind === 'wallet' ? walletAction(problem, failure) : usualAction(problem);
  return [...(otherWorks ? [switchTo(other)] : []), ...(usual === undefined ? [] : [usual])];
}

const switchTo = (kind: TransportKind): Action =>
  kind === 'editor'
    ? failureAction('use-editor-transport')
    : {
        label: vscode.l10n.t('Use a direct connection'),
        run: () => setUserSetting('inferenceService.network.transport', 'direct'),
      };

function walletAction(problem: ConnectionProblem, failure: Bad['failure']): Action | undefined {
  if (problem === 'no-credits') return failureAction('top-up');
  return failure?.code === 'no-wallet' ? failureAction('connect-wallet') : usualAction(problem);
}

function usualAction(problem: ConnectionProblem): Action | undefined {
  switch (problem) {
    case 'no-address':
    case 'invalid-address':
    case 'wrong-address':
      return failureAction('set-address');
    case 'no-key':
    case 'wrong-key':
      return failureAction('set-key');
    case 'offline':
    case 'tls':
    case 'proxy':
      return failureAction('test-connection');
    case 'trouble':
      return failureAction('show-log');
    case 'no-credits':
      return undefined;
  }
}
