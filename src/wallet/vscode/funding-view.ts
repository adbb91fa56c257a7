import * as vscode from 'vscode';
import { getMsUntilRefresh } from '../../account/budget.ts';
import { canSpend, type KeyState } from '../../account/key-state.ts';
import type { Account } from '../../account/vscode/account.ts';
import { createFailureAction } from '../../account/vscode/failure-actions.ts';
import { formatUsd } from '../../base/amounts.ts';
import { omitUndefined } from '../../base/json.ts';
import { convertNanoToNumber } from '../../base/nano-amount.ts';
import type { Host } from '../../host.ts';
import type { CommandId } from '../../platform/command-ids.ts';
import {
  type Action,
  confirm,
  showCancellable,
  showInformation,
  showWithActions,
} from '../../platform/notifications.ts';
import { getRateLimits } from '../../service/api-keys.ts';
import { getBalance } from '../../service/billing.ts';
import { getWalletBalance } from '../../service/x402.ts';
import { type Balance, formatBalance } from '../chain-client.ts';
import type { Chain } from '../chain.ts';
import { createKeyManagement } from '../keys/vscode/management.ts';
import { formatCountdown } from '../mint/vscode/option-labels.ts';
import { KnownAccounts } from './known-accounts.ts';
import { getProfileChain, readStakedBalance } from './profile-chain.ts';
import { getSetting } from '../../platform/settings.ts';

/**
 * Runs "Show Funding": shows what pays for the next request, the balances, and the sources of funds with their
 * requirements (spec §5). The buttons depend on whether a key or a wallet authenticates requests.
 */
export async function showFunding(host: Host): Promise<void> {
  if (!canSpend(host.account.key)) return explainNoFunding(host.account.key);
  const title = vscode.l10n.t('Show Funding');
  const loadedFunding = await showCancellable(title, async (signal, report) => {
    report(vscode.l10n.t('Loading…'));
    const [funds, stake] = await Promise.all([
      readFunds(host.account, signal),
      readStake(host, signal),
    ]);
    return signal.aborted ? undefined : { funds, stake };
  });
  if (loadedFunding === undefined) return;
  const facts: FundingFacts = {
    ...loadedFunding,
    paysByWallet: host.account.key.kind === 'wallet',
    now: host.service.clock.now(),
  };
  const actions = createFundingActions(host.account, facts.stake);
  const choice = await confirm(formatFunding(facts), ...actions.map(({ label }) => label));
  await actions.find(({ label }) => label === choice)?.run();
}

/**
 * Informs the user that a new key works but cannot pay for requests yet. If the stake is sufficient, shows the time
 * until the next daily credit for the stake. Otherwise, offers to add credits.
 * @param problemSentence Text to show if the stake is unknown.
 */
export async function notifyUnfundedKey(host: Host, problemSentence: string): Promise<void> {
  const stake = await readStake(host, new AbortController().signal);
  if (isSufficientStake(stake)) {
    const waitText = formatCountdown(getMsUntilRefresh(host.service.clock.now()));
    return showWithActions(
      showInformation,
      vscode.l10n.t(
        'The API key works. The stake gives the next credit at 00:00 UTC, in {0}.',
        waitText,
      ),
      [],
    );
  }
  const message =
    stake === undefined
      ? problemSentence
      : vscode.l10n.t(
          'The API key works, but has nothing to spend: at least 0.1 DIEM must be staked.',
        );
  await showWithActions(showInformation, message, [createFailureAction('add-credits')]);
}

/** Explains why no funding is shown: requests need no funds, or cannot be sent. */
async function explainNoFunding({ kind }: KeyState): Promise<void> {
  const { label, run } = createFailureAction('set-key');
  const isKeyless = kind === 'keyless';
  const message = isKeyless
    ? vscode.l10n.t('This server answers without an API key, so there is nothing to fund.')
    : vscode.l10n.t('Without an API key there is nothing to fund. Set an API key first.');
  await showWithActions(showInformation, message, isKeyless ? [] : [{ label, run }]);
}

/** Returns the chain of the active profile; `undefined` when none is configured. */
function findChain({ account }: Host): Chain | undefined {
  try {
    return getProfileChain(account);
  } catch {
    return undefined;
  }
}

/** Timeout in milliseconds for reading the balances. After the timeout, the view shows the amounts that are known. */
const readTimeoutMs = 10_000;

/**
 * Reads the amounts that pay for requests. If the replies lack an amount, uses the amount from the headers of earlier
 * responses. Omits an amount that is unknown. Never throws.
 */
export async function readFunds(account: Account, outerSignal: AbortSignal): Promise<Funds> {
  const signal = AbortSignal.any([outerSignal, AbortSignal.timeout(readTimeoutMs)]);
  const { key, service, balance } = account;
  if (key.kind === 'wallet') {
    const walletBalance = await getWalletBalance(service, { address: key.address, signal }).catch(
      returnUndefined,
    );
    return walletBalance === undefined
      ? balance
      : omitUndefined({ usd: walletBalance.usd, diem: walletBalance.diem });
  }
  const [limits, accountFunds] = await Promise.all([
    getRateLimits(service, { signal }).catch(returnUndefined),
    readAccountFunds(account, signal),
  ]);
  // The management key can belong to another account.
  return { ...balance, ...accountFunds, ...limits?.balances };
}

const returnUndefined = (): undefined => undefined;

/** Reads the balances of the account and today's DIEM allocation. Empty if the key is not of type ADMIN. */
async function readAccountFunds(account: Account, signal: AbortSignal): Promise<Funds> {
  try {
    const balance = await getBalance(createKeyManagement(account).service, { signal });
    const amountEntries = Object.entries(balance).map(([name, amount]) => [
      name,
      convertNanoToNumber(amount),
    ]);
    return Object.fromEntries(amountEntries) as Funds;
  } catch {
    return {};
  }
}

type Stake = Balance & { readonly value: bigint };

/** Returns the stake of the current account; `undefined` when it is zero or unknown. */
async function readStake(host: Host, signal: AbortSignal): Promise<Stake | undefined> {
  const account = new KnownAccounts(host.context).currentAccount;
  const chain = findChain(host);
  if (account === undefined || chain === undefined) return undefined;
  const balance = await readStakedBalance(host, { chain, address: account.address, signal });
  return balance !== undefined && balance.value > 0n ? balance : undefined;
}

/** Checks whether the stake is at least 0.1, the minimum for a share of the daily DIEM (spec §5.5). */
const isSufficientStake = (stake: Stake | undefined): boolean =>
  stake !== undefined && stake.value * 10n >= 10n ** BigInt(stake.decimals);

function formatNextPayer(funds: Funds, paysByWallet: boolean): string {
  switch (getNextFundingSource(funds, paysByWallet)) {
    case 'diem':
      return vscode.l10n.t('DIEM pays for the next request');
    case 'bundled':
      return vscode.l10n.t('Bundled credits pay for the next request');
    case 'usd':
      return vscode.l10n.t('US dollars pay for the next request');
    case 'none':
      return vscode.l10n.t('The account has nothing to spend');
    case undefined:
      return vscode.l10n.t('The service does not report all balances');
  }
}

interface FundingFacts {
  readonly funds: Funds;
  /** Stake of the current account; `undefined` when it is zero or unknown. */
  readonly stake: Stake | undefined;
  readonly paysByWallet: boolean;
  /** Current time in milliseconds since the Unix epoch. */
  readonly now: number;
}

/**
 * Describes what pays for the next request, the balances, and the time until the DIEM allocation refreshes. Lists the
 * balances one per line, in the order in which the service spends them. Omits unknown amounts. Exported for tests.
 */
export function formatFunding({ funds, stake, paysByWallet, now }: FundingFacts): {
  readonly question: string;
  readonly detail: string;
} {
  const payerNote = paysByWallet
    ? vscode.l10n.t('The wallet’s balance at the service pays for requests.')
    : vscode.l10n.t('With {0}, the wallet pays, not the key.', getTopUpAndSwitchLabel());
  const refreshNote = vscode.l10n.t(
    'DIEM refreshes at 00:00 UTC, in {0}.',
    formatCountdown(getMsUntilRefresh(now)),
  );
  const diemNote = isSufficientStake(stake)
    ? refreshNote
    : `${vscode.l10n.t('DIEM needs at least 0.1 staked DIEM.')} ${refreshNote}`;
  const lines = [...formatAmountLines(funds, stake), '', diemNote, payerNote];
  return { question: formatNextPayer(funds, paysByWallet), detail: lines.join('\n').trim() };
}

function formatAmountLines(
  { diem, diemAllocation, bundled, usd }: Funds,
  stake: Stake | undefined,
): string[] {
  const amounts = [
    diem !== undefined && formatDiemLine(diem, diemAllocation),
    bundled !== undefined && vscode.l10n.t('Bundled credits: {0}', formatUsd(bundled)),
    usd !== undefined && vscode.l10n.t('US dollars: {0}', formatUsd(usd)),
    stake !== undefined && vscode.l10n.t('Staked: {0}', formatBalance(stake) ?? ''),
  ];
  return amounts.filter((line) => line !== false).map((line) => `• ${line}`);
}

const formatDiemLine = (diem: number, allocation: number | undefined): string =>
  allocation === undefined
    ? vscode.l10n.t('DIEM left today: {0}', formatDiem(diem))
    : vscode.l10n.t('DIEM left today: {0} of {1}', formatDiem(diem), formatDiem(allocation));

const formatDiem = (amount: number): string => String(Number(amount.toFixed(4)));

const getTopUpAndSwitchLabel = (): string => vscode.l10n.t('Top Up and Switch');

/**
 * Returns the buttons of the view, which depend on whether a key or a wallet authenticates requests. A key cannot spend
 * the balance that a top-up fills (spec §5.6), so the top-up button for a key also switches requests to the wallet.
 * Staking is the default only if the stake is too small to give DIEM. Exported for tests.
 */
export function createFundingActions(
  account: Pick<Account, 'getEndpoint' | 'key'>,
  currentStake?: Stake,
): readonly Action[] {
  if (!canSpend(account.key)) return [];
  const createTopUpAction = (label: string): Action =>
    createCommandAction(label, 'inferenceService.wallet.topUp');
  if (account.key.kind === 'wallet') return [createTopUpAction(vscode.l10n.t('Top up…'))];
  const stakeAction = createCommandAction(vscode.l10n.t('Stake'), 'inferenceService.wallet.stake');
  const dashboardAction = { label: vscode.l10n.t('Dashboard'), run: () => openDashboard(account) };
  const sources = isSufficientStake(currentStake)
    ? [dashboardAction, stakeAction]
    : [stakeAction, dashboardAction];
  return [...sources, createTopUpAction(getTopUpAndSwitchLabel())];
}

const createCommandAction = (label: string, command: CommandId): Action => ({
  label,
  run: () => vscode.commands.executeCommand(command),
});

/** Amounts that an account can spend, in units of their currency. An unknown amount is absent. */
interface Funds {
  /** Remaining part of today's DIEM allocation. */
  readonly diem?: number;
  /** Full DIEM allocation of the day. */
  readonly diemAllocation?: number;
  /** Bundled credits in US dollars. */
  readonly bundled?: number;
  readonly usd?: number;
}

type FundingSource = 'diem' | 'bundled' | 'usd';

/** Sources in the order in which the service spends them (spec §5.5). */
const spendingOrder: readonly FundingSource[] = ['diem', 'bundled', 'usd'];

/**
 * Returns the source that pays for the next request: the first source with a positive amount, in the order in which the
 * service spends them. Returns `none` if all amounts are zero, and `undefined` if the answer depends on an unknown
 * amount. A wallet has no bundled credits, and has DIEM only if the service reports the DIEM of a linked account.
 */
export function getNextFundingSource(
  funds: Funds,
  paysByWallet: boolean,
): FundingSource | 'none' | undefined {
  const { diem, bundled, usd } = paysByWallet ? { diem: 0, ...funds, bundled: 0 } : funds;
  const amounts = { diem, bundled, usd };
  // An unknown amount may be positive, so that no later source is certain.
  const source = spendingOrder.find((name) => !((amounts[name] ?? Number.NaN) <= 0));
  if (source === undefined) return 'none';
  return amounts[source] === undefined ? undefined : source;
}

/**
 * Parses the dashboard URL. Returns `undefined` for a URL that is not `https:`, has credentials, or has characters that
 * a URL parser would drop or change.
 */
export function parseDashboardUrl(text: string): URL | undefined {
  const trimmedText = text.trim();
  // A parser would drop or change these characters and open a URL other than the visible one.
  if (trimmedText.length > 2_048 || /[\0-\x20\x7f-\x9f\\|"'<>`^{}]/.test(trimmedText))
    return undefined;
  if (!/^https:\/\/[^/]/i.test(trimmedText) || !URL.canParse(trimmedText)) return undefined;
  const url = new URL(trimmedText);
  return url.username === '' && url.password === '' ? url : undefined;
}

/**
 * Returns the dashboard URL, where the user adds credits, from the user settings; `undefined` if none is set. Never
 * taken from the service.
 */
export const getDashboardUrl = (): URL | undefined =>
  parseDashboardUrl(getSetting('inferenceService.dashboardUrl'));

/**
 * Opens the dashboard URL from the user settings, or the origin of the service's base URL if none is set.
 * @throws ServiceError `no-address` or `invalid-address` if there is neither a dashboard URL nor a valid base URL
 */
export async function openDashboard(account: Pick<Account, 'getEndpoint'>): Promise<void> {
  const url = getDashboardUrl()?.href ?? (await account.getEndpoint()).baseUrl.origin;
  await vscode.env.openExternal(vscode.Uri.parse(url, true));
}
