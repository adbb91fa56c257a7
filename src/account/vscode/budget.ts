import type { Disposable } from '../../base/disposable.ts';
import { Lazy } from '../../base/lazy.ts';
import type { Spending } from '../../service/chat/spending.ts';
import type { BudgetParts, BudgetWatch } from './budget-watch.ts';

/** The person's budget, loaded with the first request that costs something. */
export interface LazyBudget extends Spending, Disposable {
  watch(): Promise<BudgetWatch>;
}

export function createBudget(parts: BudgetParts): LazyBudget {
  const loaded = new Lazy(async () => new (await import('./budget-watch.ts')).BudgetWatch(parts));
  return {
    watch: () => loaded.get(),
    admit: async (request, signal) => (await loaded.get()).admit(request, signal),
    // It was admitted, so it is loaded.
    spent: (request, bill) => void loaded.existing().then((watch) => watch?.spent(request, bill)),
    ended: (request) => void loaded.existing().then((watch) => watch?.ended(request)),
    dispose: () => void loaded.existing().then((watch) => watch?.dispose()),
  };
}
