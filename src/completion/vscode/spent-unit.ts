import { defined } from '../../base/json.ts';
import type { CompletionExchange } from '../ports.ts';
import type { Cost } from '../../service/chat/chat-types.ts';
import type { Host } from '../../host.ts';

export type Unit = keyof Cost;

/** In what the account pays, as far as its balance tells: the service spends DIEM before dollars. */
export const spentUnit = ({ account }: { account: Pick<Host['account'], 'balance'> }): Unit =>
  (account.balance.diem ?? 0) > 0 ? 'diem' : 'usd';

/** What a request cost, in one unit when the figure is ours. */
export function paid(
  { cost, isEstimate, isOwnCost }: Pick<CompletionExchange, 'cost' | 'isEstimate' | 'isOwnCost'>,
  unit: Unit,
): Pick<CompletionExchange, 'cost' | 'isEstimate'> {
  if (cost === undefined) return { isEstimate };
  return isOwnCost ? { cost: costIn(unit, cost), isEstimate: true } : { cost, isEstimate: false };
}

/** A price list names the same cost in each unit, and one of them is paid: the wanted one, where it is known. */
function costIn(unit: Unit, cost: Cost): Cost {
  if (cost[unit] === undefined) return cost;
  return unit === 'usd' ? defined({ usd: cost.usd }) : defined({ diem: cost.diem });
}
