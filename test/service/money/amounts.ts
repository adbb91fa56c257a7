/** Amount in integer millionths of a dollar or a diem. One diem has the value of one dollar. */
export type Micro = number;

export const toMicro = (amount: number): Micro => Math.round(amount * 1e6);

/** Funding sources of an account, in the order in which they are charged (spec §5.5). */
export const spendOrder = ['diem', 'bundled', 'usd'] as const;

export type FundingSource = (typeof spendOrder)[number];

export type Amounts = Readonly<Record<FundingSource, Micro>>;

export const zeroAmounts: Amounts = { diem: 0, bundled: 0, usd: 0 };
