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
import { formatBalance } from '../chain-client.ts';
import type { Chain } from '../chain.ts';
import { createKeyManagement } from '../keys/vscode/management.ts';
import { formatCountdown } from '../mint/vscode/option-labels.ts';
import { KnownAccounts } from './known-accounts.ts';
import { getProfileChain, readStakedBalance } from './profile-chain.ts';
import { getSetting } from '../../platform/settings.ts';

interface FundingViewOptions {
  /** Headline. Default: the source that pays for the next request. */
  readonly question?: string;
  /**
   * True directly after a key was minted. The view then offers no top-up, because a key cannot spend a topped-up
   * balance.
   */
  readonly isNewKey?: boolean;
}

/**
 * Runs "Show Funding": shows what pays for the next request, the balances, and the sources of funds with their
 * requirements (spec §5). The buttons depend on whether a key or a wallet authenticates requests.
 */
export async function showFunding(
  host: Host,
  { question, isNewKey = false }: FundingViewOptions = {},
): Promise<void> {
  if (!canSpend(host.account.key)) return showNoFunding(host.account.key);
  const title = vscode.l10n.t('Loading…');
  const read = await showCancellable(title, async (signal) => {
    const [funds, stake] = await Promise.all([
      readFunds(host.account, signal),
      readStake(host, signal),
    ]);
    return signal.aborted ? undefined : { funds, stake };
  });
  if (read === undefined) return;
  const { funds, stake } = read;
  const paysByWallet = host.account.key.kind === 'wallet';
  const now = host.service.clock.now();
  const actions = createFundingActions(host.account, { isNewKey });
  const chosen = await confirm(
    {
      question: question ?? formatNextPayer(funds, paysByWallet),
      detail: formatFundingDetail({ funds, stake, paysByWallet, isNewKey, now }),
    },
    ...actions.map(({ label }) => label),
  );
  await actions.find(({ label }) => label === chosen)?.run();
}

/** Explains to the user why requests need no funds or cannot be sent. */
async function showNoFunding({ kind }: KeyState): Promise<void> {
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

/** Timeout in milliseconds for the balances. The view is also useful without balances. */
const readTimeoutMs = 10_000;

/**
 * Reads the amounts that pay for requests. An amount that the replies do not contain comes from earlier response
 * headers, or is omitted if these do not contain it either. Never throws.
 */
export async function readFunds(account: Account, outerSignal: AbortSignal): Promise<Funds> {
  const signal = AbortSignal.any([outerSignal, AbortSignal.timeout(readTimeoutMs)]);
  const { key, service, balance } = account;
  if (key.kind === 'wallet') {
    const read = await getWalletBalance(service, { address: key.address, signal }).catch(
      returnUndefined,
    );
    return read === undefined ? balance : omitUndefined({ usd: read.usd, diem: read.diem });
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
    const amounts = Object.entries(balance).map(([name, amount]) => [
      name,
      convertNanoToNumber(amount),
    ]);
    return Object.fromEntries(amounts) as Funds;
  } catch {
    return {};
  }
}

/** Returns the formatted stake of the current account; `undefined` when it is zero or unknown. */
async function readStake(host: Host, signal: AbortSignal): Promise<string | undefined> {
  const account = new KnownAccounts(host.context).current;
  const chain = findChain(host);
  if (account === undefined || chain === undefined) return undefined;
  const balance = await readStakedBalance(host, { chain, address: account.address, signal });
  return balance !== undefined && balance.value > 0n ? formatBalance(balance) : undefined;
}

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
  /** Formatted stake; absent when it is zero or unknown. */
  readonly stake: string | undefined;
  readonly paysByWallet: boolean;
  readonly isNewKey?: boolean;
  /** Current time in milliseconds since the Unix epoch. */
  readonly now: number;
}

/** Formats the balances and the time of the next refresh, one per line. Omits unknown amounts. Exported for tests. */
export function formatFundingDetail({
  funds,
  stake,
  paysByWallet,
  isNewKey = false,
  now,
}: FundingFacts): string {
  const order = paysByWallet
    ? vscode.l10n.t('The balance that the service keeps for the wallet pays for each request.')
    : vscode.l10n.t('The key spends DIEM, then bundled credits, then US dollars.');
  const topUpNote = vscode.l10n.t(
    'A key can’t spend a top-up. {0} pays with a wallet, which then signs requests in place of the key.',
    getTopUpAndSwitchLabel(),
  );
  const refresh = vscode.l10n.t(
    'DIEM needs at least 0.1 staked DIEM. The next refresh is at 00:00 UTC, in {0}.',
    formatCountdown(getMsUntilRefresh(now)),
  );
  const notes = paysByWallet || isNewKey ? [] : [topUpNote];
  return [...formatAmountLines(funds, stake), '', refresh, order, ...notes].join('\n').trim();
}

function formatAmountLines(
  { diem, diemAllocation, bundled, usd }: Funds,
  stake: string | undefined,
): string[] {
  const amounts = [
    diem !== undefined && vscode.l10n.t('DIEM left today: {0}', formatDiem(diem)),
    diemAllocation !== undefined &&
      vscode.l10n.t('DIEM allocation today: {0}', formatDiem(diemAllocation)),
    bundled !== undefined && vscode.l10n.t('Bundled credits: {0}', formatUsd(bundled)),
    usd !== undefined && vscode.l10n.t('US dollars: {0}', formatUsd(usd)),
    stake !== undefined && vscode.l10n.t('Staked: {0}', stake),
  ];
  return amounts.filter((line) => line !== false).map((line) => `• ${line}`);
}

const formatDiem = (amount: number): string => String(Number(amount.toFixed(4)));

const getTopUpAndSwitchLabel = (): string => vscode.l10n.t('Top Up and Switch');

/**
 * Returns the buttons of the view, which depend on whether a key or a wallet authenticates requests. A key cannot spend
 * the balance that a top-up fills (spec §5.6), so the top-up button for a key also switches requests to the wallet. A
 * new key has no top-up button. Exported for tests.
 */
export function createFundingActions(
  account: Pick<Account, 'endpoint' | 'key'>,
  { isNewKey = false }: Pick<FundingViewOptions, 'isNewKey'> = {},
): readonly Action[] {
  if (!canSpend(account.key)) return [];
  const topUp = (label: string): Action =>
    createCommandAction(label, 'inferenceService.wallet.topUp');
  if (account.key.kind === 'wallet') return [topUp(vscode.l10n.t('Top up…'))];
  return [
    createCommandAction(vscode.l10n.t('Stake'), 'inferenceService.wallet.stake'),
    { label: vscode.l10n.t('Dashboard'), run: () => openDashboard(account) },
    ...(isNewKey ? [] : [topUp(getTopUpAndSwitchLabel())]),
  ];
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
  const trimmed = text.trim();
  // A parser would drop or change these characters and open a URL other than the visible one.
  if (trimmed.length > 2_048 || /[\0-\x20\x7f-\x9f\\|"'<>`^{}]/.test(trimmed)) return undefined;
  if (!/^https:\/\/[^/]/i.test(trimmed) || !URL.canParse(trimmed)) return undefined;
  const url = new URL(trimmed);
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
 * @throws ServiceError `no-address`, `invalid-address`
 */
export async function openDashboard(account: Pick<Account, 'endpoint'>): Promise<void> {
  const url = getDashboardUrl()?.href ?? (await account.endpoint()).baseUrl.origin;
  await vscode.env.openExternal(vscode.Uri.parse(url, true));
}
