import type { BudgetPeriod, SpendingDay } from './spending-day.ts';
import { omitUndefined } from '../base/json.ts';
import { type Nano, parseNano } from '../base/nano-amount.ts';
import type { Cost, Usage } from '../service/chat/chat-types.ts';
import type { Bill, PaidRequest } from '../service/chat/spending.ts';

/** Spending limit of each budget period, in nano-dollars. One DIEM equals one dollar. An absent period has no limit. */
export type Budget = { readonly [Period in BudgetPeriod]?: Nano };

/** Spending and limit of one budget period. */
export interface BudgetUsage {
  readonly period: BudgetPeriod;
  readonly limit: Nano;
  readonly spentAmount: Nano;
  /** True if `spentAmount` excludes entries that a newer version of the extension wrote. */
  readonly isPartial?: true;
  /** True if `spentAmount` excludes damaged entries. */
  readonly isDamaged?: true;
}

export type BudgetVerdict =
  | { readonly kind: 'free' }
  /** At least 80 % of the budget is spent, and no warning was shown in this period. */
  | { readonly kind: 'near'; readonly usage: BudgetUsage }
  /**
   * The limit is reached, the request would exceed the limit, or part of the spending is unknown. Not reported for the
   * rest of a day on which the user chose to exceed the budget.
   */
  | { readonly kind: 'reached'; readonly usage: BudgetUsage };

/** Spending since the start of the current month. */
export interface MonthlySpending {
  readonly today: SpendingDay;
  readonly spentAmount: Nano;
  /** True if the monthly warning was shown on any day of this month. */
  readonly isMonthlyWarningShown: boolean;
  /** Periods with entries that a newer version of the extension wrote and that this version cannot read. */
  readonly incompletePeriods?: ReadonlySet<BudgetPeriod>;
  /** Periods with damaged entries. */
  readonly damagedPeriods?: ReadonlySet<BudgetPeriod>;
}

/** Reads the daily and the monthly budget from their settings. An invalid amount sets no limit. */
export const readBudget = (dailySetting: unknown, monthlySetting: unknown): Budget =>
  omitUndefined({ daily: parseNano(dailySetting), monthly: parseNano(monthlySetting) });

/** Returns the spending and limit of each budget that the user has set, the daily budget first. */
export function computeBudgetUsages(
  budget: Budget,
  month: MonthlySpending,
): readonly BudgetUsage[] {
  const amountByPeriod = { daily: month.today.spentAmount, monthly: month.spentAmount };
  return (['daily', 'monthly'] as const).flatMap((period) => {
    const limit = budget[period];
    if (limit === undefined) return [];
    return [
      {
        ...{ period, limit, spentAmount: amountByPeriod[period] },
        ...(month.incompletePeriods?.has(period) && { isPartial: true }),
        ...(month.damagedPeriods?.has(period) && { isDamaged: true }),
      },
    ];
  });
}

/**
 * Adds `reservedAmount`, the total price of pending requests, to the spending. Pending requests count as spent until
 * they complete.
 */
export const addReservedAmount = (
  month: MonthlySpending,
  reservedAmount: Nano,
): MonthlySpending => ({
  ...month,
  today: { ...month.today, spentAmount: month.today.spentAmount + reservedAmount },
  spentAmount: month.spentAmount + reservedAmount,
});

/**
 * Checks whether the budget permits a request.
 * @param price Price of the request in nano-dollars; 0 if unknown.
 */
export function evaluateBudget(budget: Budget, month: MonthlySpending, price: Nano): BudgetVerdict {
  const usages = computeBudgetUsages(budget, month);
  const { continuedPeriods, warnedPeriods } = month.today;
  const reachedBudget = usages.find(
    (usage) => !continuedPeriods.has(usage.period) && wouldExceedLimit(usage, price),
  );
  if (reachedBudget !== undefined) return { kind: 'reached', usage: reachedBudget };
  const shownWarnings = {
    daily: warnedPeriods.has('daily'),
    monthly: month.isMonthlyWarningShown,
  };
  const isWarningDue = ({ period }: BudgetUsage): boolean =>
    !shownWarnings[period] && !continuedPeriods.has(period);
  const usageNearLimit = usages.find((usage) => isWarningDue(usage) && isNearLimit(usage));
  return usageNearLimit === undefined ? { kind: 'free' } : { kind: 'near', usage: usageNearLimit };
}

const wouldExceedLimit = ({ limit, spentAmount, isPartial }: BudgetUsage, price: Nano): boolean =>
  isPartial === true || spentAmount >= limit || spentAmount + price > limit;

/** Checks whether at least 80 % of the limit is spent, so that a warning is due. */
const isNearLimit = ({ limit, spentAmount }: BudgetUsage): boolean =>
  spentAmount * 5n >= limit * 4n;

/** Maximum plausible cost of one request, in nano-dollars. A larger amount counts as an error of the service. */
const maxCost = 1_000_000_000_000n;

/**
 * Returns the cost of a request in nano-dollars; one DIEM equals one dollar. Prefers the cost that the service
 * reported, then the price that the model's price list sets for the request, then the estimate.
 * @param estimate Computes the cost from the token usage and the model's prices. If the result contains dollars and
 *   DIEM, both amounts express the same cost and must not be added.
 * @returns undefined if no cost is known
 */
export function computeRequestCost(
  { price }: Pick<PaidRequest, 'price'>,
  { cost, usage }: Bill,
  estimate: (usage: Usage) => Cost | undefined,
): Nano | undefined {
  const reportedCost = cost === undefined ? undefined : computeTotalCost(cost);
  if (reportedCost !== undefined) return reportedCost;
  return (
    getDollarsOrDiem(price) ?? (usage === undefined ? undefined : getDollarsOrDiem(estimate(usage)))
  );
}

/**
 * Returns the price of a request according to the model's price list, in nano-dollars; 0 if the price is unknown before
 * the request.
 */
export const computeRequestPrice = ({ price }: Pick<PaidRequest, 'price'>): Nano =>
  getDollarsOrDiem(price) ?? 0n;

/**
 * Returns the sum of the dollar and DIEM amounts that the service charged; `undefined` if the service reported neither,
 * or an invalid or implausible amount.
 */
function computeTotalCost({ usd, diem }: Cost): Nano | undefined {
  const reportedAmounts = [usd, diem].filter((amount) => amount !== undefined).map(parseNano);
  const total = reportedAmounts.reduce<Nano>((sum, amount) => sum + (amount ?? 0n), 0n);
  return reportedAmounts.length === 0 || reportedAmounts.includes(undefined) || total > maxCost
    ? undefined
    : total;
}

/**
 * Returns the dollars or, if they are missing, the DIEM of a cost whose two amounts express the same value; one DIEM
 * equals one dollar. Returns `undefined` for an invalid or implausible amount.
 */
function getDollarsOrDiem(cost: Cost | undefined): Nano | undefined {
  const amount = parseNano(cost?.usd ?? cost?.diem);
  return amount === undefined || amount > maxCost ? undefined : amount;
}

/**
 * Returns the milliseconds until the daily DIEM allocation renews, at 00:00 UTC (spec §5).
 * @param now Milliseconds since the epoch.
 */
export const getMsUntilRefresh = (now: number): number => dayMs - (((now % dayMs) + dayMs) % dayMs);

const dayMs = 86_400_000;
