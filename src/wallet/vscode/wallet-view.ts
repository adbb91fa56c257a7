import * as vscode from 'vscode';
import { canSpend, type KeyState } from '../../account/key-state.ts';
import { omitUndefined } from '../../base/json.ts';
import type { Host } from '../../host.ts';
import type { CommandId } from '../../platform/command-ids.ts';
import { showStatusMessage, escapeIcons } from '../../platform/notifications.ts';
import {
  type CheckedChain,
  readChain,
  type Balance,
  type Balances,
  formatBalance,
  readBalances,
} from '../chain-client.ts';
import type { Chain } from '../chain.ts';
import type { KnownAccount } from '../local/known-account.ts';
import { formatTokenAmount } from '../staking/amount.ts';
import { readUnstakeTerms, type UnstakeTerms } from '../staking/staking-state.ts';
import { formatDuration } from '../staking/vscode/staking-messages.ts';
import { ensureChain } from './chain-form.ts';
import { getCheckedChain } from './profile-chain.ts';
import { connectCommand } from './connect-wallet.ts';
import { KnownAccounts } from './known-accounts.ts';
import { formatAccountKind, disconnectAccount } from './local-accounts.ts';
import { catchWalletFailure, formatWalletFailure } from './wallet-messages.ts';
import { WalletError } from '../wallet-failure.ts';
import { createRefreshButton } from '../../platform/window.ts';
import { stripEllipsis } from '../../base/amounts.ts';

/** State of the account in the wallet view. */
export type WalletViewState =
  | { readonly kind: 'loading' }
  | {
      readonly kind: 'ready';
      readonly balances: Balances;
      /** Unstaking terms; absent if the staking contract does not support unstaking. */
      readonly unstake?: UnstakeTerms;
    }
  | { readonly kind: 'failed'; readonly message: string };

/** Actions of the view. Every action except `refresh` closes the view. */
export type WalletAction = 'refresh' | 'disconnect' | CommandId;

export type WalletItem = vscode.QuickPickItem & {
  /** Text that the copy button copies. */
  readonly copyText?: string;
  /** URL that the explorer button opens. */
  readonly link?: string;
  readonly action?: WalletAction;
};

interface WalletViewContent {
  readonly chain: Chain;
  readonly account: KnownAccount;
  /**
   * State of the key or wallet that authenticates requests. Determines the actions, because only a wallet can spend the
   * balance that a top-up fills (spec §5.6).
   */
  readonly key: KeyState;
  readonly state: WalletViewState;
}

/** Builds the items of the list in this order: account, chain, balances, actions. */
export function createWalletItems({ chain, account, key, state }: WalletViewContent): WalletItem[] {
  return [
    createAccountItem(chain, account),
    {
      label: `$(link) ${escapeIcons(chain.name)}`,
      description: vscode.l10n.t('Chain {0}', chain.id),
      copyText: String(chain.id),
      buttons: [createCopyButton()],
    },
    createSeparator(vscode.l10n.t('Balance')),
    ...createStateItems(state),
    createSeparator(vscode.l10n.t('Actions')),
    ...createActionItems(chain, key, state),
  ];
}

function createAccountItem({ explorerUrl }: Chain, account: KnownAccount): WalletItem {
  const { address } = account;
  const item = {
    label: `$(account) ${address}`,
    description: formatAccountKind(account),
    copyText: address,
  };
  if (explorerUrl === undefined) return { ...item, buttons: [createCopyButton()] };
  return {
    ...item,
    link: `${explorerUrl}/address/${address}`,
    buttons: [createCopyButton(), createExplorerButton()],
  };
}

function createStateItems(state: WalletViewState): WalletItem[] {
  switch (state.kind) {
    case 'loading':
      return [{ label: vscode.l10n.t('Loading…') }];
    case 'failed':
      return [
        {
          label: vscode.l10n.t('$(warning) The balances cannot be read'),
          detail: escapeIcons(state.message),
        },
        { label: vscode.l10n.t('Retry'), action: 'refresh' },
      ];
    case 'ready':
      return createBalanceItems(state.balances);
  }
}

function createBalanceItems({ nativeCurrency, token, stakedToken, usdc }: Balances): WalletItem[] {
  return [
    createBalanceItem(nativeCurrency, vscode.l10n.t('for fees')),
    ...(token === undefined ? [] : [createBalanceItem(token, vscode.l10n.t('can be staked'))]),
    ...(stakedToken === undefined ? [] : [createBalanceItem(stakedToken, vscode.l10n.t('staked'))]),
    ...(usdc === undefined ? [] : [createBalanceItem(usdc, vscode.l10n.t('for top-ups'))]),
  ];
}

function createBalanceItem(balance: Balance, description: string): WalletItem {
  const text = formatBalance(balance);
  if (text === undefined) {
    const label = vscode.l10n.t('{0}: {1}', escapeIcons(balance.symbol), vscode.l10n.t('unknown'));
    return { label, description };
  }
  const { value = 0n, decimals, symbol } = balance;
  const copyText = `${formatTokenAmount(value, decimals)} ${symbol}`;
  return { label: escapeIcons(text), description, copyText, buttons: [createCopyButton()] };
}

function createActionItems({ usdc }: Chain, key: KeyState, state: WalletViewState): WalletItem[] {
  const topUpItem = createActionItem('inferenceService.wallet.topUp', vscode.l10n.t('Top up…'));
  const fundingItem = createActionItem(
    'inferenceService.showFunding',
    vscode.l10n.t('Show Funding'),
  );
  return [
    createActionItem(
      'inferenceService.mintKey',
      stripEllipsis(vscode.l10n.t('Get API Key with Wallet…')),
    ),
    createActionItem('inferenceService.wallet.stake', vscode.l10n.t('Stake')),
    ...(state.kind === 'ready' ? createUnstakeItems(state.unstake) : []),
    ...(usdc !== undefined && key.kind === 'wallet' ? [topUpItem] : []),
    ...(canSpend(key) ? [fundingItem] : []),
    createActionItem('refresh', vscode.l10n.t('Refresh')),
    createActionItem('inferenceService.wallet.connect', vscode.l10n.t('Choose a wallet')),
    createActionItem('inferenceService.wallet.revokeApproval', vscode.l10n.t('Revoke approval')),
    createActionItem('disconnect', vscode.l10n.t('Disconnect')),
  ];
}

/**
 * Returns the list item for unstaking. Returns no item if there is neither a stake nor a pending withdrawal, or if the
 * contract does not support unstaking.
 */
function createUnstakeItems(terms: UnstakeTerms | undefined): WalletItem[] {
  if (terms === undefined) return [];
  const { stakedBalance, cooldownSeconds, cooldown } = terms;
  const item = createActionItem('inferenceService.wallet.unstake', vscode.l10n.t('Unstake'));
  if (cooldown.pendingAmount > 0n) return [{ ...item, description: formatCooldown(cooldown) }];
  const cooldownNote = vscode.l10n.t('Unstaking takes {0}.', formatDuration(cooldownSeconds));
  return stakedBalance > 0n ? [{ ...item, description: cooldownNote }] : [];
}

const formatCooldown = ({ secondsLeft }: UnstakeTerms['cooldown']): string =>
  secondsLeft === 0
    ? vscode.l10n.t('can be withdrawn now')
    : vscode.l10n.t('can be withdrawn in {0}', formatDuration(secondsLeft));

const createActionItem = (id: WalletAction, label: string): WalletItem => ({ label, action: id });

const createSeparator = (label: string): WalletItem => ({
  label,
  kind: vscode.QuickPickItemKind.Separator,
});

const createCopyButton = (): vscode.QuickInputButton => ({
  iconPath: new vscode.ThemeIcon('copy'),
  tooltip: vscode.l10n.t('Copy'),
});

const createExplorerButton = (): vscode.QuickInputButton => ({
  iconPath: new vscode.ThemeIcon('link-external'),
  tooltip: vscode.l10n.t('Open in explorer'),
});

/** Timeout in milliseconds for all chain reads of one refresh. */
const readTimeoutMs = 30_000;

/**
 * Runs "Show Wallet": shows the current account with its balances and actions. Prompts for an account when
 * none is connected.
 */
export async function showWallet(host: Host): Promise<void> {
  await catchWalletFailure(host, async () => {
    const chain = await ensureChain(host, 'balances');
    if (chain === undefined) return;
    const account = await getCurrentOrNewAccount(host);
    if (account !== undefined) await new WalletView({ host, chain, account }).show();
  });
}

async function getCurrentOrNewAccount(host: Host): Promise<KnownAccount | undefined> {
  const knownAccounts = new KnownAccounts(host.context);
  if (knownAccounts.currentAccount === undefined) await connectCommand(host);
  return knownAccounts.currentAccount;
}

/** The wallet view, which is a quick pick. Each opening of the view creates an instance. */
class WalletView {
  readonly #host: Host;
  readonly #chain: Chain;
  readonly #account: KnownAccount;
  readonly #quickPick = vscode.window.createQuickPick<WalletItem>();
  readonly #hideController = new AbortController();
  #lastReadId = 0;

  constructor(options: { host: Host; chain: Chain; account: KnownAccount }) {
    this.#host = options.host;
    this.#chain = options.chain;
    this.#account = options.account;
  }

  /** Resolves after the list is hidden and the chosen action has completed. */
  async show(): Promise<void> {
    const quickPick = this.#quickPick;
    const { promise, resolve } = Promise.withResolvers<WalletAction | undefined>();
    quickPick.title = vscode.l10n.t('Wallet {0}', escapeIcons(this.#chain.name));
    quickPick.placeholder = vscode.l10n.t('Balance');
    quickPick.ignoreFocusOut = true;
    quickPick.buttons = [createRefreshButton()];
    quickPick.onDidTriggerButton(() => void this.#refreshView());
    quickPick.onDidTriggerItemButton(({ item, button }) => void this.#handleButton(item, button));
    quickPick.onDidAccept(() => void this.#handleAccept(quickPick.selectedItems[0], resolve));
    quickPick.onDidHide(() => resolve(undefined));
    quickPick.show();
    void this.#refreshView();
    const action = await promise;
    this.#hideController.abort();
    quickPick.dispose();
    await this.#runAction(action);
  }

  /** Loads the state and shows it, unless another refresh has started while it was loading. */
  async #refreshView(): Promise<void> {
    const readId = ++this.#lastReadId;
    this.#quickPick.busy = true;
    this.#renderState({ kind: 'loading' });
    const state = await this.#readState();
    if (readId !== this.#lastReadId || this.#hideController.signal.aborted) return;
    this.#quickPick.busy = false;
    this.#renderState(state);
  }

  async #readState(): Promise<WalletViewState> {
    const signal = AbortSignal.any([
      this.#hideController.signal,
      AbortSignal.timeout(readTimeoutMs),
    ]);
    try {
      const checkedChain = await getCheckedChain(this.#host, this.#chain, signal);
      const { address } = this.#account;
      const [balances, unstake] = await Promise.all([
        readBalances(checkedChain, address, signal),
        this.#readUnstakeTerms(checkedChain, signal),
      ]);
      return { kind: 'ready', balances, ...omitUndefined({ unstake }) };
    } catch (error) {
      if (!(error instanceof WalletError)) throw error;
      this.#host.log.warn(
        `Could not read the wallet's balances: ${error.failure.code}, ${error.message}`,
      );
      return { kind: 'failed', message: formatWalletFailure(error.failure) };
    }
  }

  /**
   * Reads the unstaking terms. Returns `undefined` on failure, so that the balances are still
   * shown.
   */
  async #readUnstakeTerms(
    { client }: CheckedChain,
    signal: AbortSignal,
  ): Promise<UnstakeTerms | undefined> {
    const { token, staking } = this.#chain;
    if (token === undefined || staking === undefined) return undefined;
    const stakingAccount = { token, staking, from: this.#account.address };
    return readChain('the stake', signal, () => readUnstakeTerms(client, stakingAccount)).catch(
      () => undefined,
    );
  }

  #renderState(state: WalletViewState): void {
    const [chain, account] = [this.#chain, this.#account];
    const { key } = this.#host.account;
    this.#quickPick.items = createWalletItems({ chain, account, key, state });
  }

  async #handleButton(
    { copyText, link }: WalletItem,
    { iconPath }: vscode.QuickInputButton,
  ): Promise<void> {
    const isLink = iconPath instanceof vscode.ThemeIcon && iconPath.id === 'link-external';
    if (isLink && link !== undefined) await vscode.env.openExternal(vscode.Uri.parse(link, true));
    else await copyToClipboard(copyText);
  }

  /**
   * Handles the selected item. Runs its action after closing the list, except for `refresh`. If the item has no action,
   * copies its text.
   */
  async #handleAccept(
    item: WalletItem | undefined,
    resolveAction: (action: WalletAction) => void,
  ): Promise<void> {
    if (item?.action === 'refresh') return this.#refreshView();
    if (item?.action !== undefined) return resolveAction(item.action);
    await copyToClipboard(item?.copyText);
  }

  async #runAction(action: WalletAction | undefined): Promise<void> {
    switch (action) {
      case undefined:
      case 'refresh':
        return;
      case 'disconnect':
        await disconnectAccount(this.#host, this.#account);
        return;
      default:
        await vscode.commands.executeCommand(action);
    }
  }
}

async function copyToClipboard(text: string | undefined): Promise<void> {
  if (text === undefined) return;
  await vscode.env.clipboard.writeText(text);
  showStatusMessage(vscode.l10n.t('Copied'));
}
