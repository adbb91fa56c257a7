import type { BudgetPeriod, SpendingDay } from './spending-day.ts';
import { omitUndefined } from '../base/json.ts';
import { type Nano, parseNano } from '../base/nano-amount.ts';
import type { Cost, Usage } from '../service/chat/chat-types.ts';
import type { Bill, PaidRequest } from '../service/chat/spending.ts';

/** What a person wants to spend at most, in dollars; one DIEM counts as one dollar. Absent is without limit. */
export type Budget = { readonly [Period in BudgetPeriod]?: Nano };

/** How much of one budget is spent. */
export interface BudgetUsage {
  readonly period: BudgetPeriod;
  readonly limit: Nano;
  readonly spent: Nano;
  /** More was spent than can be counted: a newer version recorded it. */
  readonly isPartial?: true;
}

export type BudgetVerdict =
  | { readonly kind: 'free' }
  /** Most of it is spent, and the person was not told yet. */
  | { readonly kind: 'near'; readonly use: BudgetUsage }
  /** The budget is spent, would be exceeded, or can't be compared, and the user did not choose to continue. */
  | { readonly kind: 'reached'; readonly use: BudgetUsage };

/** The days of one month up to now, by their names; today's among them. */
export interface MonthlySpending {
  readonly today: SpendingDay;
  readonly spent: Nano;
  /** Whether somebody was told that most of the monthly budget is spent, on any of the days. */
  readonly isMonthlyWarningShown: boolean;
  /** Periods in which more was spent than can be counted. */
  readonly partial?: ReadonlySet<BudgetPeriod>;
}

/** Reads the two settings; what is no amount is no budget. */
export const readBudget = (daily: unknown, monthly: unknown): Budget =>
  omitUndefined({ daily: parseNano(daily), monthly: parseNano(monthly) });

/** Of those budgets that there are, the daily one first. */
export function budgetUsages(budget: Budget, month: MonthlySpending): readonly BudgetUsage[] {
  const spentIn = { daily: month.today.spent, monthly: month.spent };
  return (['daily', 'monthly'] as const).flatMap((period) => {
    const limit = budget[period];
    if (limit === undefined) return [];
    const use = { period, limit, spent: spentIn[period] };
    return month.partial?.has(period) ? [{ ...use, isPartial: true }] : [use];
  });
}

/** With what requests under way hold: it counts as spent until they are over. */
export const withReserved = (month: MonthlySpending, held: Nano): MonthlySpending => ({
  ...month,
  today: { ...month.today, spent: month.today.spent + held },
  spent: month.spent + held,
});

/**
 * Whether a request may be sent.
 * @param price What it costs; 0 when that is not known before.
 */
export function budgetVerdict(budget: Budget, month: MonthlySpending, price: Nano): BudgetVerdict {
  const uses = budgetUsages(budget, month);
  const { continued, told } = month.today;
  const reached = uses.find((use) => !continued.has(use.period) && isReached(use, price));
  if (reached !== undefined) return { kind: 'reached', use: reached };
  const isTold = { daily: told.has('daily'), monthly: month.isMonthlyWarningShown };
  const isNew = ({ period }: BudgetUsage): boolean => !isTold[period] && !continued.has(period);
  const near = uses.find((use) => isNew(use) && isNear(use));
  return near === undefined ? { kind: 'free' } : { kind: 'near', use: near };
}

const isReached = ({ limit, spent, isPartial }: BudgetUsage, price: Nano): boolean =>
  isPartial === true || spent >= limit || spent + price > limit;

/** From 80 %. */
const isNear = ({ limit, spent }: BudgetUsage): boolean => spent * 5n >= limit * 4n;

/** What one request can cost at most, in dollars; more is a false figure, and the estimate counts. */
const most = 1_000_000_000_000n;

/**
 * What a request cost, in dollars; one DIEM counts as one dollar. What the service said counts first, then the price
 * that was known before, then the estimate.
 * @param estimate by the model's prices, which name the same cost in each unit
 * @returns undefined when nothing tells
 */
export function requestCost(
  { price }: Pick<PaidRequest, 'price'>,
  { cost, usage }: Bill,
  estimate: (usage: Usage) => Cost | undefined,
): Nano | undefined {
  const said = cost === undefined ? undefined : sum(cost);
  if (said !== undefined) return said;
  return either(price) ?? (usage === undefined ? undefined : either(estimate(usage)));
}

/** What is known before: the price, where there is one. */
export const requestPrice = ({ price }: Pick<PaidRequest, 'price'>): Nano => either(price) ?? 0n;

/** The service names what it took of each. */
function sum({ usd, diem }: Cost): Nano | undefined {
  const said = [usd, diem].filter((each) => each !== undefined).map(parseNano);
  const total = said.reduce<Nano>((all, each) => all + (each ?? 0n), 0n);
  return said.length === 0 || said.includes(undefined) || total > most ? undefined : total;
}

/** A list names the same price in each unit. */
function either(cost: Cost | undefined): Nano | undefined {
  const amount = parseNano(cost?.usd ?? cost?.diem);
  return amount === undefined || amount > most ? undefined : amount;
}

/** Milliseconds until the daily allocation is there anew: at 00:00 UTC (spec §5). @param now since the epoch */
export const msUntilRefresh = (now: number): number => dayMs - (((now % dayMs) + dayMs) % dayMs);

const dayMs = 86_400_000;
const minuteMs = 60_000;

/** Whole hours and minutes, rounded up to the minute: `[3, 12]`. */
export function hoursAndMinutes(ms: number): readonly [hours: number, minutes: number] {
  const minutes = Math.ceil(ms / minuteMs);
  return [Math.floor(minutes / 60), minutes % 60];
}
