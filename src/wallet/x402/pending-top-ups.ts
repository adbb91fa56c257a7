import type { Clock } from '../../base/clock.ts';
import type { CheckedChain } from '../chain-check.ts';
import { type PaymentState, paymentState } from './payment-state.ts';
import type { TopUpJournal, TopUpRecord } from './top-up-record.ts';

/** A payment of an earlier command, with what the chain says of it now. */
export interface PendingTopUp {
  readonly record: TopUpRecord;
  readonly state: PaymentState;
}

/**
 * Looks up how the payments ended that were left open: by a reload, or by a reply that never came. Those that are paid
 * or void are told once, and forgotten.
 * @throws WalletError `chain-unreachable`, `not-a-contract`, `stopped`
 */
export async function lookUpTopUps(
  { chain, client }: CheckedChain,
  { journal, clock, signal }: { journal: TopUpJournal; clock: Clock; signal: AbortSignal },
): Promise<readonly PendingTopUp[]> {
  const records = journal.list().filter(({ chainId }) => chainId === chain.id);
  const found: PendingTopUp[] = [];
  for (const record of records) {
    const { confirmations } = chain;
    const state = await paymentState(client, record, { confirmations, clock, signal });
    if (state.kind !== 'open') await journal.remove(record);
    found.push({ record, state });
  }
  return found;
}
