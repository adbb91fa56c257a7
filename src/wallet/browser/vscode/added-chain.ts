import type { AddedChain } from '../protocol.ts';
import type { Chain } from '../../chain.ts';

/** The chain of the settings as a wallet adds it (EIP-3085); nothing in it is from the service. */
export const addedChain = ({ id, name, currency, rpcUrl, explorerUrl }: Chain): AddedChain => ({
  chainId: `0x${id.toString(16)}`,
  chainName: name,
  nativeCurrency: { ...currency },
  rpcUrls: [rpcUrl],
  blockExplorerUrls: explorerUrl === undefined ? [] : [explorerUrl],
});
