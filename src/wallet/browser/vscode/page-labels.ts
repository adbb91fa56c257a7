import * as vscode from 'vscode';
import type { WalletPageLabels } from '../protocol.ts';

/** Returns the texts of the page in the language of VS Code. */
export function getPageLabels(): WalletPageLabels {
  return { ...getStepLabels(), ...getRequestLabels(), ...getWalletLabels(), ...getOutcomeLabels() };
}

const getStepLabels = () => ({
  title: vscode.l10n.t('Inference Service'),
  steps: vscode.l10n.t('Steps'),
  stepDone: vscode.l10n.t('Done'),
  stepCurrent: vscode.l10n.t('Running'),
  stepWaiting: vscode.l10n.t('Waiting for its turn'),
  stepSkipped: vscode.l10n.t('not needed'),
  connect: vscode.l10n.t('Connect'),
  connectText: vscode.l10n.t(
    'The wallet asks whether this page may see your address. It cannot move anything with that.',
  ),
  network: vscode.l10n.t('Network'),
  networkText: vscode.l10n.t(
    'The wallet may ask to switch to another network, or to add it. This costs nothing.',
  ),
  approve: vscode.l10n.t('Approve'),
  approveText: vscode.l10n.t(
    'The wallet asks you to let the staking contract take exactly the amount you chose, once. It never asks for more.',
  ),
  stake: vscode.l10n.t('Stake'),
  stakeText: vscode.l10n.t(
    'The wallet asks you to send one transaction that stakes exactly this amount. The staked tokens stay yours.',
  ),
  unstake: vscode.l10n.t('Unstake'),
  unstakeText: vscode.l10n.t(
    'The wallet asks you to send one transaction to the staking contract. It takes nothing from you but the fee.',
  ),
  sign: vscode.l10n.t('Sign'),
  signText: vscode.l10n.t(
    'The wallet asks you to sign a text that proves the address is yours. It sends no transaction and costs nothing.',
  ),
});

const getRequestLabels = () => ({
  connectWith: vscode.l10n.t('Connect with {0}', '{0}'),
  chooseWallet: vscode.l10n.t('Choose a wallet'),

  browserWallet: vscode.l10n.t('Browser wallet'),
  account: vscode.l10n.t('Account'),
  chain: vscode.l10n.t('Network'),
  switchNetwork: vscode.l10n.t('Switch network'),
  networkAsks: vscode.l10n.t(
    'Your wallet is on another network. Switch it to {0} to continue.',
    '{0}',
  ),
  openWallet: vscode.l10n.t('Continue in wallet'),
  onlyAccount: vscode.l10n.t('Only this account will do: {0}', '{0}'),
  otherAccount: vscode.l10n.t(
    'The wallet returned {0}. Choose the account above in your wallet, then try again.',
    '{0}',
  ),
  cancel: vscode.l10n.t('Cancel'),
  inWallet: vscode.l10n.t(
    'Answer in your wallet. If you do not see it, open the wallet from the toolbar of the browser.',
  ),
  working: vscode.l10n.t('Loading…'),
  inEditor: vscode.l10n.t('Continue in the editor.'),
  sent: vscode.l10n.t('Sent. Waiting for the network to confirm it.'),
  details: vscode.l10n.t('Details'),
  contract: vscode.l10n.t('Contract'),
  warning: vscode.l10n.t('Warning'),
});

const getWalletLabels = () => ({
  searching: vscode.l10n.t('Loading…'),
  noWalletTitle: vscode.l10n.t('No wallet was found in this browser'),
  noWalletText: vscode.l10n.t(
    'Install a wallet extension or turn it on for this site, then refresh. Or cancel, and choose a local account or “Copy link” in the editor.',
  ),
  reload: vscode.l10n.t('Refresh'),
});

const getOutcomeLabels = () => ({
  secondTitle: vscode.l10n.t(
    'This page is open in another tab. Continue there, or start again in the editor.',
  ),
  brokenTitle: vscode.l10n.t(
    'The link is not complete. If the editor opens no other page, choose “Copy link” there.',
  ),
  goneTitle: vscode.l10n.t('The editor no longer answers. You can close this tab.'),
  offlineText: vscode.l10n.t('Trying again…'),
  doneTitle: vscode.l10n.t('Done'),
  failedTitle: vscode.l10n.t('Not done'),
  closeTab: vscode.l10n.t('You can close this tab.'),
});
