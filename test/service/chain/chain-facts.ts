import type { Address } from 'viem';
import type { Currency, StakingChain } from '../../../src/wallet/chain.ts';
import type { ChainAccount } from './anvil.ts';

/**
 * Default chain id of local chains. If the id of a local chain belongs to a public network, a signature for the local
 * chain is also valid on this network. Use other ids only in automated tests with the published test accounts.
 */
export const defaultChainId = 31_337;

/** Addresses and settings of a running chain; `npm run service -- --chain --json` prints them as `chain`. */
export interface ChainFacts {
  readonly chainId: number;
  readonly name: string;
  readonly rpcUrl: string;
  readonly currency: Currency;
  readonly token: Address;
  readonly stakingContract: Address;
  readonly usdc: Address;
  /** Recipient of top-ups. Not one of `accounts`. */
  readonly payTo: Address;
  readonly confirmations: number;
  /**
   * Accounts that hold native currency. Account 0 deployed the contracts and settles payments. Accounts 1 to 3 also
   * hold 1,000 of each token and of USDC. Account 4 has a stake of 100 tokens.
   */
  readonly accounts: readonly ChainAccount[];
  readonly variants: ContractVariants;
}

/** Contracts with unusual behavior, for tests of clients. */
export interface ContractVariants {
  /** Token that rejects a new allowance until the current allowance is 0. */
  readonly resetToken: Address;
  /** Staking contract with the usual functions, in which wallets stake the token at {@link resetToken}. */
  readonly resetStaking: Address;
  /** Staking contract with `stake(uint256)` as its only function for staking. It has no function for unstaking. */
  readonly stakingOwn: Address;
  /** Staking contract with `stake(address,uint256)` as its only function for staking. */
  readonly stakingFor: Address;
  /** Token without `decimals` and `symbol`. */
  readonly noMetadataToken: Address;
  /**
   * Token that reports 255 decimals, and a symbol with a line break and a bidirectional control
   * character.
   */
  readonly falseMetadataToken: Address;
  /** Factory for contract accounts: `create(owner, salt)` (EIP-1271, ERC-6492). */
  readonly accountFactory: Address;
}

/** Converts the addresses and settings of a test chain to the chain settings of the extension's wallet feature. */
export const createStakingChain = (facts: ChainFacts): StakingChain => ({
  id: facts.chainId,
  name: facts.name,
  rpcUrl: facts.rpcUrl,
  currency: facts.currency,
  token: facts.token,
  staking: facts.stakingContract,
  usdc: facts.usdc,
  confirmations: facts.confirmations,
});

/** Returns the value of the setting `inferenceService.wallet.chain` that describes the test chain. */
export function createChainSetting(facts: ChainFacts): Readonly<Record<string, unknown>> {
  const { chainId, name, rpcUrl, currency, token, stakingContract, usdc, confirmations } = facts;
  return { chainId, name, rpcUrl, currency, token, stakingContract, usdc, confirmations };
}
