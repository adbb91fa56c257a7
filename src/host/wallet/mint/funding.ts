import * as vscode from 'vscode';
import type { Action } from '../../account/action.ts';
import { ask } from '../../tell.ts';
import { countdown, untilMidnightUtcMs } from './countdown.ts';
import { dashboardUrl } from './dashboard.ts';

/**
 * Says that a new key works but has nothing to spend yet, and what each source of funds needs (spec §5).
 * @param now Milliseconds since the Unix epoch.
 */
export async function explainFunding(now: number): Promise<void> {
  const actions = fundingActions();
  const chosen = await ask(
    {
      question: vscode.l10n.t('The API key works, but the account has nothing to spend yet'),
      detail: fundingWords(now),
    },
    ...actions.map(({ label }) => label),
  );
  await actions.find(({ label }) => label === chosen)?.run();
}

function fundingWords(now: number): string {
  const left = countdown(untilMidnightUtcMs(now));
  const sources = [
    vscode.l10n.t(
      'Daily credit from your stake: needs at least 0.1 staked DIEM, and grows with your share of the pool. It is filled up again at 00:00 UTC, in {0}.',
      left,
    ),
    vscode.l10n.t(
      'Credits by card or from a subscription: sign in to the service’s website with the same wallet and add them there, in the browser.',
    ),
    vscode.l10n.t(
      'US dollars bought with the website’s payment widget: the same sign-in, in the browser.',
    ),
  ];
  const order = vscode.l10n.t(
    'The key spends daily credit first, then bundled credits, then US dollars.',
  );
  const hint = dashboardUrl() === undefined ? missingDashboard() : '';
  return [...sources.map((source) => `• ${source}`), '', order, hint].join('\n').trim();
}

const missingDashboard = (): string =>
  vscode.l10n.t(
    'Set {0} to the address of that website to open it from here.',
    'inferenceService.dashboardUrl',
  );

function fundingActions(): Action[] {
  const url = dashboardUrl();
  const stake = {
    label: vscode.l10n.t('Stake'),
    run: () => vscode.commands.executeCommand('inferenceService.wallet.stake'),
  };
  if (url === undefined) return [stake];
  return [
    {
      label: vscode.l10n.t('Open website'),
      run: () => vscode.env.openExternal(vscode.Uri.parse(url.href, true)),
    },
    stake,
  ];
}
