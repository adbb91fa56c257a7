import * as vscode from 'vscode';
import { formatUsd } from '../../base/amounts.ts';
import { omitUndefined } from '../../base/json.ts';
import { estimateSuggestionPrice, type RequestTokens } from '../model-choice.ts';
import type { CompletionExchange } from '../ports.ts';
import type { CompletionUsage } from './completion-activity.ts';
import type { Host } from '../../host.ts';
import type { Cost } from '../../service/chat/chat-types.ts';
import type { Model } from '../../service/model-types.ts';

export type CostUnit = keyof Cost;

/** Returns the currency that the account pays in. The service uses the DIEM balance first, then dollars. */
export const getSpendingUnit = ({
  account,
}: {
  account: Pick<Host['account'], 'balance'>;
}): CostUnit => ((account.balance.diem ?? 0) > 0 ? 'diem' : 'usd');

/** Returns the cost of a request. Reduces an estimated cost to the currency that the account pays in. */
export function computeBilledCost(
  {
    cost,
    isEstimate,
    isCostEstimate,
  }: Pick<CompletionExchange, 'cost' | 'isEstimate' | 'isCostEstimate'>,
  unit: CostUnit,
): Pick<CompletionExchange, 'cost' | 'isCostEstimate'> {
  // Without a price, the cost is an estimate if the usage is an estimate.
  if (cost === undefined) return { isCostEstimate: isEstimate };
  return { cost: isCostEstimate ? reduceToUnit(unit, cost) : cost, isCostEstimate };
}

/**
 * Reduces a cost to one currency. A model's prices list the same cost in several currencies, but the account pays only
 * one of them.
 */
function reduceToUnit(unit: CostUnit, cost: Cost): Cost {
  if (cost[unit] === undefined) return cost;
  return unit === 'usd' ? omitUndefined({ usd: cost.usd }) : omitUndefined({ diem: cost.diem });
}

/** Formats the estimated cost of `count` suggestions, such as `$0.009`. Returns undefined if the model has no price. */
export function formatSuggestionCost(
  host: Parameters<typeof getSpendingUnit>[0],
  model: Model,
  { count, tokens }: { readonly count: number; readonly tokens?: RequestTokens | undefined },
): string | undefined {
  const diem =
    getSpendingUnit(host) === 'diem' ? estimateSuggestionPrice(model, 'diem', tokens) : undefined;
  // One DIEM has the value of one dollar.
  const price = diem ?? estimateSuggestionPrice(model, 'usd', tokens);
  return price === undefined ? undefined : formatUsd(price * count);
}

/** Formats the number and the cost of requests, such as `12 requests · about $0.0031`. */
export function formatUsage({ requests, usd, diem, isEstimate }: CompletionUsage): string {
  const count =
    requests === 1 ? vscode.l10n.t('1 request') : vscode.l10n.t('{0} requests', requests);
  const cost = formatCost({ usd, diem });
  if (cost === '') return count;
  return `${count} · ${isEstimate ? vscode.l10n.t('about {0}', cost) : cost}`;
}

/** Formats a cost in dollars, such as `$0.12`. Empty if the cost is zero or unknown. */
const formatCost = ({ usd = 0, diem = 0 }: Cost): string =>
  usd + diem > 0 ? formatUsd(usd + diem) : '';
