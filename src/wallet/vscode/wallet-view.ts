import * as vscode from 'vscode';
import { defined } from '../../base/json.ts';
import { readBalances } from '../balances.ts';
import type { Chain } from '../chain.ts';
import type { CheckedChain } from '../chain-check.ts';
import { readChain } from '../chain-client.ts';
import type { KnownAccount } from '../local/known-account.ts';
import { readUnstakeOffer, type UnstakeOffer } from '../staking/unstake-offer.ts';
import { WalletError } from '../wallet-failure.ts';
import type { Host } from '../../host.ts';
import { tellQuietly, withoutIcons } from '../../platform/notifications.ts';
import { chainOf } from './chain-settings.ts';
import { checkedChain } from './checked-chain.ts';
import { connectCommand } from './connect-command.ts';
import { disconnect } from './disconnect-command.ts';
import { KnownAccounts } from './known-accounts.ts';
import { tellingWalletFailure } from './tell-wallet-failure.ts';
import {
  type WalletAction,
  type WalletItem,
  walletItems,
  type WalletState,
} from './wallet-items.ts';
import { walletFailureWords } from './wallet-messages.ts';

/** All that is asked of the chain for the view. */
const readTimeoutMs = 30_000;

/** "Show Wallet": the account in use with its balances, and what can be done with it. Asks for an account when none is. */
export async function showWallet(host: Host): Promise<void> {
  await tellingWalletFailure(host, async () => {
    const chain = chainOf(host.account);
    const account = await accountInUse(host);
    if (account !== undefined) await new WalletView({ host, chain, account }).show();
  });
}

async function accountInUse(host: Host): Promise<KnownAccount | undefined> {
  const known = new KnownAccounts(host.context);
  if (known.current === undefined) await connectCommand(host);
  return known.current;
}

/** One list, from when it opens until it is hidden. */
class WalletView {
  readonly #host: Host;
  readonly #chain: Chain;
  readonly #account: KnownAccount;
  readonly #list = vscode.window.createQuickPick<WalletItem>();
  readonly #hidden = new AbortController();
  #reading = 0;

  constructor(parts: { host: Host; chain: Chain; account: KnownAccount }) {
    this.#host = parts.host;
    this.#chain = parts.chain;
    this.#account = parts.account;
  }

  /** Resolves when the list is gone, and what was chosen there is done. */
  async show(): Promise<void> {
    const list = this.#list;
    const { promise, resolve } = Promise.withResolvers<WalletAction | undefined>();
    list.title = vscode.l10n.t('Wallet on {0}', withoutIcons(this.#chain.name));
    list.placeholder = vscode.l10n.t('Balances, and what can be done');
    list.ignoreFocusOut = true;
    list.buttons = [refreshButton()];
    list.onDidTriggerButton(() => void this.#refresh());
    list.onDidTriggerItemButton(({ item, button }) => void this.#press(item, button));
    list.onDidAccept(() => void this.#accept(list.selectedItems[0], resolve));
    list.onDidHide(() => resolve(undefined));
    list.show();
    void this.#refresh();
    const action = await promise;
    this.#hidden.abort();
    list.dispose();
    await this.#run(action);
  }

  /** The last one that was begun is what shows. */
  async #refresh(): Promise<void> {
    const turn = ++this.#reading;
    this.#list.busy = true;
    this.#draw({ kind: 'loading' });
    const state = await this.#read();
    if (turn !== this.#reading || this.#hidden.signal.aborted) return;
    this.#list.busy = false;
    this.#draw(state);
  }

  async #read(): Promise<WalletState> {
    const signal = AbortSignal.any([this.#hidden.signal, AbortSignal.timeout(readTimeoutMs)]);
    try {
      const checked = await checkedChain(this.#host, this.#chain, signal);
      const { address } = this.#account;
      const [balances, unstake] = await Promise.all([
        readBalances(checked, address, signal),
        this.#unstakeOffer(checked, signal),
      ]);
      return { kind: 'ready', balances, ...defined({ unstake }) };
    } catch (error) {
      if (!(error instanceof WalletError)) throw error;
      this.#host.log.warn(`The wallet's balances · ${error.failure.code} · ${error.message}`);
      return { kind: 'failed', message: walletFailureWords(error.failure) };
    }
  }

  /** The balances are worth showing without it. */
  async #unstakeOffer(
    { client }: CheckedChain,
    signal: AbortSignal,
  ): Promise<UnstakeOffer | undefined> {
    const { token, staking } = this.#chain;
    const place = { token, staking, from: this.#account.address };
    return readChain('the stake', signal, () => readUnstakeOffer(client, place)).catch(
      () => undefined,
    );
  }

  #draw(state: WalletState): void {
    const [chain, account] = [this.#chain, this.#account];
    this.#list.items = walletItems({ chain, account, state });
  }

  async #press({ copied, link }: WalletItem, { iconPath }: vscode.QuickInputButton): Promise<void> {
    const isLink = iconPath instanceof vscode.ThemeIcon && iconPath.id === 'link-external';
    if (isLink && link !== undefined) await vscode.env.openExternal(vscode.Uri.parse(link, true));
    else await copy(copied);
  }

  /** Rows copy, and the list stays; actions end it. */
  async #accept(item: WalletItem | undefined, end: (action: WalletAction) => void): Promise<void> {
    if (item?.action === 'refresh') return this.#refresh();
    if (item?.action !== undefined) return end(item.action);
    await copy(item?.copied);
  }

  async #run(action: WalletAction | undefined): Promise<void> {
    switch (action) {
      case undefined:
      case 'refresh':
        return;
      case 'disconnect':
        await disconnect(this.#host, this.#account);
        return;
      default:
        await vscode.commands.executeCommand(action);
    }
  }
}

async function copy(text: string | undefined): Promise<void> {
  if (text === undefined) return;
  await vscode.env.clipboard.writeText(text);
  tellQuietly(vscode.l10n.t('Copied: {0}', text));
}

const refreshButton = (): vscode.QuickInputButton => ({
  iconPath: new vscode.ThemeIcon('refresh'),
  tooltip: vscode.l10n.t('Refresh'),
});
