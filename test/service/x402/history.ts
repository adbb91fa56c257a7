import type { ServiceState } from '../service-state.ts';
import { getBalanceAccountId } from './wallets.ts';

export interface Transaction {
  readonly id: string;
  /** Amount in dollars; negative for charges. */
  readonly amount: number;
  readonly balanceAfter: number;
  readonly type: 'TOP_UP' | 'CHARGE';
  readonly createdAt: string;
  readonly requestId: null;
  readonly modelId: string | null;
}

/** Returns all top-ups and charges of a wallet, newest first. */
export function listTransactions(
  { accounts, wallets }: ServiceState,
  address: string,
): Transaction[] {
  const id = getBalanceAccountId(address);
  const topUps = wallets.topUps
    .filter((topUp) => getBalanceAccountId(topUp.address) === id)
    .map(
      ({ id, amount, creditedAt }) =>
        ({ id, amount, time: creditedAt, type: 'TOP_UP', modelId: null }) as const,
    );
  const charges = accounts.charges
    .filter(({ accountId, usd }) => accountId === id && usd > 0)
    .map(({ usd, chargedAt, modelId }, index) => {
      return {
        id: `charge-${index + 1}`,
        amount: -usd,
        time: chargedAt,
        type: 'CHARGE',
        modelId,
      } as const;
    });
  let balance = wallets.getBalance(address);
  const sortedTransactions = [...topUps, ...charges].sort((a, b) => a.time - b.time).reverse();
  return sortedTransactions.map(({ id, amount, time, type, modelId }) => {
    const balanceAfter = balance / 1e6;
    balance -= amount;
    const createdAt = new Date(time).toISOString();
    return { id, amount: amount / 1e6, balanceAfter, type, createdAt, requestId: null, modelId };
  });
}
