import { expect, test } from 'vitest';
import { type Budget, computeBudgetUsages, evaluateBudget, readBudget } from './budget.ts';
import { emptyDay, type SpendingDay } from './spending-day.ts';

const convertCents = (cents: number): bigint => BigInt(cents) * 10_000_000n;
const dollarBudget: Budget = { daily: convertCents(100) };
const bothBudgets: Budget = { daily: convertCents(100), monthly: convertCents(1_000) };

interface SpentAmounts {
  readonly todayCents: number;
  readonly monthCents?: number;
  readonly warnedPeriods?: SpendingDay['warnedPeriods'];
  readonly continuedPeriods?: SpendingDay['continuedPeriods'];
  readonly isMonthlyWarningShown?: boolean;
}

const createSpendingMonth = ({
  todayCents,
  monthCents = todayCents,
  isMonthlyWarningShown = false,
  ...dayFields
}: SpentAmounts) => ({
  today: { ...emptyDay, ...dayFields, spentAmount: convertCents(todayCents) },
  spentAmount: convertCents(monthCents),
  isMonthlyWarningShown,
});
const dailyPeriods = new Set(['daily'] as const);
const monthlyPeriods = new Set(['monthly'] as const);
const freeModel = 'free';

test.each<[string, Budget, SpentAmounts, string]>([
  ['no budget is set', {}, { todayCents: 1_000_000 }, freeModel],
  ['less than 80% is spent', dollarBudget, { todayCents: 79 }, freeModel],
  ['80% is spent', dollarBudget, { todayCents: 80 }, 'near daily'],
  [
    '80% is spent and the warning was shown',
    dollarBudget,
    { todayCents: 80, warnedPeriods: dailyPeriods },
    freeModel,
  ],
  [
    '80% is spent and another budget’s warning was shown',
    dollarBudget,
    { todayCents: 80, warnedPeriods: monthlyPeriods },
    'near daily',
  ],
  [
    '99% is spent and the warning was shown',
    dollarBudget,
    { todayCents: 99, warnedPeriods: dailyPeriods },
    freeModel,
  ],
  ['all is spent', dollarBudget, { todayCents: 100, warnedPeriods: dailyPeriods }, 'reached daily'],
  ['more than the budget is spent', dollarBudget, { todayCents: 10_000 }, 'reached daily'],
  [
    'the user continued beyond the budget',
    dollarBudget,
    { todayCents: 10_000, continuedPeriods: dailyPeriods, warnedPeriods: dailyPeriods },
    freeModel,
  ],
  [
    'the user continued and no warning was shown',
    dollarBudget,
    { todayCents: 100, continuedPeriods: dailyPeriods },
    freeModel,
  ],
  [
    'the user continued beyond another budget',
    dollarBudget,
    { todayCents: 100, continuedPeriods: monthlyPeriods },
    'reached daily',
  ],
  ['the budget is zero', { daily: 0n }, { todayCents: 0 }, 'reached daily'],
  ['both budgets are below 80%', bothBudgets, { todayCents: 10, monthCents: 700 }, freeModel],
  [
    '80% of the monthly budget is spent',
    bothBudgets,
    { todayCents: 10, monthCents: 800 },
    'near monthly',
  ],
  [
    '80% of the monthly budget is spent and the warning was shown',
    bothBudgets,
    { todayCents: 10, monthCents: 800, isMonthlyWarningShown: true },
    freeModel,
  ],
  [
    'the monthly budget is spent',
    bothBudgets,
    { todayCents: 10, monthCents: 1_000 },
    'reached monthly',
  ],
  ['both budgets are spent', bothBudgets, { todayCents: 100, monthCents: 1_000 }, 'reached daily'],
  [
    'the user continued beyond only the daily one of two spent budgets',
    bothBudgets,
    { todayCents: 100, monthCents: 1_000, continuedPeriods: dailyPeriods },
    'reached monthly',
  ],
])('evaluateBudget returns "$3" if %s', (_name, budget, spentAmounts, expected) => {
  const verdict = evaluateBudget(budget, createSpendingMonth(spentAmounts), 0n);
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
  'evaluateBudget with a daily budget of one dollar returns "$2" for $0 cents spent and a request price of $1 cents',
  (todayCents, price, kind) => {
    expect(
      evaluateBudget(dollarBudget, createSpendingMonth({ todayCents }), convertCents(price)).kind,
    ).toBe(kind);
  },
);

test('computeBudgetUsages returns the limit and spending of each budget', () => {
  expect(
    computeBudgetUsages(bothBudgets, createSpendingMonth({ todayCents: 1, monthCents: 2 })),
  ).toEqual([
    { period: 'daily', limit: convertCents(100), spentAmount: convertCents(1) },
    { period: 'monthly', limit: convertCents(1_000), spentAmount: convertCents(2) },
  ]);
});

test.each([
  [5, null, { daily: convertCents(500) }],
  [0, 2.5, { daily: 0n, monthly: convertCents(250) }],
  [-1, '7 dollars', {}],
  [Number.NaN, {}, {}],
  [undefined, true, {}],
])(
  'readBudget with the daily setting %j and the monthly setting %j returns $2',
  (dailySetting, monthlySetting, budget) => {
    expect(readBudget(dailySetting, monthlySetting)).toEqual(budget);
  },
);

test('evaluateBudget returns "reached" if spending is partly unreadable, until the user chooses to continue', () => {
  const createUnreadableMonth = (spentAmounts: SpentAmounts) => ({
    ...createSpendingMonth(spentAmounts),
    incompletePeriods: monthlyPeriods,
  });
  expect(evaluateBudget(bothBudgets, createUnreadableMonth({ todayCents: 1 }), 0n)).toEqual({
    kind: 'reached',
    usage: {
      period: 'monthly',
      limit: convertCents(1_000),
      spentAmount: convertCents(1),
      isPartial: true,
    },
  });
  expect(evaluateBudget(dollarBudget, createUnreadableMonth({ todayCents: 1 }), 0n)).toEqual({
    kind: 'free',
  });
  expect(
    evaluateBudget(
      bothBudgets,
      createUnreadableMonth({ todayCents: 1, continuedPeriods: monthlyPeriods }),
      0n,
    ),
  ).toEqual({
    kind: 'free',
  });
});
