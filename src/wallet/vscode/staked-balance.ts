import { type Balance, readBalances } from '../balances.ts';
import type { Address, Chain } from '../chain.ts';
import type { Host } from '../../host.ts';
import { checkedChain } from './checked-chain.ts';

export interface StakeQuestion {
  readonly chain: Chain;
  readonly address: Address;
  readonly signal: AbortSignal;
}

/** For who must not be kept waiting by a node that does not answer. */
const readMs = 10_000;

/** What the account has staked; undefined when the chain does not say so within ten seconds. */
export async function stakedBalance(
  host: Host,
  { chain, address, signal: outer }: StakeQuestion,
): Promise<(Balance & { readonly value: bigint }) | undefined> {
  const signal = AbortSignal.any([outer, AbortSignal.timeout(readMs)]);
  try {
    const { staked } = await readBalances(await checkedChain(host, chain, signal), address, signal);
    return staked.value === undefined ? undefined : { ...staked, value: staked.value };
  } catch {
    host.log.info('The stake of the account could not be read.');
    return undefined;
  }
}
