import type { Address } from 'viem';
import type { Chain, Currency } from '../../../src/wallet/chain.ts';
import type { ChainAccount } from './anvil.ts';

/** All that somebody needs who works with a running chain; what `npm run service -- --chain --json` prints as `chain`. */
export interface ChainFacts {
  readonly chainId: number;
  readonly name: string;
  readonly rpcUrl: string;
  readonly currency: Currency;
  readonly token: Address;
  readonly stakingContract: Address;
  readonly usdc: Address;
  /** Who top-ups go to; not one of the accounts. */
  readonly payTo: Address;
  readonly confirmations: number;
  /**
   * 0 deployed everything and settles payments; 1 to 3 have 1,000 of each token and of USDC but no stake; 4 has 100
   * staked; the others have nothing but currency. All have currency.
   */
  readonly accounts: readonly ChainAccount[];
  readonly variants: ContractVariants;
}

/** Contracts that behave in other ways. */
export interface ContractVariants {
  /** Wants an allowance reset to 0 before it is changed. */
  readonly resetToken: Address;
  /** As the usual one, with {@link resetToken}. */
  readonly resetStaking: Address;
  /** Only `stake(uint256)`, and no unstaking. */
  readonly stakingOwn: Address;
  /** Only `stake(address,uint256)`. */
  readonly stakingFor: Address;
  /** Without `decimals` and `symbol`. */
  readonly namelessToken: Address;
  /** 255 decimals, and a symbol with a line break and a change of direction. */
  readonly lyingToken: Address;
  /** `create(owner, salt)` makes accounts that are contracts (EIP-1271, ERC-6492). */
  readonly accountFactory: Address;
}

/** The chain as the wallets' code takes it. */
export const chainFrom = (facts: ChainFacts): Chain => ({
  id: facts.chainId,
  name: facts.name,
  rpcUrl: facts.rpcUrl,
  currency: facts.currency,
  token: facts.token,
  staking: facts.stakingContract,
  usdc: facts.usdc,
  confirmations: facts.confirmations,
});

/** The value of the setting `inferenceService.wallet.chain`. */
export function chainSetting(facts: ChainFacts): Readonly<Record<string, unknown>> {
  const { chainId, name, rpcUrl, currency, token, stakingContract, usdc, confirmations } = facts;
  return { chainId, name, rpcUrl, currency, token, stakingContract, usdc, confirmations };
}
