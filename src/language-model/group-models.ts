import { Emitter, type Event } from '../base/event.ts';
import { estimateCost } from '../service/pricing.ts';
import { isSameList, ModelCorrections } from '../models/model-corrections.ts';
import { findById, findModelsByName } from '../models/model-selection.ts';
import type { ServiceContext } from '../service/http/client.ts';
import { ServiceError, type ServiceFailure } from '../service/http/failure.ts';
import type { Model } from '../service/model-types.ts';
import { listModelsWithReports } from '../service/models.ts';
import { abortError, toServiceError } from '../service/http/network-failure.ts';
import type { Bill, PaidRequest, Spending } from '../service/chat/spending.ts';
import type { ModelCatalog } from '../models/vscode/model-catalog.ts';

/**
 * Lifetime of the cached list in milliseconds. Prices and model states change a few times a day.
 */
const cacheTtlMs = 10 * 60_000;

/**
 * Delay in milliseconds before the next request with a refused key. VS Code requests models many
 * times a minute, and the service blocks keys after repeated refusals.
 */
const refusalTtlMs = 5 * 60_000;

/**
 * Models of the service at a group's base URL. Another service may list different models with the
 * same names.
 */
export class GroupModels implements Pick<
  ModelCatalog,
  'allModels' | 'failure' | 'refresh' | 'recordRefusal' | 'onDidChange'
> {
  readonly #service: ServiceContext;
  readonly #overrides: () => unknown;
  readonly #onDidChangeEmitter = new Emitter<void>();
  #all: readonly Model[] = [];
  readonly #corrections = new ModelCorrections(Date.now);
  #validUntil = -Infinity;
  #failure: ServiceFailure | undefined;
  #refreshing: Promise<void> | undefined;

  /** @param overrides Returns the user's corrections of models, as read from the settings. */
  constructor(service: ServiceContext, overrides: () => unknown = () => ({})) {
    this.#service = service;
    this.#overrides = overrides;
  }

  /** Fires when the model list changes. */
  readonly onDidChange: Event<void> = (listener) => this.#onDidChangeEmitter.event(listener);

  get allModels(): readonly Model[] {
    return this.#corrections.apply(this.#all, this.#overrides());
  }

  /** Records what a model refused, for an hour or until the list changes. */
  recordRefusal(name: string, failure: ServiceFailure): void {
    const [model] = findModelsByName(this.#all, name);
    if (model !== undefined && this.#corrections.recordRefusal(model.id, failure))
      this.#onDidChangeEmitter.fire();
  }

  get failure(): ServiceFailure | undefined {
    return this.#failure;
  }

  /**
   * Refreshes and returns the model list. Returns the previous list if the service is unreachable.
   * @throws ServiceError if there is no previous list, the key is refused or the request was
   *   `stopped`
   */
  async list(signal: AbortSignal): Promise<readonly Model[]> {
    if (signal.aborted) throw abortError(signal);
    const aborted = Promise.withResolvers<never>();
    const onAbort = (): void => aborted.reject(abortError(signal));
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      await Promise.race([this.refresh(), aborted.promise]);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
    const failure = this.#failure;
    if (failure === undefined || (this.#all.length > 0 && !isRefusal(failure)))
      return this.allModels;
    throw new ServiceError(failure);
  }

  /**
   * Refreshes the model list. Concurrent callers share one request, which continues if a caller
   * cancels. Never throws.
   */
  async refresh(): Promise<void> {
    const now = this.#service.clock.now();
    if (now < this.#validUntil) return;
    this.#refreshing ??= this.#load(now);
    await this.#refreshing;
  }

  async #load(now: number): Promise<void> {
    const { signal } = new AbortController();
    try {
      const { models } = await listModelsWithReports(this.#service, signal);
      if (!isSameList(models, this.#all)) this.#corrections.clearRefusals();
      this.#all = models;
      this.#validUntil = now + cacheTtlMs;
      this.#failure = undefined;
    } catch (error) {
      this.#failure = toServiceError(error).failure;
      this.#validUntil = isRefusal(this.#failure) ? now + refusalTtlMs : -Infinity;
      return;
    } finally {
      this.#refreshing = undefined;
    }
    this.#onDidChangeEmitter.fire();
  }

  /**
   * Returns a wrapper of `spending` that adds costs to reported usage, computed with the prices of
   * the group's models.
   */
  withPricing(spending: Spending): Spending {
    return {
      authorize: (request, signal) => spending.authorize(request, signal),
      recordSpent: (request, bill) => spending.recordSpent(request, this.#withCost(request, bill)),
      release: (request) => spending.release(request),
    };
  }

  #withCost({ model = '', price }: PaidRequest, bill: Bill): Bill {
    if (bill.cost !== undefined || bill.usage === undefined || price !== undefined) return bill;
    const pricing = findById(this.#all, model)?.pricing;
    // Usage of a model without a price costs nothing here, because the prices of another service do
    // not apply.
    return { ...bill, cost: estimateCost(bill.usage, pricing) ?? { usd: 0 } };
  }
}

const isRefusal = ({ status }: ServiceFailure): boolean => status === 401 || status === 403;
