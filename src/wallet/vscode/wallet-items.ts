import * as vscode from 'vscode';
import { type Balance, type Balances, balanceText } from '../balances.ts';
import type { Chain } from '../chain.ts';
import type { KnownAccount } from '../local/known-account.ts';
import type { UnstakeOffer } from '../staking/unstake-offer.ts';
import type { CommandId } from '../../platform/command-ids.ts';
import { withoutIcons } from '../../platform/notifications.ts';
import { accountKindWords } from './account-kind-words.ts';
import { durationWords } from '../staking/vscode/staking-messages.ts';

/** What the view of the wallet has to show. */
export type WalletState =
  | { readonly kind: 'loading' }
  | {
      readonly kind: 'ready';
      readonly balances: Balances;
      /** Absent where the staking contract offers no way back. */
      readonly unstake?: UnstakeOffer;
    }
  | { readonly kind: 'failed'; readonly message: string };

/** What ends the view, but for a refresh. */
export type WalletAction = 'refresh' | 'disconnect' | CommandId;

export type WalletItem = vscode.QuickPickItem & {
  /** What its button puts on the clipboard. */
  readonly copied?: string;
  /** What its other button opens. */
  readonly link?: string;
  readonly action?: WalletAction;
};

interface Shown {
  readonly chain: Chain;
  readonly account: KnownAccount;
  readonly state: WalletState;
}

/** Account, chain, balances and actions, in this order. */
export function walletItems({ chain, account, state }: Shown): WalletItem[] {
  return [
    accountItem(chain, account),
    {
      label: vscode.l10n.t('$(link) {0}', withoutIcons(chain.name)),
      description: vscode.l10n.t('chain {0}', chain.id),
      copied: String(chain.id),
      buttons: [copyButton()],
    },
    separator(vscode.l10n.t('Balances')),
    ...stateItems(state),
    separator(vscode.l10n.t('Actions')),
    ...actionItems(chain, state),
  ];
}

function accountItem({ explorerUrl }: Chain, account: KnownAccount): WalletItem {
  const { address } = account;
  const item = {
    label: vscode.l10n.t('$(account) {0}', address),
    description: accountKindWords(account),
    copied: address,
  };
  if (explorerUrl === undefined) return { ...item, buttons: [copyButton()] };
  return {
    ...item,
    link: `${explorerUrl}/address/${address}`,
    buttons: [copyButton(), explorerButton()],
  };
}

function stateItems(state: WalletState): WalletItem[] {
  switch (state.kind) {
    case 'loading':
      return [{ label: vscode.l10n.t('Reading the balances…') }];
    case 'failed':
      return [
        {
          label: vscode.l10n.t('$(warning) The balances cannot be read'),
          detail: withoutIcons(state.message),
        },
        { label: vscode.l10n.t('Try again'), action: 'refresh' },
      ];
    case 'ready':
      return balanceItems(state.balances);
  }
}

function balanceItems({ native, token, staked, usdc }: Balances): WalletItem[] {
  return [
    balanceItem(native, vscode.l10n.t('for fees')),
    balanceItem(token, vscode.l10n.t('can be staked')),
    balanceItem(staked, vscode.l10n.t('staked')),
    ...(usdc === undefined ? [] : [balanceItem(usdc, vscode.l10n.t('for top-ups'))]),
  ];
}

function balanceItem(balance: Balance, description: string): WalletItem {
  const text = balanceText(balance);
  if (text === undefined) {
    const label = vscode.l10n.t('{0}: not readable now', withoutIcons(balance.symbol));
    return { label, description };
  }
  return { label: withoutIcons(text), description, copied: text, buttons: [copyButton()] };
}

function actionItems({ usdc }: Chain, state: WalletState): WalletItem[] {
  const topUp = action('inferenceService.wallet.topUp', vscode.l10n.t('Top up…'));
  return [
    action('inferenceService.mintKey', vscode.l10n.t('Get an API key…')),
    action('inferenceService.wallet.stake', vscode.l10n.t('Stake…')),
    ...(state.kind === 'ready' ? unstakeItems(state.unstake) : []),
    ...(usdc === undefined ? [] : [topUp]),
    action('refresh', vscode.l10n.t('Refresh')),
    action('inferenceService.wallet.connect', vscode.l10n.t('Use another account…')),
    action('disconnect', vscode.l10n.t('Disconnect…')),
  ];
}

/** Where there is something to take back, and a way that is known. */
function unstakeItems(offer: UnstakeOffer | undefined): WalletItem[] {
  if (offer === undefined) return [];
  const { staked, waitingSeconds, cooldown } = offer;
  const item = action('inferenceService.wallet.unstake', vscode.l10n.t('Unstake…'));
  if (cooldown.waiting > 0n) return [{ ...item, description: cooldownWords(cooldown) }];
  const waits = vscode.l10n.t('can be withdrawn after {0}', durationWords(waitingSeconds));
  return staked > 0n ? [{ ...item, description: waits }] : [];
}

const cooldownWords = ({ secondsLeft }: UnstakeOffer['cooldown']): string =>
  secondsLeft === 0
    ? vscode.l10n.t('can be withdrawn now')
    : vscode.l10n.t('can be withdrawn in {0}', durationWords(secondsLeft));

const action = (id: WalletAction, label: string): WalletItem => ({ label, action: id });

const separator = (label: string): WalletItem => ({
  label,
  kind: vscode.QuickPickItemKind.Separator,
});

const copyButton = (): vscode.QuickInputButton => ({
  iconPath: new vscode.ThemeIcon('copy'),
  tooltip: vscode.l10n.t('Copy'),
});

const explorerButton = (): vscode.QuickInputButton => ({
  iconPath: new vscode.ThemeIcon('link-external'),
  tooltip: vscode.l10n.t('Open in the block explorer'),
});
