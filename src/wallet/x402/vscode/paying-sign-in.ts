import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { Account } from '../../../account/vscode/account.ts';
import { getPayingAddress, getPayingChainId } from '../../../account/vscode/payment-choice.ts';
import { getSetting, getSettingDefault } from '../../../platform/settings.ts';
import type { ServiceContext, SignIn } from '../../../service/http/client.ts';
import { ServiceError } from '../../../service/http/failure.ts';
import { x402HeaderProfiles, type X402Headers } from '../../../service/payment-requirements.ts';
import type { Address, Chain } from '../../chain.ts';
import type { StoredAccount } from '../../local/known-account.ts';
import { createLocalSigner } from '../../local/local-signer.ts';
import { decodeStoredKey } from '../../local/private-key.ts';
import type { LocalSigner, Review } from '../../signer.ts';
import { getConfiguredChain } from '../../vscode/profile-chain.ts';
import { KnownAccounts, StoredKeys } from '../../vscode/known-accounts.ts';
import { WalletError } from '../../wallet-failure.ts';
import { usdcDecimals } from '../usdc-info.ts';
import { createWalletSignIn } from '../wallet-sign-in.ts';

/**
 * Creates a signer that signs requests without a prompt. Reads the key for each signature, so that a disconnected
 * account can no longer sign.
 * @throws WalletError `no-wallet` if the account is not stored on this machine
 */
export function createPayingSigner(
  context: Pick<vscode.ExtensionContext, 'secrets' | 'globalState'>,
  address: Address,
): LocalSigner {
  const account = readStoredAccounts(context).find(
    (storedAccount) => storedAccount.address === address,
  );
  if (account === undefined) {
    throw new WalletError(
      'no-wallet',
      vscode.l10n.t('The editor no longer has the key of {0}.', address),
    );
  }
  const keys = new StoredKeys(context);
  const open = async (): Promise<Uint8Array> => decodeStoredKey(await keys.read(address));
  return createLocalSigner({ kind: account.kind, address, open });
}

/**
 * Returns the accounts whose keys VS Code stores. Excludes accounts with a keystore file, because they would prompt for
 * a password at each signature.
 */
export const readStoredAccounts = ({
  globalState,
}: Pick<vscode.ExtensionContext, 'globalState'>): readonly StoredAccount[] =>
  new KnownAccounts({ globalState }).accounts.filter(
    (account): account is StoredAccount =>
      account.kind === 'private-key' || account.kind === 'mnemonic',
  );

export const maxCeilingUsd = 10_000;

export function readX402Headers(): X402Headers {
  return x402HeaderProfiles[getSetting('inferenceService.wallet.x402Headers')];
}

export const topUpCeilingSetting = 'inferenceService.wallet.topUpCeiling';

/** Returns the maximum amount of one top-up in US dollars, from the user settings. */
export function readTopUpCeilingUsd(): number {
  const usd = getSetting(topUpCeilingSetting);
  const isAllowed = usd >= 0 && usd <= maxCeilingUsd;
  return isAllowed ? usd : Number(getSettingDefault(topUpCeilingSetting));
}

/** Reads the maximum amount of one top-up, in the smallest unit of USDC, rounded down to cents. */
export function readTopUpCeiling(): bigint {
  const cents = BigInt(Math.floor(readTopUpCeilingUsd() * 100));
  return (cents * 10n ** BigInt(usdcDecimals)) / 100n;
}

export interface RequestSigner {
  readonly chain: Pick<Chain, 'id'>;
  /** Returns the signer of a request. Called for each request. */
  readonly getSigner: () => Promise<LocalSigner>;
}

/** Returns the account's service context with a sign-in by the wallet in place of the API key. */
export function withWalletSignIn(
  account: Pick<Account, 'service' | 'serviceClock'>,
  requestSigner: RequestSigner,
): ServiceContext {
  const signIn = createRequestSignIn(account, requestSigner);
  const { service } = account;
  const getEndpoint: ServiceContext['getEndpoint'] = async () => {
    const { apiKey: _, ...rest } = await service.getEndpoint();
    return { ...rest, signIn };
  };
  return { ...service, getEndpoint };
}

/**
 * Creates a function that authenticates requests with the wallet: it signs a separate message for each attempt of each
 * request. The messages contain the time of the service's clock.
 */
export const createRequestSignIn = (
  { serviceClock }: Pick<Account, 'serviceClock'>,
  { chain, getSigner }: RequestSigner,
): SignIn =>
  createWalletSignIn({
    getSigner,
    chainId: chain.id,
    headers: readX402Headers(),
    now: () => serviceClock.now(),
    randomBytes,
    review: createRequestReview(),
  });

/** Creates the review of a request's signature. It contains only the purpose, because the signature moves no funds. */
const createRequestReview = (): Review => ({
  purpose: vscode.l10n.t('Sign one request to the service. This moves no funds of the wallet.'),
  rows: [],
  warnings: [],
});

/** Matches the paths of API endpoints that accept only API keys, relative to the base URL, such as `/api_keys/1`. */
const keyRoutesPattern = /^\/(?:api_keys|billing|characters)(?:\/|$)/;

/** Creates a sign-in that uses the API key for API endpoints that accept no wallet, and otherwise the wallet. */
export function createWalletOrKeySignIn(
  walletSignIn: SignIn,
  { baseUrl, apiKey }: { baseUrl: URL; apiKey?: string },
): SignIn {
  return async (request) => {
    const path = request.url.pathname.slice(baseUrl.pathname.length);
    if (!keyRoutesPattern.test(path)) return walletSignIn(request);
    if (apiKey !== undefined) return { authorization: `Bearer ${apiKey}` };
    throw new ServiceError({
      code: 'no-key',
      message: vscode.l10n.t('The service takes no wallet for this: it needs an API key.'),
    });
  };
}

export interface PayingSignInOptions {
  readonly context: Pick<vscode.ExtensionContext, 'secrets' | 'globalState'>;
  readonly account: Pick<Account, 'profileId' | 'serviceClock'>;
  readonly baseUrl: URL;
  /** API key for API endpoints that accept no wallet. If absent, requests to these endpoints fail. */
  readonly apiKey?: string;
}

/**
 * Creates the sign-in of an account that pays with a wallet. The first request of the account loads
 * this module.
 */
export function createPayingSignIn(options: PayingSignInOptions): SignIn {
  const { account } = options;
  const walletSignIn: SignIn = async (request) => {
    const { chain, signer } = resolvePayer(options);
    return createRequestSignIn(account, { chain, getSigner: async () => signer })(request);
  };
  return createWalletOrKeySignIn(walletSignIn, options);
}

function resolvePayer({ context, account, baseUrl }: PayingSignInOptions) {
  const address = getPayingAddress(context.globalState, baseUrl.origin);
  try {
    if (address === undefined)
      throw new WalletError('no-wallet', vscode.l10n.t('No account was chosen.'));
    const chainId =
      getConfiguredChain(account)?.id ?? getPayingChainId(context.globalState, baseUrl.origin);
    if (chainId === undefined)
      throw new WalletError(
        'no-chain',
        vscode.l10n.t('The setting {0} is missing.', 'inferenceService.wallet.chain'),
      );
    return { chain: { id: chainId }, signer: createPayingSigner(context, address) };
  } catch (error) {
    if (!(error instanceof WalletError)) throw error;
    throw new ServiceError({
      code: 'no-wallet',
      message: vscode.l10n.t(
        'Requests are to be paid by a wallet, and none is set up. Choose a wallet, or use an API key.',
      ),
      detail: error.failure.detail,
    });
  }
}
