/** Amounts that an account can spend, in units of their currency. An unknown amount is absent. */
export interface Funds {
  /** Remaining part of today's DIEM allocation. */
  readonly diem?: number;
  /** Full DIEM allocation of the day. */
  readonly diemAllocation?: number;
  /** Bundled credits in US dollars. */
  readonly bundled?: number;
  readonly usd?: number;
}

export type FundingSource = 'diem' | 'bundled' | 'usd';

/** Sources in the order in which the service spends them (spec §5.5). */
const spendingOrder: readonly FundingSource[] = ['diem', 'bundled', 'usd'];

/**
 * Returns the source that pays for the next request: the first one in the order of the service with a positive amount.
 * Returns `none` if all reported amounts are zero, and `undefined` if the service reports no amount.
 */
export function nextFundingSource(funds: Funds): FundingSource | 'none' | undefined {
  const known = spendingOrder.filter((source) => funds[source] !== undefined);
  if (known.length === 0) return undefined;
  return known.find((source) => (funds[source] ?? 0) > 0) ?? 'none';
}
