import type { Usage } from '../service/chat-types.ts';
import type { ModelPricing } from '../service/model-types.ts';

const million = 1_000_000;

/** `$0.15`, `$12`, `$0.002`: as many digits as the figure needs, at least the cents of a broken one. */
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
  const parts = [part(input?.usd, 'in'), part(output?.usd, 'out')].filter((text) => text !== '');
  return parts.length === 0 ? '' : `${parts.join(' · ')} / 1M`;
}

/**
 * What a call costs by the model's prices, in USD; `undefined` when a price it needs is unknown.
 * Cached prompt tokens count at their own price when there is one.
 */
export function estimateCostUsd(usage: Usage, pricing: ModelPricing): number | undefined {
  const { promptTokens, completionTokens, cachedTokens = 0 } = usage;
  const input = pricing.input?.usd;
  const output = pricing.output?.usd;
  if (input === undefined || output === undefined) return undefined;
  const cached = Math.min(cachedTokens, promptTokens);
  const cacheInput = pricing.cacheInput?.usd ?? input;
  const total = (promptTokens - cached) * input + cached * cacheInput + completionTokens * output;
  return total / million;
}

const part = (usd: number | undefined, label: string): string =>
  usd === undefined ? '' : `${formatUsd(usd)} ${label}`;
