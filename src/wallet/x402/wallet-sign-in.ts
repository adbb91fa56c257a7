import * as l10n from '@vscode/l10n';
import type { SignIn } from '../../service/http/client.ts';
import { ServiceError } from '../../service/http/failure.ts';
import { encodeHeaderJson, type X402Headers } from '../../service/payment-requirements.ts';
import type { LocalSigner, Review } from '../signer.ts';
import { WalletError } from '../wallet-failure.ts';
import { signInMessage } from './sign-in-message.ts';

export interface WalletSignInOptions {
  /** Asked for anew with each request, so that an account that was disconnected signs nothing more. */
  readonly signer: () => Promise<LocalSigner>;
  readonly chainId: number;
  readonly headers: X402Headers;
  /** Milliseconds since the Unix epoch, by the service's clock. */
  readonly now: () => number;
  /** Cryptographically strong. */
  readonly randomBytes: (count: number) => Uint8Array;
  readonly review: Review;
}

/** Signs each try of each request with a message of its own (service facts §6.1). Pays nothing. */
export function walletSignIn(options: WalletSignInOptions): SignIn {
  return async ({ url, signal }) => {
    try {
      return await signInHeader(options, url, signal);
    } catch (error) {
      throw error instanceof WalletError ? notSigned(error) : error;
    }
  };
}

async function signInHeader(
  { signer, chainId, headers, now, randomBytes, review }: WalletSignInOptions,
  url: URL,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const account = await signer();
  const { address } = account;
  const timestamp = now();
  const nonce = hexOf(randomBytes(8));
  const text = signInMessage({ url, address, chainId, now: timestamp, nonce });
  const signature = await account.signMessage({ text, review }, signal);
  const value = { address, message: text, signature, timestamp, chainId };
  return { [headers.signIn]: encodeHeaderJson(value) };
}

const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

const notSigned = ({ failure: { code, detail } }: WalletError): ServiceError =>
  code === 'stopped'
    ? new ServiceError({ code: 'stopped', message: l10n.t('Stopped.') })
    : new ServiceError({
        code: 'no-wallet',
        message: l10n.t(
          'The wallet did not sign the request, so it was not sent. Choose a wallet, or set an API key.',
        ),
        detail,
      });
