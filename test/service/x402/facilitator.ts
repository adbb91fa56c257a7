import { x402Facilitator } from '@x402/core/facilitator';
import { toFacilitatorEvmSigner } from '@x402/evm';
import { ExactEvmScheme } from '@x402/evm/exact/facilitator';
import { createWalletClient, defineChain, http, publicActions } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { toCaip2Network } from '../../../src/wallet/chain.ts';
import type { ChainFacts } from '../chain/chain-facts.ts';

/** Verifies payments and settles them on the chain. Account 0 of the chain pays the fees. */
export type Facilitator = x402Facilitator;

/**
 * Creates the facilitator with the packages of the x402 protocol, which do not share code with the extension's client.
 */
export function createFacilitator(facts: ChainFacts): Facilitator {
  const account = privateKeyToAccount(facts.accounts[0]!.privateKey);
  const chain = defineChain({
    id: facts.chainId,
    name: facts.name,
    nativeCurrency: facts.currency,
    rpcUrls: { default: { http: [facts.rpcUrl] } },
  });
  const client = createWalletClient({
    account,
    chain,
    transport: http(facts.rpcUrl),
    pollingInterval: 50,
  }).extend(publicActions);
  const signer = toFacilitatorEvmSigner({ ...client, address: account.address } as never);
  const scheme = new ExactEvmScheme(signer, {
    eip6492AllowedFactories: [facts.variants.accountFactory],
  });
  return new x402Facilitator().register(toCaip2Network({ id: facts.chainId }), scheme);
}
