import { defined } from '../../../base/json.ts';
import { parseBaseUrl } from '../../../service/http/endpoint.ts';
import type { Chain } from '../../chain.ts';
import type { LocalSigner } from '../../signer.ts';
import type { Host } from '../../../host.ts';
import { connectLocalWallet } from '../../vscode/connect-wallet.ts';
import { paysPerRequest, payingAccount } from '../../../account/vscode/payment-choice.ts';

/**
 * The local account whose balance at the service is meant: the one that pays for requests, else the remembered one, else
 * one that the person chooses. A browser wallet cannot sign what is needed.
 * @throws WalletError
 */
export async function openPayingAccount(
  host: Host,
  options: { chain: Chain; purpose: string; signal: AbortSignal },
): Promise<LocalSigner> {
  const { origin } = parseBaseUrl(host.account.profile.baseUrl);
  const address = paysPerRequest() ? payingAccount(host.context.globalState, origin) : undefined;
  const { signer } = await connectLocalWallet(host, defined({ ...options, address }));
  return signer;
}
