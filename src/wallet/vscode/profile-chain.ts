import type { Account } from '../../account/vscode/account.ts';
import type { Host } from '../../host.ts';
import {
  CheckedChainCache,
  type CheckedChain,
  type Balance,
  readBalances,
} from '../chain-client.ts';
import { type Address, type Chain, parseChainSettings } from '../chain.ts';
import { hasChainSetting, readChainSetting } from './chain-settings.ts';

/**
 * Parses the chain setting of the profile. Separate from `chain-settings.ts`, which must not load `viem`.
 * @throws WalletError `no-chain`, naming the missing or invalid setting
 */
export function getProfileChain(account: Pick<Account, 'profileId'>): Chain {
  const { name, value } = readChainSetting(account);
  return parseChainSettings(value, name);
}

/**
 * Parses the chain setting of the profile, if it has one. A signature needs no chain.
 * @throws WalletError `no-chain`, naming the invalid setting
 */
export const getConfiguredChain = (account: Pick<Account, 'profileId'>): Chain | undefined =>
  hasChainSetting(account) ? getProfileChain(account) : undefined;

/**
 * Caches of checked chains, one for each {@link Host}. Each activation of the extension creates a new host, and so
 * starts with an empty cache.
 */
const checkedChainCaches = new WeakMap<Host, CheckedChainCache>();

/**
 * Returns the chain after checking its RPC endpoint and contracts. Each chain is checked once
 * per session.
 * @throws WalletError with one of the codes `chain-unreachable`, `chain-mismatch`, `not-a-contract` or `stopped`
 */
export function getCheckedChain(
  host: Host,
  chain: Chain,
  signal: AbortSignal,
): Promise<CheckedChain> {
  const cache = checkedChainCaches.get(host) ?? new CheckedChainCache();
  checkedChainCaches.set(host, cache);
  return cache.get(chain, signal);
}

export interface StakeQuery {
  readonly chain: Chain;
  readonly address: Address;
  readonly signal: AbortSignal;
}

/** Timeout in milliseconds for chain reads that the user waits for. */
const readTimeoutMs = 10_000;

/** Returns the staked balance; `undefined` when the chain does not answer within ten seconds. */
export async function readStakedBalance(
  host: Host,
  { chain, address, signal: outerSignal }: StakeQuery,
): Promise<(Balance & { readonly value: bigint }) | undefined> {
  const signal = AbortSignal.any([outerSignal, AbortSignal.timeout(readTimeoutMs)]);
  try {
    const { stakedToken } = await readBalances(
      await getCheckedChain(host, chain, signal),
      address,
      signal,
    );
    return stakedToken?.value === undefined
      ? undefined
      : { ...stakedToken, value: stakedToken.value };
  } catch {
    host.log.info('The stake of the account could not be read.');
    return undefined;
  }
}
