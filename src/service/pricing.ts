import * as l10n from '@vscode/l10n';
import { formatUsd } from '../base/amounts.ts';
import { omitUndefined } from '../base/json.ts';
import { type Nano, parseNano } from '../base/nano-amount.ts';
import type { Cost, Usage } from './chat/chat-types.ts';
import type { ModelPricing, Price, TokenPrices } from './model-types.ts';

/**
 * Computes the cost of a request in each currency of the model's prices. Exact if the service reported the usage.
 * Returns `undefined` if the model has no prices. Cached prompt tokens use the cache prices if the model has them.
 * @param usage Usage of one request. Do not pass the sum of several requests, because the sum may exceed a price
 * threshold that no single request exceeded.
 * @param searchCount Number of web searches. Each is charged at the service's list price.
 */
export function estimateCost(
  usage: Usage,
  pricing: ModelPricing | undefined,
  searchCount = 0,
): Cost | undefined {
  if (pricing === undefined) return undefined;
  const rates = selectRates(usage, pricing);
  const computeCost = (unit: keyof Price): number | undefined => {
    const tokenCost = computeTokenCost(usage, rates, unit);
    if (tokenCost === undefined) return undefined;
    return Number(`${tokenCost + BigInt(searchCount) * searchPrice}e-${costDecimals}`);
  };
  const [usd, diem] = [computeCost('usd'), computeCost('diem')];
  return usd === undefined && diem === undefined ? undefined : omitUndefined({ usd, diem });
}

/**
 * Number of decimals of an exact cost: nine for a price in {@link Nano}, and six because prices apply to a million
 * tokens.
 */
const costDecimals = 15;
/**
 * Price of one web search with {@link costDecimals} decimals: 0.01 US dollars or DIEM. Not part of any model record.
 */
const searchPrice = 10n ** 13n;

/**
 * Returns the prices that apply to all tokens of a request: the extended prices if the prompt exceeds their threshold.
 * Keeps the normal price where an extended price is missing.
 */
const selectRates = (
  { promptTokens }: Pick<Usage, 'promptTokens'>,
  { extended: extendedPrices, ...prices }: ModelPricing,
): TokenPrices =>
  extendedPrices !== undefined && promptTokens > extendedPrices.threshold
    ? { ...prices, ...extendedPrices }
    : prices;

/**
 * Returns the exact cost with {@link costDecimals} decimals. `promptTokens` includes the tokens read from and written
 * to the cache.
 */
function computeTokenCost(
  { promptTokens, completionTokens, cachedTokens = 0, cacheWriteTokens = 0 }: Usage,
  { input, output, cacheInput, cacheWrite }: TokenPrices,
  unit: keyof Price,
): bigint | undefined {
  const inputPrice = parseNano(input?.[unit]);
  const outputPrice = parseNano(output?.[unit]);
  if (inputPrice === undefined || outputPrice === undefined) return undefined;
  const promptCount = toTokenCount(promptTokens);
  const cachedCount = getMin(toTokenCount(cachedTokens), promptCount);
  const writtenCount = getMin(toTokenCount(cacheWriteTokens), promptCount - cachedCount);
  const getPriceOrInputPrice = (price: Price | undefined): Nano =>
    parseNano(price?.[unit]) ?? inputPrice;
  return (
    (promptCount - cachedCount - writtenCount) * inputPrice +
    cachedCount * getPriceOrInputPrice(cacheInput) +
    writtenCount * getPriceOrInputPrice(cacheWrite) +
    toTokenCount(completionTokens) * outputPrice
  );
}

const toTokenCount = (count: number): bigint =>
  BigInt(Math.min(Math.max(0, Math.round(count)), Number.MAX_SAFE_INTEGER));

const getMin = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/**
 * Formats prices per million tokens, such as `$0.15 in · $0.60 out / 1M`. Empty without prices.
 */
export function formatPricing({ input, output }: ModelPricing): string {
  const prices = [
    input === undefined ? '' : l10n.t('{0} in', formatPrice(input)),
    output === undefined ? '' : l10n.t('{0} out', formatPrice(output)),
  ];
  const nonEmptyPrices = prices.filter((price) => price !== '');
  return nonEmptyPrices.length === 0 ? '' : l10n.t('{0} / 1M', nonEmptyPrices.join(' · '));
}

/**
 * Formats a price in dollars, such as `$0.04`. One DIEM has the value of one dollar. Empty without a price.
 */
export function formatPrice(price: Price | undefined): string {
  const amount = price?.usd ?? price?.diem;
  return amount === undefined ? '' : formatUsd(amount);
}

/** Compares two prices for sorting, in USD, or in DIEM for a price without USD. Unknown prices come last. */
export const comparePrices = (a: Price | undefined, b: Price | undefined): number => {
  const amounts = [a, b].map((price) => price?.usd ?? price?.diem ?? Infinity);
  const [first = 0, second = 0] = amounts;
  return first === second ? 0 : first - second;
};
