import type { Chain } from '../chain.ts';
import { ChainChecks, type CheckedChain } from '../chain-check.ts';
import type { Host } from '../../host.ts';

/** One for each start of the extension. */
const checks = new WeakMap<Host, ChainChecks>();

/**
 * The chain, checked against what its RPC address and its contracts say; once in a session.
 * @throws WalletError `chain-unreachable`, `chain-mismatch`, `not-a-contract`, `stopped`
 */
export function checkedChain(host: Host, chain: Chain, signal: AbortSignal): Promise<CheckedChain> {
  const known = checks.get(host) ?? new ChainChecks();
  checks.set(host, known);
  return known.of(chain, signal);
}
