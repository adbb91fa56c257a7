import * as vscode from 'vscode';
import { untilRefresh } from '../../../account/budget.ts';
import { balanceText } from '../../balances.ts';
import type { Chain } from '../../chain.ts';
import { type Action, ask } from '../../../platform/notifications.ts';
import type { Host } from '../../../host.ts';
import { chainOf, stakedBalance } from '../../vscode/chain-settings.ts';
import { KnownAccounts } from '../../vscode/known-accounts.ts';
import { countdown } from './countdown.ts';
import { dashboardUrl } from '../../../account/vscode/website.ts';

/**
 * Says that a new key works but has nothing to spend yet, and what each source of funds needs (spec §5). Whoever has a
 * stake already is not asked for one.
 * @param now Milliseconds since the Unix epoch.
 */
export async function explainFunding(host: Host, now: number): Promise<void> {
  const chain = chainFor(host);
  const stake = await stakeOf(host, chain);
  const actions = fundingActions(chain, stake);
  const chosen = await ask(
    {
      question: vscode.l10n.t(
        'The API key works and is in use, but the account has nothing to spend yet',
      ),
      detail: fundingWords(now, stake),
    },
    ...actions.map(({ label }) => label),
  );
  await actions.find(({ label }) => label === chosen)?.run();
}

/** Absent where none is configured. */
function chainFor({ account }: Host): Chain | undefined {
  try {
    return chainOf(account);
  } catch {
    return undefined;
  }
}

/** What the account in use has staked, with its symbol; undefined when that is nothing, or not known. */
async function stakeOf(host: Host, chain: Chain | undefined): Promise<string | undefined> {
  const account = new KnownAccounts(host.context).current;
  if (account === undefined || chain === undefined) return undefined;
  const { signal } = new AbortController();
  const staked = await stakedBalance(host, { chain, address: account.address, signal });
  return staked !== undefined && staked.value > 0n ? balanceText(staked) : undefined;
}

function fundingWords(now: number, stake: string | undefined): string {
  const left = countdown(untilRefresh(now));
  const sources = [
    stake === undefined
      ? vscode.l10n.t(
          'Daily credit from your stake: needs at least 0.1 staked DIEM, and grows with your share of the pool. It is filled up again at 00:00 UTC, in {0}.',
          left,
        )
      : vscode.l10n.t(
          'Daily credit from your stake: {0} are staked. Where that is at least 0.1 DIEM, the credit comes at the next 00:00 UTC, in {1}; it grows with your share of the pool.',
          stake,
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

function fundingActions(chain: Chain | undefined, stake: string | undefined): Action[] {
  const url = dashboardUrl();
  const website = {
    label: vscode.l10n.t('Open website'),
    run: () => vscode.env.openExternal(vscode.Uri.parse(url?.href ?? '', true)),
  };
  const topUp = {
    label: vscode.l10n.t('Top up'),
    run: () => vscode.commands.executeCommand('inferenceService.wallet.topUp'),
  };
  const beginStake = {
    label: vscode.l10n.t('Stake'),
    run: () => vscode.commands.executeCommand('inferenceService.wallet.stake'),
  };
  return [
    ...(url === undefined ? [] : [website]),
    ...(chain?.usdc === undefined ? [] : [topUp]),
    ...(stake === undefined ? [beginStake] : []),
  ];
}
