import {
  requestCost,
  type Budget,
  type BudgetUsage,
  budgetUsages,
  budgetVerdict,
  type MonthlySpending,
  requestPrice,
  withReserved,
} from '../budget.ts';
import { dayName, emptyDay, type RequestUsage, type SpendingEntry } from '../spending-day.ts';
import type { UsageRecord } from '../usage.ts';
import type { Clock } from '../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { Emitter } from '../../base/event.ts';
import type { Nano } from '../../base/nano-amount.ts';
import type { Model } from '../../service/model-types.ts';
import { estimateCost } from '../../service/pricing.ts';
import { abortError } from '../../service/http/network-failure.ts';
import type { Bill, PaidRequest, Spending } from '../../service/chat/spending.ts';
import type { Log } from '../../platform/log.ts';
import { onDidChangeSettings } from '../../platform/settings.ts';
import { confirm, showWarning } from '../../platform/notifications.ts';
import { promptForBudget } from './set-budget.ts';
import {
  budgetFromSettings,
  continueLabel,
  nearLimitMessage,
  overBudgetError,
  raiseLabel,
  limitReachedMessage,
  stopLabel,
} from './budget-labels.ts';
import { SpendingLedger } from './spending-ledger.ts';

/** Models and their prices, by model id. */
export interface PricedModels {
  find(id: string): Pick<Model, 'name' | 'pricing'> | undefined;
}

export interface BudgetParts {
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly models: PricedModels;
}

/** Maximum age of the spending data used for background requests, in milliseconds. */
const freshMs = 5_000;

/** Records the spending of all windows and enforces the user's budget. */
export class BudgetWatch implements Spending, Disposable {
  readonly #parts: BudgetParts;
  readonly #ledger: SpendingLedger;
  readonly #owned = new DisposableStore();
  readonly #changed: Emitter<void>;
  #budget: Budget = budgetFromSettings();
  #month: { readonly value: MonthlySpending; readonly at: number } | undefined;
  #asking: Promise<void> | undefined;
  /** Prices of this window's pending requests. */
  readonly #held = new Map<PaidRequest, Nano>();

  constructor(parts: BudgetParts) {
    const { folder, clock, log } = parts;
    this.#parts = parts;
    this.#ledger = new SpendingLedger({ folder, clock });
    this.#changed = this.#owned.add(new Emitter<void>((error) => log.error('A listener', error)));
    this.#owned.add(onDidChangeSettings(['inferenceService.budget'], () => this.#refreshBudget()));
    void this.#ledger.tidy();
  }

  /**
   * Fires when this window spends something, or when the budget or the user's decision about it
   * changes.
   */
  get onDidChange(): Emitter<void>['event'] {
    return this.#changed.event;
  }

  /** Returns the recorded requests of all windows. @throws the error of the file system */
  usage(): Promise<readonly UsageRecord[]> {
    return this.#ledger.usage();
  }

  /** Returns the usage of the budgets that are set, across all windows. Never throws. */
  async uses(): Promise<readonly BudgetUsage[]> {
    return budgetUsages(this.#budget, await this.#read());
  }

  async authorize(request: PaidRequest, signal: AbortSignal): Promise<void> {
    if (this.#budget.daily === undefined && this.#budget.monthly === undefined) return;
    for (;;) {
      const month = request.isBackground ? await this.#recent() : await this.#read();
      if (signal.aborted) throw abortError(signal);
      const price = requestPrice(request);
      const held = [...this.#held.values()].reduce((sum, amount) => sum + amount, 0n);
      const verdict = budgetVerdict(this.#budget, withReserved(month, held), price);
      if (verdict.kind !== 'reached') {
        if (price > 0n) this.#held.set(request, price);
        return;
      }
      if (request.isBackground) throw overBudgetError(verdict.use);
      // All waiting requests share one dialog. Each request checks the budget again after the
      // dialog closes.
      this.#asking ??= this.#ask(verdict.use, request).finally(() => (this.#asking = undefined));
      await untilAborted(this.#asking, signal);
    }
  }

  recordSpent(request: PaidRequest, bill: Bill): void {
    const { models } = this.#parts;
    const amount = requestCost(request, bill, (usage) =>
      estimateCost(usage, models.find(request.model ?? '')?.pricing),
    );
    if (amount !== undefined && amount > 0n) void this.#count(amount, useOf(request, bill));
  }

  release(request: PaidRequest): void {
    if (!this.#held.has(request)) return;
    // The recorded cost is read before the reservation ends, so the request is counted at all
    // times.
    void this.#read().finally(() => this.#held.delete(request));
  }

  dispose(): void {
    this.#owned.dispose();
  }

  /**
   * Prompts the user to continue or to raise the budget.
   * @throws ServiceError `over-budget` if the user declines
   */
  async #ask(use: BudgetUsage, request: PaidRequest): Promise<void> {
    // A higher limit does not help if the spending is unknown.
    const raise = use.isPartial ? [] : [raiseLabel()];
    const buttons = [continueLabel(), ...raise, stopLabel()];
    const chosen = await confirm(limitReachedMessage(use, requestPrice(request)), ...buttons);
    if (chosen === continueLabel()) {
      await this.#write({ kind: 'continued', period: use.period });
    } else if (chosen !== raiseLabel() || !(await promptForBudget(use.period))) {
      throw overBudgetError(use);
    }
    this.#refreshBudget();
  }

  async #count(amount: bigint, use: RequestUsage): Promise<void> {
    await this.#write({ kind: 'spent', amount, use });
    const verdict = budgetVerdict(this.#budget, await this.#read(), 0n);
    this.#changed.fire();
    if (verdict.kind !== 'near') return;
    await this.#write({ kind: 'told', period: verdict.use.period });
    const raise = raiseLabel();
    const chosen = await showWarning(nearLimitMessage(verdict.use), raise);
    if (chosen === raise) await promptForBudget(verdict.use.period);
  }

  #refreshBudget(): void {
    this.#budget = budgetFromSettings();
    this.#changed.fire();
  }

  /**
   * Returns the last known spending if it was read today and is fresh. Otherwise reads the
   * spending.
   */
  async #recent(): Promise<MonthlySpending> {
    const now = this.#parts.clock.now();
    const known = this.#month;
    const isRecent = known !== undefined && now - known.at < freshMs && now >= known.at;
    return isRecent && dayName(known.at) === dayName(now) ? known.value : this.#read();
  }

  /**
   * Reads the month's spending. Returns the last known value on errors: a full disk must not block
   * requests.
   */
  async #read(): Promise<MonthlySpending> {
    const { clock, log } = this.#parts;
    try {
      const value = await this.#ledger.month();
      this.#month = { value, at: clock.now() };
      return value;
    } catch (error) {
      log.error('What was spent could not be read', error);
      return this.#month?.value ?? { today: emptyDay, spent: 0n, isMonthlyWarningShown: true };
    }
  }

  async #write(entry: SpendingEntry): Promise<void> {
    await this.#ledger.add(entry).catch((error: unknown) => {
      this.#parts.log.error('What was spent could not be written', error);
    });
  }
}

const useOf = ({ kind, model = '' }: PaidRequest, { usage }: Bill): RequestUsage => ({
  feature: kind,
  model,
  promptTokens: usage?.promptTokens ?? 0,
  completionTokens: usage?.completionTokens ?? 0,
});

/** Waits for the dialog. Rejects at once if the request is aborted. */
async function untilAborted(asking: Promise<void>, signal: AbortSignal): Promise<void> {
  const stopped = Promise.withResolvers<never>();
  const stop = (): void => stopped.reject(abortError(signal));
  signal.addEventListener('abort', stop, { once: true });
  try {
    await Promise.race([asking, stopped.promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
