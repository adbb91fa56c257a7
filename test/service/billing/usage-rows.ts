import type { Micro, FundingSource } from '../money/amounts.ts';
import type { Charge } from '../money/accounts.ts';

export const currencies = ['USD', 'DIEM', 'BUNDLED_CREDITS'] as const;
export type Currency = (typeof currencies)[number];

/** Part of a charge that was paid in one currency. */
export interface UsageRow {
  /** Time of the charge in milliseconds since the Unix epoch. */
  readonly chargedAt: number;
  readonly keyId: string;
  readonly modelId: string;
  readonly currency: Currency;
  readonly amount: Micro;
}

const fundingSourceByCurrency = {
  USD: 'usd',
  DIEM: 'diem',
  BUNDLED_CREDITS: 'bundled',
} as const satisfies Record<Currency, FundingSource>;

/** Returns one row per charge and currency, newest first. */
export function createUsageRows(charges: readonly Charge[]): UsageRow[] {
  return charges.toReversed().flatMap((charge) =>
    currencies
      .map((currency) => ({
        chargedAt: charge.chargedAt,
        keyId: charge.keyId,
        modelId: charge.modelId,
        currency,
        amount: charge[fundingSourceByCurrency[currency]],
      }))
      .filter(({ amount }) => amount > 0),
  );
}

/** Formats a row for the API. The amount in the result is negative, because the account paid it. */
export function createHistoryRow({
  chargedAt,
  modelId,
  currency,
  amount,
}: UsageRow): Record<string, unknown> {
  return {
    timestamp: new Date(chargedAt).toISOString(),
    sku: `${modelId}-inference`,
    units: 1,
    pricePerUnitUsd: amount / 1e6,
    amount: -amount / 1e6,
    currency,
    notes: 'API Inference',
    inferenceDetails: null,
  };
}

/** Formats the rows as CSV. */
export function formatHistoryTable(rows: readonly UsageRow[]): string {
  const records = rows.map((row) => {
    const { inferenceDetails: _, ...fields } = createHistoryRow(row);
    return Object.values(fields).join(',');
  });
  return `timestamp,sku,units,pricePerUnitUsd,amount,currency,notes\n${records.join('\n')}\n`;
}
