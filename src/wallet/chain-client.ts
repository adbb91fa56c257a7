import { createPublicClient, defineChain, http, type PublicClient } from 'viem';
import type { Chain } from './chain.ts';

/** Reads a chain. Only this folder looks into it. */
export type ChainClient = PublicClient;

/**
 * Opens no connection. Never follows a redirect, and never takes an answer of one call for another's.
 * @param pollingMs How often a transaction is looked for.
 */
export function openChain(chain: Chain, { pollingMs = 2_000 } = {}): ChainClient {
  return createPublicClient({
    chain: defineChain({
      id: chain.id,
      name: chain.name,
      nativeCurrency: chain.currency,
      rpcUrls: { default: { http: [chain.rpcUrl] } },
    }),
    transport: http(chain.rpcUrl, {
      timeout: 15_000,
      retryCount: 2,
      fetchOptions: { redirect: 'error' },
    }),
    pollingInterval: pollingMs,
    cacheTime: 0,
  });
}
