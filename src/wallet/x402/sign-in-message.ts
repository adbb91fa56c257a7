import * as l10n from '@vscode/l10n';
import { createSiweMessage } from 'viem/siwe';
import type { Address } from '../chain.ts';
import { WalletError } from '../wallet-failure.ts';

/** What one message says. Nothing of it comes from a reply. */
export interface SignInFacts {
  /** Exactly what is requested: the message is good for nothing else. */
  readonly url: URL;
  readonly address: Address;
  /** EIP-155. */
  readonly chainId: number;
  /** Milliseconds since the Unix epoch, by the clock that the service judges by. */
  readonly now: number;
  /** Sixteen hexadecimal digits that were never used before. */
  readonly nonce: string;
}

const lifetimeMs = 5 * 60 * 1_000;

/**
 * Sign-In-With-Ethereum for one request (EIP-4361).
 * @throws WalletError `unsafe-request` for an address that such a message cannot name, as an IPv6 one
 */
export function signInMessage({ url, address, chainId, now, nonce }: SignInFacts): string {
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
