import * as vscode from 'vscode';
import { msUntilRefresh } from '../../../account/budget.ts';
import type { Profile } from '../../../account/profile.ts';
import { displayHost } from '../../../account/vscode/account-view.ts';
import {
  otherTransportKind,
  problemActions,
  problemSentence,
  testWithProgress,
} from '../../../account/vscode/connection-test.ts';
import { activateProfile } from '../../../account/vscode/profile-settings.ts';
import { dashboardUrl } from '../../../account/vscode/website.ts';
import { systemClock } from '../../../base/clock.ts';
import type { Host } from '../../../host.ts';
import {
  type Action,
  confirm,
  showWithActions,
  showError,
  showInformation,
} from '../../../platform/notifications.ts';
import type { KeyRecord } from '../../../service/key-record.ts';
import { formatBalance } from '../../chain-client.ts';
import type { Chain } from '../../chain.ts';
import { formatCountdown, expiryLabel, limitLabel } from './option-labels.ts';
import { profileChain, readStakedBalance } from '../../vscode/profile-chain.ts';
import { KnownAccounts } from '../../vscode/known-accounts.ts';

/**
 * Explains that a new key works but the account has no funds, and describes the requirements of
 * each source of funds (spec §5). Does not suggest staking to a user who already has a stake.
 * @param now Milliseconds since the Unix epoch.
 */
export async function explainFunding(host: Host, now: number): Promise<void> {
  const chain = chainFor(host);
  const stake = await readStake(host, chain);
  const actions = fundingActions(chain, stake);
  const chosen = await confirm(
    {
      question: vscode.l10n.t(
        'The API key works and is in use, but the account has nothing to spend yet',
      ),
      detail: fundingDetail(now, stake),
    },
    ...actions.map(({ label }) => label),
  );
  await actions.find(({ label }) => label === chosen)?.run();
}

/** Returns the chain of the active profile; `undefined` when none is configured. */
function chainFor({ account }: Host): Chain | undefined {
  try {
    return profileChain(account);
  } catch {
    return undefined;
  }
}

/** Returns the formatted stake of the current account; `undefined` when it is zero or unknown. */
async function readStake(host: Host, chain: Chain | undefined): Promise<string | undefined> {
  const account = new KnownAccounts(host.context).current;
  if (account === undefined || chain === undefined) return undefined;
  const { signal } = new AbortController();
  const balance = await readStakedBalance(host, { chain, address: account.address, signal });
  return balance !== undefined && balance.value > 0n ? formatBalance(balance) : undefined;
}

function fundingDetail(now: number, stake: string | undefined): string {
  const remainingTime = formatCountdown(msUntilRefresh(now));
  const sources = [
    stake === undefined
      ? vscode.l10n.t(
          'Daily credit from your stake: needs at least 0.1 staked DIEM, and grows with your share of the pool. It is filled up again at 00:00 UTC, in {0}.',
          remainingTime,
        )
      : vscode.l10n.t(
          'Daily credit from your stake: {0} are staked. Where that is at least 0.1 DIEM, the credit comes at the next 00:00 UTC, in {1}; it grows with your share of the pool.',
          stake,
          remainingTime,
        ),
    vscode.l10n.t(
      'Credits by card or from a subscription: sign in to the service’s website with the same wallet and add them there, in the browser.',
    ),
    vscode.l10n.t(
      'US dollars bought with the website’s payment widget: the same sign-in, in the browser.',
    ),
  ];
  const orderHint = vscode.l10n.t(
    'The key spends daily credit first, then bundled credits, then US dollars.',
  );
  const hint = dashboardUrl() === undefined ? missingDashboard() : '';
  return [...sources.map((source) => `• ${source}`), '', orderHint, hint].join('\n').trim();
}

const missingDashboard = (): string =>
  vscode.l10n.t(
    'Set {0} to the address of that website to open it from here.',
    'inferenceService.dashboardUrl',
  );

function fundingActions(chain: Chain | undefined, stake: string | undefined): Action[] {
  const url = dashboardUrl();
  const websiteAction = {
    label: vscode.l10n.t('Open website'),
    run: () => vscode.env.openExternal(vscode.Uri.parse(url?.href ?? '', true)),
  };
  const topUp = {
    label: vscode.l10n.t('Top up'),
    run: () => vscode.commands.executeCommand('inferenceService.wallet.topUp'),
  };
  const stakeAction = {
    label: vscode.l10n.t('Stake'),
    run: () => vscode.commands.executeCommand('inferenceService.wallet.stake'),
  };
  return [
    ...(url === undefined ? [] : [websiteAction]),
    ...(chain?.usdc === undefined ? [] : [topUp]),
    ...(stake === undefined ? [stakeAction] : []),
  ];
}

interface Minted {
  /** Profile of the new key. */
  readonly profile: Profile;
  readonly record: KeyRecord;
}

/** Activates the profile of the key, tests the connection and opens the chat. */
export async function startUsingKey(host: Host, minted: Minted): Promise<void> {
  const { account } = host;
  if (minted.record.type === 'ADMIN') return showAdminKeyStored(minted);
  if (account.profileId !== minted.profile.id) await activateProfile(minted.profile.id);
  const verdict = await testWithProgress(account);
  if (verdict === undefined) return;
  if (verdict.ok) return openChat(minted);
  if (verdict.problem === 'no-credits') return explainFunding(host, systemClock.now());
  const actions = problemActions(verdict, otherTransportKind(account.transports.kind));
  await showWithActions(showError, problemSentence(account, verdict), actions);
}

async function openChat({ profile, record }: Minted): Promise<void> {
  void showInformation(
    vscode.l10n.t(
      'The API key of {0} is in use. Expires: {1}. Limit: {2}.',
      displayHost(profile),
      expiryLabel(record),
      limitLabel(record),
    ),
  );
  await vscode.commands.executeCommand('inferenceService.focusChat');
}

async function showAdminKeyStored({ profile }: Minted): Promise<void> {
  const show = {
    label: vscode.l10n.t('Show keys'),
    run: () => vscode.commands.executeCommand('inferenceService.keys.show'),
  };
  const message = vscode.l10n.t(
    'The admin key of {0} is kept for managing keys. Chats go on with the API key they have.',
    displayHost(profile),
  );
  await showWithActions(showInformation, message, [show]);
}
