import * as vscode from 'vscode';
import { parseBaseUrl } from '../../../service/http/endpoint.ts';
import { getWalletBalance } from '../../../service/x402.ts';
import type { Address } from '../../chain.ts';
import type { LocalAccount } from '../../local/known-account.ts';
import {
  confirm,
  showWithActions,
  showCancellable,
  showInformation,
} from '../../../platform/notifications.ts';
import { getDisplayHost } from '../../../account/vscode/account-view.ts';
import { createFailureAction } from '../../../account/vscode/failure-actions.ts';
import type { Host } from '../../../host.ts';
import { getConfiguredChain } from '../../vscode/profile-chain.ts';
import { addStoredAccount } from '../../vscode/local-accounts.ts';
import {
  savePayingAccount,
  paysPerRequest,
  startPayingPerRequest,
  stopPayingPerRequest,
} from '../../../account/vscode/payment-choice.ts';
import { readStoredAccounts } from './paying-sign-in.ts';
import { getSignInChain } from './sign-in-chain.ts';
import { showPaymentFailure } from './payment-messages.ts';

/**
 * Runs "Pay for Requests with a Wallet". Turns payment by wallet on after an explanation, or turns
 * it off.
 */
export async function togglePayPerRequest(host: Host): Promise<void> {
  try {
    await (paysPerRequest() && host.account.key.kind === 'wallet'
      ? turnOffPayPerRequest(host)
      : turnOnPayPerRequest(host));
  } catch (error) {
    showPaymentFailure(error);
  }
}

async function turnOnPayPerRequest(host: Host): Promise<void> {
  const { account, context } = host;
  const { profile } = account;
  const { origin } = parseBaseUrl(profile.baseUrl);
  const chosenAccount = await choosePayer(host);
  if (chosenAccount === undefined) return;
  const chain = await getSignInChain(host);
  if (chain === undefined) return;
  const payLabel = vscode.l10n.t('Pay with this wallet');
  const choice = await confirm(
    {
      question: vscode.l10n.t(
        'Sign each request to {0} with this wallet, in place of an API key?',
        getDisplayHost(profile),
      ),
      detail: vscode.l10n.t(
        'Account: {0}\nChain: {1} ({2})\n\nRequests are paid from the balance that the service keeps for this wallet. The wallet itself pays only when you top up. The extension signs without asking, also for inline suggestions, so keep little in this account.',
        chosenAccount.address,
        chain.name,
        chain.id,
      ),
    },
    payLabel,
  );
  if (choice !== payLabel) return;
  const { address } = chosenAccount;
  await savePayingAccount(context.globalState, { address, origin, chainId: chain.id });
  await startPayingPerRequest();
  await account.reloadKey();
  await showTurnedOnMessage(host, address);
}

/** Shows that payment by wallet is on, with the balance if the service reports it. */
async function showTurnedOnMessage(host: Host, address: Address): Promise<void> {
  const { account, log } = host;
  const { profile } = account;
  const balance = await showCancellable(vscode.l10n.t('Balance'), (signal, report) => {
    report(vscode.l10n.t('Loading…'));
    return getWalletBalance(account.service, { address, signal });
  }).catch(() => undefined);
  if (balance !== undefined) account.reportOutcome({ balance: { usd: balance.usd } }, profile);
  const message = vscode.l10n.t('Requests are paid by {0} now.', address);
  const hasToken = getConfiguredChain(account)?.usdc !== undefined;
  const actions = hasToken ? [createFailureAction('top-up')] : [];
  // Not awaited, because the command must end before the user closes the message.
  showWithActions(showInformation, message, actions).catch((error: unknown) =>
    log.error('Could not show which account pays', error),
  );
}

async function turnOffPayPerRequest({ account, context }: Host): Promise<void> {
  const stopLabel = vscode.l10n.t('Stop');
  const choice = await confirm(
    {
      question: vscode.l10n.t('Stop paying for requests with the wallet?'),
      detail: vscode.l10n.t(
        "The balance that the service keeps for it stays there. Requests use the connection's API key again, if it has one.",
      ),
    },
    stopLabel,
  );
  if (choice !== stopLabel) return;
  await stopPayingPerRequest();
  await savePayingAccount(context.globalState, undefined);
  await account.reloadKey();
  void showInformation(vscode.l10n.t('Requests use the API key now, not the wallet.'));
}

/**
 * Prompts for an account whose key VS Code stores. Offers no other accounts, because they would prompt the user for
 * each request.
 */
export async function choosePayer(host: Host): Promise<LocalAccount | undefined> {
  const accounts = readStoredAccounts(host.context);
  const items = [
    ...accounts.map((account) => ({ label: account.address, choose: async () => account })),
    {
      label: `$(add) ${vscode.l10n.t('Private key or recovery phrase')}`,
      detail: vscode.l10n.t('Browser wallets and keystore files would ask for each request.'),
      choose: () => addStoredAccount(host),
    },
  ];
  const title = vscode.l10n.t('Account');
  return (await vscode.window.showQuickPick(items, { title, ignoreFocusOut: true }))?.choose();
}
