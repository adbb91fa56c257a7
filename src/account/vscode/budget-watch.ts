import {
  computeRequestCost,
  type Budget,
  type BudgetUsage,
  computeBudgetUsages,
  evaluateBudget,
  type MonthlySpending,
  computeRequestPrice,
  addReservedAmount,
} from '../budget.ts';
import {
  formatLocalDate,
  emptyDay,
  type RequestUsage,
  type SpendingEntry,
} from '../spending-day.ts';
import type { UsageRecord } from '../usage.ts';
import type { Clock } from '../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { Emitter } from '../../base/event.ts';
import type { Nano } from '../../base/nano-amount.ts';
import type { Model } from '../../service/model-types.ts';
import { estimateCost } from '../../service/pricing.ts';
import { createAbortError } from '../../service/http/network-failure.ts';
import type { Bill, PaidRequest, Spending } from '../../service/chat/spending.ts';
import type { Log } from '../../platform/log.ts';
import { onDidChangeSettings } from '../../platform/settings.ts';
import { confirm, showWarning } from '../../platform/notifications.ts';
import { promptForBudget } from './set-budget.ts';
import {
  readBudgetSettings,
  getContinueLabel,
  formatNearLimitMessage,
  createOverBudgetError,
  getRaiseBudgetLabel,
  formatLimitReachedMessage,
  getStopLabel,
} from './budget-labels.ts';
import { SpendingLedger } from './spending-ledger.ts';

/** Source of the prices from which the cost of a request is estimated. */
export interface PricedModels {
  find(id: string): Pick<Model, 'name' | 'pricing'> | undefined;
}

export interface BudgetDependencies {
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly models: PricedModels;
}

/** Maximum age, in milliseconds, of the cached spending that the checks of background requests use. */
const maxAgeMs = 5_000;

/** Records the spending of all windows and enforces the user's budget. */
export class BudgetWatch implements Spending, Disposable {
  readonly #dependencies: BudgetDependencies;
  readonly #ledger: SpendingLedger;
  readonly #disposables = new DisposableStore();
  readonly #onDidChangeEmitter: Emitter<void>;
  #budget: Budget = readBudgetSettings();
  #cachedMonth: { readonly value: MonthlySpending; readonly time: number } | undefined;
  #confirmationPromise: Promise<void> | undefined;
  /** Prices of this window's pending requests, which count as spent until the requests complete. */
  readonly #reservedAmounts = new Map<PaidRequest, Nano>();

  constructor(dependencies: BudgetDependencies) {
    const { folder, clock, log } = dependencies;
    this.#dependencies = dependencies;
    this.#ledger = new SpendingLedger({ folder, clock });
    this.#onDidChangeEmitter = this.#disposables.add(
      new Emitter<void>((error) => log.error('Could not run a listener', error)),
    );
    this.#disposables.add(
      onDidChangeSettings(['inferenceService.budget'], () => this.#refreshBudget()),
    );
    void this.#ledger.removeOldFiles();
  }

  /**
   * Fires when this window records spending, or when the budget or the user's decision about the
   * budget changes.
   */
  get onDidChange(): Emitter<void>['event'] {
    return this.#onDidChangeEmitter.event;
  }

  /**
   * Returns the recorded requests of all windows.
   * @throws if a file cannot be read
   */
  listUsageRecords(): Promise<readonly UsageRecord[]> {
    return this.#ledger.readUsageRecords();
  }

  /**
   * Returns the days with recorded spending that cannot be parsed.
   * @throws if a file cannot be read
   */
  listIncompleteDays(): Promise<ReadonlySet<string>> {
    return this.#ledger.listIncompleteDays();
  }

  /** Returns the usage of the budgets that are set, across all windows. Never throws. */
  async listBudgetUsages(): Promise<readonly BudgetUsage[]> {
    return computeBudgetUsages(this.#budget, await this.#readSpending());
  }

  async authorizeRequest(request: PaidRequest, signal: AbortSignal): Promise<void> {
    if (this.#budget.daily === undefined && this.#budget.monthly === undefined) return;
    for (;;) {
      const month = request.isBackground
        ? await this.#readSpendingIfStale()
        : await this.#readSpending();
      if (signal.aborted) throw createAbortError(signal);
      const price = computeRequestPrice(request);
      const reservedAmount = [...this.#reservedAmounts.values()].reduce(
        (sum, amount) => sum + amount,
        0n,
      );
      const verdict = evaluateBudget(this.#budget, addReservedAmount(month, reservedAmount), price);
      if (verdict.kind !== 'reached') {
        if (price > 0n) this.#reservedAmounts.set(request, price);
        return;
      }
      if (request.isBackground) throw createOverBudgetError(verdict.usage, price);
      // All waiting requests share one dialog. Each request checks the budget again after the
      // dialog closes.
      this.#confirmationPromise ??= this.#confirmOverBudget(verdict.usage, request).finally(
        () => (this.#confirmationPromise = undefined),
      );
      await waitForConfirmation(this.#confirmationPromise, signal);
    }
  }

  recordSpending(request: PaidRequest, bill: Bill): void {
    const { models } = this.#dependencies;
    const amount = computeRequestCost(request, bill, (usage) =>
      estimateCost(usage, models.find(request.model ?? '')?.pricing),
    );
    const usage = toRequestUsage(request, bill);
    if (amount !== undefined && amount > 0n) void this.#recordAmount(amount, usage);
    // Chats at servers without prices are omitted, because their history lists them.
    else if (mediaRequestKinds.has(request.kind))
      void this.#recordAmount(0n, amount === undefined ? { ...usage, unpriced: true } : usage);
  }

  releaseReservedPrice(request: PaidRequest): void {
    if (!this.#reservedAmounts.has(request)) return;
    // Reads the recorded cost before the reservation ends, so that the request is always part of
    // the total.
    void this.#readSpending().finally(() => this.#reservedAmounts.delete(request));
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  /**
   * Prompts the user to continue or to raise the budget.
   * @throws ServiceError `over-budget` if the user does neither
   */
  async #confirmOverBudget(usage: BudgetUsage, request: PaidRequest): Promise<void> {
    // Does not suggest a higher limit if the spending is unknown, because the limit would not help.
    const raiseButtons = usage.isPartial ? [] : [getRaiseBudgetLabel()];
    const buttons = [getContinueLabel(), ...raiseButtons, getStopLabel()];
    const price = computeRequestPrice(request);
    const chosenButton = await confirm(formatLimitReachedMessage(usage, price), ...buttons);
    if (chosenButton === getContinueLabel()) {
      await this.#writeEntry({ kind: 'continued', period: usage.period });
    } else if (chosenButton !== getRaiseBudgetLabel() || !(await promptForBudget(usage.period))) {
      throw createOverBudgetError(usage, price);
    }
    this.#refreshBudget();
  }

  async #recordAmount(amount: bigint, usage: RequestUsage): Promise<void> {
    await this.#writeEntry({ kind: 'spent', amount, usage });
    const verdict = evaluateBudget(this.#budget, await this.#readSpending(), 0n);
    this.#onDidChangeEmitter.fire();
    if (verdict.kind !== 'near') return;
    await this.#writeEntry({ kind: 'told', period: verdict.usage.period });
    const raiseButton = getRaiseBudgetLabel();
    const chosenButton = await showWarning(formatNearLimitMessage(verdict.usage), raiseButton);
    if (chosenButton === raiseButton) await promptForBudget(verdict.usage.period);
  }

  #refreshBudget(): void {
    this.#budget = readBudgetSettings();
    this.#onDidChangeEmitter.fire();
  }

  /** Returns the cached spending if it is from today and at most {@link maxAgeMs} old. Otherwise reads the spending. */
  async #readSpendingIfStale(): Promise<MonthlySpending> {
    const now = this.#dependencies.clock.now();
    const cachedMonth = this.#cachedMonth;
    const isRecent =
      cachedMonth !== undefined && now - cachedMonth.time < maxAgeMs && now >= cachedMonth.time;
    return isRecent && formatLocalDate(cachedMonth.time) === formatLocalDate(now)
      ? cachedMonth.value
      : this.#readSpending();
  }

  /**
   * Reads the spending of the current month. Returns the last known value after a disk error. Such an error must not
   * block requests.
   */
  async #readSpending(): Promise<MonthlySpending> {
    const { clock, log } = this.#dependencies;
    try {
      const value = await this.#ledger.getMonthlySpending();
      this.#cachedMonth = { value, time: clock.now() };
      return value;
    } catch (error) {
      log.error('Could not read the recorded spending', error);
      const damagedPeriods = new Set(['daily', 'monthly'] as const);
      const value = this.#cachedMonth?.value ?? unknownMonth;
      return { ...value, damagedPeriods };
    }
  }

  async #writeEntry(entry: SpendingEntry): Promise<void> {
    await this.#ledger.appendEntry(entry).catch((error: unknown) => {
      this.#dependencies.log.error('Could not write the recorded spending', error);
    });
  }
}

const unknownMonth: MonthlySpending = {
  today: emptyDay,
  spentAmount: 0n,
  isMonthlyWarningShown: true,
};

/** Kinds of requests that are recorded even if their price is unknown. */
const mediaRequestKinds: ReadonlySet<PaidRequest['kind']> = new Set([
  'image',
  'speech',
  'transcription',
]);

const toRequestUsage = ({ kind, model = '' }: PaidRequest, { usage }: Bill): RequestUsage => ({
  feature: kind,
  model,
  promptTokens: usage?.promptTokens ?? 0,
  completionTokens: usage?.completionTokens ?? 0,
  ...(usage?.cachedTokens ? { cachedTokens: usage.cachedTokens } : {}),
});

/**
 * Waits for the user's decision in the dialog. Resolves or rejects like `confirmationPromise`, and rejects as soon as
 * the request is aborted.
 */
async function waitForConfirmation(
  confirmationPromise: Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const abortResolvers = Promise.withResolvers<never>();
  const rejectOnAbort = (): void => abortResolvers.reject(createAbortError(signal));
  signal.addEventListener('abort', rejectOnAbort, { once: true });
  try {
    await Promise.race([confirmationPromise, abortResolvers.promise]);
  } finally {
    signal.removeEventListener('abort', rejectOnAbort);
  }
}
