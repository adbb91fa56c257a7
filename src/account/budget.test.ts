import { expect, test } from 'vitest';
import { type Budget, computeBudgetUsages, evaluateBudget, readBudget } from './budget.ts';
import { emptyDay, type SpendingDay } from './spending-day.ts';

const fromCents = (cents: number): bigint => BigInt(cents) * 10_000_000n;
const dollarBudget: Budget = { daily: fromCents(100) };
const bothBudgets: Budget = { daily: fromCents(100), monthly: fromCents(1_000) };

interface SpentAmounts {
  readonly today: number;
  readonly month?: number;
  readonly warnedPeriods?: SpendingDay['warnedPeriods'];
  readonly continuedPeriods?: SpendingDay['continuedPeriods'];
  readonly isMonthlyWarningShown?: boolean;
}

const createMonth = ({
  today,
  month = today,
  isMonthlyWarningShown = false,
  ...flags
}: SpentAmounts) => ({
  today: { ...emptyDay, ...flags, spent: fromCents(today) },
  spent: fromCents(month),
  isMonthlyWarningShown,
});
const dailyPeriods = new Set(['daily'] as const);
const monthlyPeriods = new Set(['monthly'] as const);
const freeModel = 'free';

test.each<[string, Budget, SpentAmounts, string]>([
  ['no budget is set', {}, { today: 1_000_000 }, freeModel],
  ['less than 80% is spent', dollarBudget, { today: 79 }, freeModel],
  ['80% is spent', dollarBudget, { today: 80 }, 'near daily'],
  [
    '80% is spent and the warning was shown',
    dollarBudget,
    { today: 80, warnedPeriods: dailyPeriods },
    freeModel,
  ],
  [
    '80% is spent and another budget’s warning was shown',
    dollarBudget,
    { today: 80, warnedPeriods: monthlyPeriods },
    'near daily',
  ],
  [
    '99% is spent and the warning was shown',
    dollarBudget,
    { today: 99, warnedPeriods: dailyPeriods },
    freeModel,
  ],
  ['all is spent', dollarBudget, { today: 100, warnedPeriods: dailyPeriods }, 'reached daily'],
  ['more than the budget is spent', dollarBudget, { today: 10_000 }, 'reached daily'],
  [
    'the user continued beyond the budget',
    dollarBudget,
    { today: 10_000, continuedPeriods: dailyPeriods, warnedPeriods: dailyPeriods },
    freeModel,
  ],
  [
    'the user continued and no warning was shown',
    dollarBudget,
    { today: 100, continuedPeriods: dailyPeriods },
    freeModel,
  ],
  [
    'the user continued beyond another budget',
    dollarBudget,
    { today: 100, continuedPeriods: monthlyPeriods },
    'reached daily',
  ],
  ['the budget is zero', { daily: 0n }, { today: 0 }, 'reached daily'],
  ['both budgets are below 80%', bothBudgets, { today: 10, month: 700 }, freeModel],
  ['80% of the monthly budget is spent', bothBudgets, { today: 10, month: 800 }, 'near monthly'],
  [
    '80% of the monthly budget is spent and the warning was shown',
    bothBudgets,
    { today: 10, month: 800, isMonthlyWarningShown: true },
    freeModel,
  ],
  ['the monthly budget is spent', bothBudgets, { today: 10, month: 1_000 }, 'reached monthly'],
  ['both budgets are spent', bothBudgets, { today: 100, month: 1_000 }, 'reached daily'],
  [
    'the user continued beyond only the daily one of two spent budgets',
    bothBudgets,
    { today: 100, month: 1_000, continuedPeriods: dailyPeriods },
    'reached monthly',
  ],
])('evaluateBudget returns "$3" if $0', (_name, budget, spent, expected) => {
  const verdict = evaluateBudget(budget, createMonth(spent), 0n);
  expect(verdict.kind === 'free' ? freeModel : `${verdict.kind} ${verdict.usage.period}`).toBe(
    expected,
  );
});

test.each([
  [50, 50, 'free'],
  [50, 51, 'reached'],
  [0, 101, 'reached'],
  [99, 0, 'near'],
])(
  'evaluateBudget returns $2 for $0 cents spent and a request price of $1 cents',
  (today, price, kind) => {
    expect(evaluateBudget(dollarBudget, createMonth({ today }), fromCents(price)).kind).toBe(kind);
  },
);

test('computeBudgetUsages returns the limit and spending of each budget', () => {
  expect(computeBudgetUsages(bothBudgets, createMonth({ today: 1, month: 2 }))).toEqual([
    { period: 'daily', limit: fromCents(100), spent: fromCents(1) },
    { period: 'monthly', limit: fromCents(1_000), spent: fromCents(2) },
  ]);
});

test.each([
  [5, null, { daily: fromCents(500) }],
  [0, 2.5, { daily: 0n, monthly: fromCents(250) }],
  [-1, '7 dollars', {}],
  [Number.NaN, {}, {}],
  [undefined, true, {}],
])(
  'readBudget with the daily setting %j and the monthly setting %j returns $2',
  (day, month, budget) => {
    expect(readBudget(day, month)).toEqual(budget);
  },
);

test('evaluateBudget returns "reached" if spending is partly unreadable, until the user chooses to continue', () => {
  const withUnreadableMonth = (spent: SpentAmounts) => ({
    ...createMonth(spent),
    incompletePeriods: monthlyPeriods,
  });
  expect(evaluateBudget(bothBudgets, withUnreadableMonth({ today: 1 }), 0n)).toEqual({
    kind: 'reached',
    usage: { period: 'monthly', limit: fromCents(1_000), spent: fromCents(1), isPartial: true },
  });
  expect(evaluateBudget(dollarBudget, withUnreadableMonth({ today: 1 }), 0n)).toEqual({
    kind: 'free',
  });
  expect(
    evaluateBudget(
      bothBudgets,
      withUnreadableMonth({ today: 1, continuedPeriods: monthlyPeriods }),
      0n,
    ),
  ).toEqual({
    kind: 'free',
  });
});
