import * as l10n from '@vscode/l10n';
import { formatUsd } from '../base/amounts.ts';
import { defined } from '../base/json.ts';
import type { Cost, Usage } from './chat/chat-types.ts';
import type { ModelPricing, Price } from './model-types.ts';

/**
 * What a call costs by the model's prices, in each unit the prices are given in; `undefined` without prices.
 * Cached prompt tokens count at their own price when there is one.
 * @param searches How many requests were answered from the web: each costs as much as the service lists (facts §1.7).
 */
export function estimateCost(
  usage: Usage,
  pricing: ModelPricing | undefined,
  searches = 0,
): Cost | undefined {
  if (pricing === undefined) return undefined;
  const cost = (unit: keyof Price): number | undefined => {
    const tokens = total(usage, pricing, unit);
    return tokens === undefined ? undefined : tokens + searches * searchPrice;
  };
  const [usd, diem] = [cost('usd'), cost('diem')];
  return usd === undefined && diem === undefined ? undefined : defined({ usd, diem });
}

/** In either unit. */
const searchPrice = 0.01;

function total(
  { promptTokens, completionTokens, cachedTokens = 0 }: Usage,
  { input, output, cacheInput }: ModelPricing,
  unit: keyof Price,
): number | undefined {
  const inputPrice = input?.[unit];
  const outputPrice = output?.[unit];
  if (inputPrice === undefined || outputPrice === undefined) return undefined;
  const cached = Math.min(cachedTokens, promptTokens);
  const perMillion =
    (promptTokens - cached) * inputPrice +
    cached * (cacheInput?.[unit] ?? inputPrice) +
    completionTokens * outputPrice;
  return perMillion / 1_000_000;
}

/** `$0.15 in · $0.60 out / 1M` (tokens); empty when the service gives no prices in USD. */
export function formatPricing({ input, output }: ModelPricing): string {
  const prices = [
    input?.usd === undefined ? '' : l10n.t('{0} in', formatUsd(input.usd)),
    output?.usd === undefined ? '' : l10n.t('{0} out', formatUsd(output.usd)),
  ];
  const known = prices.filter((price) => price !== '');
  return known.length === 0 ? '' : l10n.t('{0} / 1M', known.join(' · '));
}
