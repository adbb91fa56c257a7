import { Emitter, type Event } from '../../base/event.ts';
import { estimateCost } from '../../models/cost.ts';
import { findById } from '../../models/choice.ts';
import type { ServiceContext } from '../../service/client.ts';
import { ServiceError, type ServiceFailure } from '../../service/failure.ts';
import type { Model } from '../../service/model-types.ts';
import { listModels } from '../../service/models.ts';
import { networkFailure } from '../../service/network-failure.ts';
import type { Bill, PaidRequest, Spending } from '../../service/spending.ts';
import type { ModelCatalogue } from '../models/model-catalogue.ts';

/** Prices and states change a few times a day. */
const freshForMs = 10 * 60_000;

/** VS Code asks many times a minute, and the service blocks a key that it refuses again and again. */
const refusedForMs = 5 * 60_000;

/** The models at the address of a group: another service can offer others by the same names. */
export class GroupModels implements Pick<
  ModelCatalogue,
  'all' | 'failure' | 'refresh' | 'onDidChange'
> {
  readonly #service: ServiceContext;
  readonly #changed = new Emitter<void>();
  #all: readonly Model[] = [];
  #until = -Infinity;
  #failure: ServiceFailure | undefined;

  constructor(service: ServiceContext) {
    this.#service = service;
  }

  /** There is another list. */
  readonly onDidChange: Event<void> = (listener) => this.#changed.event(listener);

  get all(): readonly Model[] {
    return this.#all;
  }

  get failure(): ServiceFailure | undefined {
    return this.#failure;
  }

  /** @throws ServiceError */
  async list(signal: AbortSignal): Promise<readonly Model[]> {
    const now = this.#service.clock.now();
    if (now < this.#until) {
      if (this.#failure !== undefined) throw new ServiceError(this.#failure);
      return this.#all;
    }
    try {
      const { models } = await listModels(this.#service, { type: 'all', signal });
      this.#all = models;
      this.#until = now + freshForMs;
      this.#failure = undefined;
    } catch (error) {
      this.#failure = networkFailure(error).failure;
      this.#until = isRefusal(this.#failure) ? now + refusedForMs : -Infinity;
      throw error;
    }
    this.#changed.fire();
    return this.#all;
  }

  async refresh(): Promise<void> {
    await this.list(new AbortController().signal).catch(() => {});
  }

  /** What counts costs, by the prices that the group's own service lists. */
  priced(spending: Spending): Spending {
    return {
      admit: (request, signal) => spending.admit(request, signal),
      spent: (request, bill) => spending.spent(request, this.#withCost(request, bill)),
      ended: (request) => spending.ended(request),
    };
  }

  #withCost({ model = '', price }: PaidRequest, bill: Bill): Bill {
    if (bill.cost !== undefined || bill.usage === undefined || price !== undefined) return bill;
    const pricing = findById(this.#all, model)?.pricing;
    // Without a price nothing is counted: that of another service says nothing.
    return { ...bill, cost: estimateCost(bill.usage, pricing) ?? { usd: 0 } };
  }
}

const isRefusal = ({ status }: ServiceFailure): boolean => status === 401 || status === 403;
