import * as vscode from 'vscode';
import type { Verdict } from '../connection-verdict.ts';
import {
  offer,
  showCancellable,
  tellError,
  tellInformation,
} from '../../platform/notifications.ts';
import type { Account } from './account.ts';
import { balanceText, hostOf } from './account-view.ts';
import { rememberExpiry } from './key-in-use.ts';
import { otherKind, testConnection } from './connection-test.ts';
import { problemActions, problemSentence } from './connection-words.ts';

/** "Test connection": one sentence, whatever comes out. */
export async function testConnectionAloud(account: Account): Promise<void> {
  const verdict = await testWithProgress(account);
  if (verdict === undefined) return;
  if (!verdict.ok) return showProblem(account, verdict);
  const host = hostOf(account.profile);
  const balance = balanceText(account.balance);
  void tellInformation(
    balance === ''
      ? vscode.l10n.t('Connected to {0}.', host)
      : vscode.l10n.t('Connected to {0}. Balance: {1}.', host, balance),
  );
}

/** The same test after a key was set: says something only when something is wrong. */
export async function testConnectionQuietly(account: Account): Promise<boolean> {
  const verdict = await testWithProgress(account);
  if (verdict?.ok === false) await showProblem(account, verdict);
  return verdict?.ok === true;
}

/** Tests behind a notification that can be cancelled; `undefined` when it was. */
export function testWithProgress(account: Account): Promise<Verdict | undefined> {
  return showCancellable(vscode.l10n.t('Testing the connection…'), async (signal) => {
    const verdict = await testConnection(account, signal);
    if (verdict.ok) await rememberExpiry(account, verdict.limits?.keyExpiration);
    return signal.aborted ? undefined : verdict;
  });
}

async function showProblem(
  account: Account,
  verdict: Extract<Verdict, { ok: false }>,
): Promise<void> {
  const actions = problemActions(verdict, otherKind(account.transports.kind), account.key);
  await offer(tellError, problemSentence(account, verdict), actions);
}
