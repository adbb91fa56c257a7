import type { Account } from '../../account/vscode/account.ts';
import type { Host } from '../../host.ts';
import { type Balance, readBalances } from '../balances.ts';
import { CheckedChainCache, type CheckedChain } from '../chain-client.ts';
import { type Address, type Chain, chainFromSettings } from '../chain.ts';
import { readChainSetting } from './chain-settings.ts';

/**
 * The chain of the active profile, from the user's settings alone.
 * @throws WalletError `no-chain`, naming the setting that is missing or wrong
 */
export function profileChain(account: Pick<Account, 'profileId'>): Chain {
  const { name, value } = readChainSetting(account);
  return chainFromSettings(value, name);
}

/** One for each start of the extension. */
const checks = new WeakMap<Host, CheckedChainCache>();

/**
 * The chain, checked against what its RPC address and its contracts say; once in a session.
 * @throws WalletError `chain-unreachable`, `chain-mismatch`, `not-a-contract`, `stopped`
 */
export function getCheckedChain(
  host: Host,
  chain: Chain,
  signal: AbortSignal,
): Promise<CheckedChain> {
  const known = checks.get(host) ?? new CheckedChainCache();
  checks.set(host, known);
  return known.of(chain, signal);
}

export interface StakeQuery {
  readonly chain: Chain;
  readonly address: Address;
  readonly signal: AbortSignal;
}

/** For who must not be kept waiting by a node that does not answer. */
const readMs = 10_000;

/** What the account has staked; undefined when the chain does not say so within ten seconds. */
export async function readStakedBalance(
  host: Host,
  { chain, address, signal: outer }: StakeQuery,
): Promise<(Balance & { readonly value: bigint }) | undefined> {
  const signal = AbortSignal.any([outer, AbortSignal.timeout(readMs)]);
  try {
    const { staked } = await readBalances(
      await getCheckedChain(host, chain, signal),
      address,
      signal,
    );
    return staked.value === undefined ? undefined : { ...staked, value: staked.value };
  } catch {
    host.log.info('The stake of the account could not be read.');
    return undefined;
  }
}
