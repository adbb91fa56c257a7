import * as l10n from '@vscode/l10n';
import { formatUsd } from '../base/amounts.ts';
import type { ModelPricing } from './model-types.ts';

/** `$0.15 in · $0.60 out / 1M` (tokens); empty when the service gives no prices in USD. */
export function formatPricing({ input, output }: ModelPricing): string {
  const prices = [
    input?.usd === undefined ? '' : l10n.t('{0} in', formatUsd(input.usd)),
    output?.usd === undefined ? '' : l10n.t('{0} out', formatUsd(output.usd)),
  ];
  const known = prices.filter((price) => price !== '');
  return known.length === 0 ? '' : l10n.t('{0} / 1M', known.join(' · '));
}
