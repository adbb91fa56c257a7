import type { ModelPricing } from '../service/model-types.ts';

/** `$0.15`, `$12`, `$0.002`: as many digits as the figure needs, and cents when it is broken. */
export function formatUsd(usd: number): string {
  const digits = Number.isInteger(usd) ? 0 : 2;
  return new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: digits,
    maximumFractionDigits: Math.max(digits, usd < 0.01 ? 6 : 4),
  }).format(usd);
}

/** `$0.15 in · $0.60 out / 1M` (tokens); empty when the service gives no prices in USD. */
export function formatPricing({ input, output }: ModelPricing): string {
  const prices = [priceText(input?.usd, 'in'), priceText(output?.usd, 'out')];
  const known = prices.filter((price) => price !== '');
  return known.length === 0 ? '' : `${known.join(' · ')} / 1M`;
}

const priceText = (usd: number | undefined, direction: string): string =>
  usd === undefined ? '' : `${formatUsd(usd)} ${direction}`;
