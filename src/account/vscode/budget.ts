import type { Disposable } from '../../base/disposable.ts';
import { Lazy } from '../../base/lazy.ts';
import type { Spending } from '../../service/chat/spending.ts';
import type { BudgetDependencies, BudgetWatch } from './budget-watch.ts';

/** The user's budget. The code that enforces the budget loads with the first billed request. */
export interface LazyBudget extends Spending, Disposable {
  getWatch(): Promise<BudgetWatch>;
}

export function createLazyBudget(dependencies: BudgetDependencies): LazyBudget {
  const lazyWatch = new Lazy(
    async () => new (await import('./budget-watch.ts')).BudgetWatch(dependencies),
  );
  return {
    getWatch: () => lazyWatch.get(),
    authorizeRequest: async (request, signal) =>
      (await lazyWatch.get()).authorizeRequest(request, signal),
    // The budget code is loaded, because it authorized the request.
    recordSpending: (request, bill) =>
      void lazyWatch.getIfCreated().then((watch) => watch?.recordSpending(request, bill)),
    releaseReservedPrice: (request) =>
      void lazyWatch.getIfCreated().then((watch) => watch?.releaseReservedPrice(request)),
    dispose: () => void lazyWatch.getIfCreated().then((watch) => watch?.dispose()),
  };
}
