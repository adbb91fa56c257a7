import * as l10n from '@vscode/l10n';
import { createSiweMessage } from 'viem/siwe';
import type { SignIn } from '../../service/http/client.ts';
import { ServiceError } from '../../service/http/failure.ts';
import { encodeHeaderJson, type X402Headers } from '../../service/payment-requirements.ts';
import type { Address } from '../chain.ts';
import type { LocalSigner, Review } from '../signer.ts';
import { WalletError } from '../wallet-failure.ts';

/** Content of one sign-in message. None of the values comes from a reply of the service. */
export interface SignInMessageOptions {
  /** URL of the request. The message is valid for no other URL. */
  readonly url: URL;
  readonly address: Address;
  /** Chain id (EIP-155). */
  readonly chainId: number;
  /** Time of the message in milliseconds since the Unix epoch, by the service's clock. */
  readonly now: number;
  /** Sixteen hexadecimal digits, never reused. */
  readonly nonce: string;
}

const lifetimeMs = 5 * 60 * 1_000;

/**
 * Creates a Sign-In with Ethereum message for one request (EIP-4361).
 * @throws WalletError `unsafe-request` for a host that such a message cannot name, such as an IPv6 address
 */
export function createSignInMessage({
  url,
  address,
  chainId,
  now,
  nonce,
}: SignInMessageOptions): string {
  try {
    return createSiweMessage({
      domain: url.host,
      uri: url.href,
      address,
      chainId,
      nonce,
      version: '1',
      statement: 'Sign one request of the inference service. This moves no funds of the wallet.',
      issuedAt: new Date(now),
      expirationTime: new Date(now + lifetimeMs),
    });
  } catch {
    throw new WalletError(
      'unsafe-request',
      l10n.t('No wallet can sign in to {0}: the address must be a host name, or IPv4.', url.host),
    );
  }
}

export interface WalletSignInOptions {
  /**
   * Returns the signer. Called for each request, so that a disconnected account can no longer sign.
   */
  readonly getSigner: () => Promise<LocalSigner>;
  readonly chainId: number;
  readonly headers: X402Headers;
  /** Returns milliseconds since the Unix epoch, by the service's clock. */
  readonly now: () => number;
  /** Returns cryptographically strong random bytes. */
  readonly randomBytes: (count: number) => Uint8Array;
  readonly review: Review;
}

/**
 * Creates a function that authenticates requests: it signs a separate message for each attempt of each request. The
 * signatures move no funds.
 */
export function createWalletSignIn(options: WalletSignInOptions): SignIn {
  return async ({ url, signal }) => {
    try {
      return await createSignInHeaders(options, url, signal);
    } catch (error) {
      throw error instanceof WalletError ? toServiceError(error) : error;
    }
  };
}

async function createSignInHeaders(
  { getSigner, chainId, headers, now, randomBytes, review }: WalletSignInOptions,
  url: URL,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const signer = await getSigner();
  const { address } = signer;
  const timestamp = now();
  const nonce = toHex(randomBytes(8));
  const text = createSignInMessage({ url, address, chainId, now: timestamp, nonce });
  const signature = await signer.signMessage({ text, review }, signal);
  const value = { address, message: text, signature, timestamp, chainId };
  return { [headers.signIn]: encodeHeaderJson(value) };
}

const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

const toServiceError = ({ failure: { code, detail } }: WalletError): ServiceError =>
  code === 'stopped'
    ? new ServiceError({ code: 'stopped', message: l10n.t('Stopped.') })
    : new ServiceError({
        code: 'no-wallet',
        message: l10n.t(
          'The wallet did not sign the request, so it was not sent. Choose a wallet, or set an API key.',
        ),
        detail,
      });
