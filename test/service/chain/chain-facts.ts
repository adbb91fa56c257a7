import type { Address } from 'viem';
import type { Currency, StakingChain } from '../../../src/wallet/chain.ts';
import type { ChainAccount } from './anvil.ts';

/**
 * Chain id of local chains. Use another id only in automated tests with the published test accounts. Otherwise, a
 * signature for a local chain with the id of a public network would also be valid on that network.
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
  /** Recipient of top-ups; not an account in `accounts`. */
  readonly payTo: Address;
  readonly confirmations: number;
  /**
   * All accounts hold native currency. Account 0 deployed the contracts and settles payments.
   * Accounts 1 to 3 also hold 1,000 of each token and of USDC, account 4 has a stake of 100 tokens.
   */
  readonly accounts: readonly ChainAccount[];
  readonly variants: ContractVariants;
}

/** Contracts that behave unusually, for tests of clients. */
export interface ContractVariants {
  /** Token that rejects a new allowance until the previous allowance was reset to 0. */
  readonly resetToken: Address;
  /** Staking contract with the usual functions for {@link resetToken}. */
  readonly resetStaking: Address;
  /** Staking contract whose only function for staking is `stake(uint256)`. It has no function for unstaking. */
  readonly stakingOwn: Address;
  /** Staking contract whose only function for staking is `stake(address,uint256)`. */
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

/** Converts facts about a test chain to the format of the extension's wallet feature. */
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

/** Returns the value of the setting `inferenceService.wallet.chain`. */
export function createChainSetting(facts: ChainFacts): Readonly<Record<string, unknown>> {
  const { chainId, name, rpcUrl, currency, token, stakingContract, usdc, confirmations } = facts;
  return { chainId, name, rpcUrl, currency, token, stakingContract, usdc, confirmations };
}
