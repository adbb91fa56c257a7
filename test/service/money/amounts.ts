/** Integer millionths of a dollar or of a diem; one diem buys what one dollar buys. */
export type Micro = number;

export const micro = (units: number): Micro => Math.round(units * 1e6);

/** The order in which an account's sources pay (spec §5.5). */
export const spendOrder = ['diem', 'bundled', 'usd'] as const;

export type Source = (typeof spendOrder)[number];

export type Amounts = Readonly<Record<Source, Micro>>;

export const nothing: Amounts = { diem: 0, bundled: 0, usd: 0 };
