/** Integer millionths of a dollar or of a diem; one diem buys what one dollar buys. */
export type Micro = number;

export const toMicro = (units: number): Micro => Math.round(units * 1e6);

/** Order in which an account's sources pay (spec §5.5). */
export const spendOrder = ['diem', 'bundled', 'usd'] as const;

export type FundingSource = (typeof spendOrder)[number];

export type Amounts = Readonly<Record<FundingSource, Micro>>;

export const zeroAmounts: Amounts = { diem: 0, bundled: 0, usd: 0 };
