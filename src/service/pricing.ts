import * as l10n from '@vscode/l10n';
import { formatUsd } from '../base/amounts.ts';
import { omitUndefined } from '../base/json.ts';
import type { Cost, Usage } from './chat/chat-types.ts';
import type { ModelPricing, Price } from './model-types.ts';

/**
 * Estimates the cost of a call in each currency of the model's prices. Returns `undefined` without prices. Cached
 * prompt tokens use the cache price if the model has one.
 * @param searches Number of web searches, each at the list price of the service (service facts §1.7).
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
  return usd === undefined && diem === undefined ? undefined : omitUndefined({ usd, diem });
}

/** Price of one web search. The same number applies in USD and in DIEM. */
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

/** Formats prices per million tokens, such as `$0.15 in · $0.60 out / 1M`. Empty without prices in USD. */
export function formatPricing({ input, output }: ModelPricing): string {
  const prices = [
    input?.usd === undefined ? '' : l10n.t('{0} in', formatUsd(input.usd)),
    output?.usd === undefined ? '' : l10n.t('{0} out', formatUsd(output.usd)),
  ];
  const nonEmptyPrices = prices.filter((price) => price !== '');
  return nonEmptyPrices.length === 0 ? '' : l10n.t('{0} / 1M', nonEmptyPrices.join(' · '));
}
