import { formatUsd } from '../base/amounts.ts';
import type { ModelPricing } from '../service/model-types.ts';

/** `$0.15 in · $0.60 out / 1M` (tokens); empty when the service gives no prices in USD. */
export function formatPricing({ input, output }: ModelPricing): string {
  const prices = [priceText(input?.usd, 'in'), priceText(output?.usd, 'out')];
  const known = prices.filter((price) => price !== '');
  return known.length === 0 ? '' : `${known.join(' · ')} / 1M`;
}

const priceText = (usd: number | undefined, direction: string): string =>
  usd === undefined ? '' : `${formatUsd(usd)} ${direction}`;
