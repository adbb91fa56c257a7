import * as vscode from 'vscode';
import { getPayingChainId } from '../../../account/vscode/payment-choice.ts';
import type { Host } from '../../../host.ts';
import { showCancellable } from '../../../platform/notifications.ts';
import { parseBaseUrl } from '../../../service/http/endpoint.ts';
import type { PaymentRequirements } from '../../../service/payment-requirements.ts';
import { getTopUpRequirements } from '../../../service/x402.ts';
import { findFieldProblem } from '../../chain-fields.ts';
import type { Chain } from '../../chain.ts';
import { getConfiguredChain } from '../../vscode/profile-chain.ts';
import { findClaimedChainId, readChainId } from '../claimed-chain.ts';

/** Chain of a sign-in. The sign-in message contains the chain's id, but the chain itself is not accessed. */
export type SignInChain = Pick<Chain, 'id' | 'name'>;

/**
 * Returns the chain for sign-ins: the configured chain, or else the chain that the user once entered for the service.
 * If there is neither, prompts for a chain id. Returns `undefined` if the user cancels.
 */
export async function getSignInChain({ account, context }: Host): Promise<SignInChain | undefined> {
  const chain = getConfiguredChain(account);
  if (chain !== undefined) return chain;
  const { origin } = parseBaseUrl(account.profile.baseUrl);
  const chainId =
    getPayingChainId(context.globalState, origin) ?? (await promptForChainId(account));
  return chainId === undefined
    ? undefined
    : { id: chainId, name: vscode.l10n.t('Chain {0}', chainId) };
}

/** Reads the payment terms. Returns `undefined` if the service has no terms, or if the user cancels. */
export function readPaymentTerms({
  service,
}: Pick<Host['account'], 'service'>): Promise<PaymentRequirements | undefined> {
  const title = vscode.l10n.t('Checking the chain');
  return showCancellable(title, (signal) => getTopUpRequirements(service, { signal })).catch(
    () => undefined,
  );
}

/**
 * Returns the prompt for a chain id. If `claimedChainId` is defined, the prompt states that the service claims to use
 * this chain.
 */
export const formatChainIdPrompt = (claimedChainId: number | undefined): string =>
  claimedChainId === undefined
    ? vscode.l10n.t('Enter the id of the chain. The service names none.')
    : vscode.l10n.t(
        'The service claims to use chain {0}. Check it before you continue.',
        claimedChainId,
      );

/**
 * Prompts for a chain id. Proposes the id from the payment terms, and states that the service claims to use this chain.
 */
async function promptForChainId(account: Host['account']): Promise<number | undefined> {
  const terms = await readPaymentTerms(account);
  const claimedChainId = terms && findClaimedChainId(terms);
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t('Network'),
    prompt: formatChainIdPrompt(claimedChainId),
    value: claimedChainId === undefined ? '' : String(claimedChainId),
    ignoreFocusOut: true,
    validateInput: (input) => findFieldProblem('chainId', input, {}),
  });
  return text === undefined ? undefined : readChainId(text);
}
