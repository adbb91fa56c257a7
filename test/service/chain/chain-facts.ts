import type { Address } from 'viem';
import type { Chain, Currency } from '../../../src/wallet/chain.ts';
import type { ChainAccount } from './anvil.ts';

/** Addresses and settings of a running chain; `npm run service -- --chain --json` prints them as `chain`. */
export interface ChainFacts {
  readonly chainId: number;
  readonly name: string;
  readonly rpcUrl: string;
  readonly currency: Currency;
  readonly token: Address;
  readonly stakingContract: Address;
  readonly usdc: Address;
  /** Recipient of top-ups; not one of the accounts. */
  readonly payTo: Address;
  readonly confirmations: number;
  /**
   * Account 0 deployed the contracts and settles payments. 1 to 3 hold 1,000 of each token and of USDC but no stake. 4
   * has 100 staked. The others hold native currency only, which all accounts have.
   */
  readonly accounts: readonly ChainAccount[];
  readonly variants: ContractVariants;
}

/** Contracts with unusual behavior. */
export interface ContractVariants {
  /** Requires an allowance to be reset to 0 before it changes. */
  readonly resetToken: Address;
  /** The usual staking contract, with {@link resetToken}. */
  readonly resetStaking: Address;
  /** Supports only `stake(uint256)`, and no unstaking. */
  readonly stakingOwn: Address;
  /** Supports only `stake(address,uint256)`. */
  readonly stakingFor: Address;
  /** Lacks `decimals` and `symbol`. */
  readonly namelessToken: Address;
  /** Reports 255 decimals, and a symbol with a line break and a bidirectional control character. */
  readonly lyingToken: Address;
  /** Factory for contract accounts: `create(owner, salt)` (EIP-1271, ERC-6492). */
  readonly accountFactory: Address;
}

/** Converts the facts to the wallet feature's type. */
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

/** Returns the value of the setting `inferenceService.wallet.chain`. */
export function chainSetting(facts: ChainFacts): Readonly<Record<string, unknown>> {
  const { chainId, name, rpcUrl, currency, token, stakingContract, usdc, confirmations } = facts;
  return { chainId, name, rpcUrl, currency, token, stakingContract, usdc, confirmations };
}
