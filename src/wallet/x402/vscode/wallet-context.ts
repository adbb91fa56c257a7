import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { ServiceContext, SignIn } from '../../../service/http/client.ts';
import { ServiceError } from '../../../service/http/failure.ts';
import type { Chain } from '../../chain.ts';
import type { LocalSigner, Review } from '../../signer.ts';
import { walletSignIn } from '../wallet-sign-in.ts';
import type { Account } from '../../../account/vscode/account.ts';
import { x402Headers } from './x402-settings.ts';

export interface RequestSigner {
  readonly chain: Pick<Chain, 'id'>;
  /** Asked for anew with each request. */
  readonly signer: () => Promise<LocalSigner>;
}

/** Calls of the account that its wallet signs, whatever else the account signs in with. */
export function signedInBy(
  account: Pick<Account, 'service' | 'serviceClock'>,
  signer: RequestSigner,
): ServiceContext {
  const signIn = requestSignIn(account, signer);
  const { service } = account;
  const endpoint: ServiceContext['endpoint'] = async () => {
    const { apiKey: _, ...rest } = await service.endpoint();
    return { ...rest, signIn };
  };
  return { ...service, endpoint };
}

/** Signs each try of each request with a message of its own, by the service's clock. */
export const requestSignIn = (
  { serviceClock }: Pick<Account, 'serviceClock'>,
  { chain, signer }: RequestSigner,
): SignIn =>
  walletSignIn({
    signer,
    chainId: chain.id,
    headers: x402Headers(),
    now: () => serviceClock.now(),
    randomBytes,
    review: requestReview(),
  });

/** For an account that asks: nothing of it moves funds. */
const requestReview = (): Review => ({
  purpose: vscode.l10n.t('Sign one request to the service. This moves no funds of the wallet.'),
  rows: [],
  warnings: [],
});

/** Routes that take API keys only (service facts §0.1), below the base address. */
const keyRoutes = /^\/(?:api_keys|billing|characters)(?:\/|$)/;

/** `wallet`, but for routes that take no wallet: there the key, when there is one. */
export function signInWhereTaken(
  wallet: SignIn,
  { baseUrl, apiKey }: { baseUrl: URL; apiKey?: string },
): SignIn {
  return async (request) => {
    const path = request.url.pathname.slice(baseUrl.pathname.length);
    if (!keyRoutes.test(path)) return wallet(request);
    if (apiKey !== undefined) return { authorization: `Bearer ${apiKey}` };
    throw new ServiceError({
      code: 'no-key',
      message: vscode.l10n.t('The service takes no wallet for this: it needs an API key.'),
    });
  };
}
