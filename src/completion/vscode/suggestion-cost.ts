import { formatAmount, formatUsd } from '../../base/amounts.ts';
import { suggestionPrice } from '../model-choice.ts';
import type { Model } from '../../service/model-types.ts';
import { spentUnit } from './spent-unit.ts';

/** `$0.009`: about what so many suggestions cost in what the account pays in; undefined when no price is known. */
export function suggestionCost(
  host: Parameters<typeof spentUnit>[0],
  model: Model,
  count: number,
): string | undefined {
  const diem = spentUnit(host) === 'diem' ? suggestionPrice(model, 'diem') : undefined;
  if (diem !== undefined) return `${formatAmount(diem * count)} DIEM`;
  const usd = suggestionPrice(model);
  return usd === undefined ? undefined : formatUsd(usd * count);
}
