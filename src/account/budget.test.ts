import { expect, test } from 'vitest';
import { type Budget, budgetUsages, budgetVerdict, readBudget } from './budget.ts';
import { emptyDay, type SpendingDay } from './spending-day.ts';

const usd = (cents: number): bigint => BigInt(cents) * 10_000_000n;
const dollar: Budget = { daily: usd(100) };
const both: Budget = { daily: usd(100), monthly: usd(1_000) };

interface Spent {
  readonly today: number;
  readonly month?: number;
  readonly told?: SpendingDay['told'];
  readonly continued?: SpendingDay['continued'];
  readonly isMonthlyWarningShown?: boolean;
}

const monthOf = ({ today, month = today, isMonthlyWarningShown = false, ...marks }: Spent) => ({
  today: { ...emptyDay, ...marks, spent: usd(today) },
  spent: usd(month),
  isMonthlyWarningShown,
});
const daily = new Set(['daily'] as const);
const monthly = new Set(['monthly'] as const);
const free = 'free';

test.each<[string, Budget, Spent, string]>([
  ['nothing is limited', {}, { today: 1_000_000 }, free],
  ['little is spent', dollar, { today: 79 }, free],
  ['four fifths are spent', dollar, { today: 80 }, 'near daily'],
  ['that was told', dollar, { today: 80, told: daily }, free],
  ['another budget was told', dollar, { today: 80, told: monthly }, 'near daily'],
  ['nearly all is spent', dollar, { today: 99, told: daily }, free],
  ['all is spent', dollar, { today: 100, told: daily }, 'reached daily'],
  ['far more is spent', dollar, { today: 10_000 }, 'reached daily'],
  ['the person goes on', dollar, { today: 10_000, continued: daily, told: daily }, free],
  ['they go on without having been told', dollar, { today: 100, continued: daily }, free],
  ['they go on beyond another', dollar, { today: 100, continued: monthly }, 'reached daily'],
  ['nothing may be spent', { daily: 0n }, { today: 0 }, 'reached daily'],
  ['both are free', both, { today: 10, month: 700 }, free],
  ['the month is nearly over budget', both, { today: 10, month: 800 }, 'near monthly'],
  ['that was told earlier', both, { today: 10, month: 800, isMonthlyWarningShown: true }, free],
  ['the month is over budget', both, { today: 10, month: 1_000 }, 'reached monthly'],
  ['both are', both, { today: 100, month: 1_000 }, 'reached daily'],
  [
    'the day goes on, not the month',
    both,
    { today: 100, month: 1_000, continued: daily },
    'reached monthly',
  ],
])('when %s', (_name, budget, spent, expected) => {
  const verdict = budgetVerdict(budget, monthOf(spent), 0n);
  expect(verdict.kind === 'free' ? free : `${verdict.kind} ${verdict.use.period}`).toBe(expected);
});

test.each([
  [50, 50, 'free'],
  [50, 51, 'reached'],
  [0, 101, 'reached'],
  [99, 0, 'near'],
])('%s cents spent and a price of %s', (today, price, kind) => {
  expect(budgetVerdict(dollar, monthOf({ today }), usd(price)).kind).toBe(kind);
});

test('shows the use of each budget', () => {
  expect(budgetUsages(both, monthOf({ today: 1, month: 2 }))).toEqual([
    { period: 'daily', limit: usd(100), spent: usd(1) },
    { period: 'monthly', limit: usd(1_000), spent: usd(2) },
  ]);
});

test.each([
  [5, null, { daily: usd(500) }],
  [0, 2.5, { daily: 0n, monthly: usd(250) }],
  [-1, '7 dollars', {}],
  [Number.NaN, {}, {}],
  [undefined, true, {}],
])('reads %j and %j from settings', (day, month, budget) => {
  expect(readBudget(day, month)).toEqual(budget);
});

test('spending that cannot be counted reaches every budget of its period until the user continues', () => {
  const hidden = (spent: Spent) => ({ ...monthOf(spent), partial: monthly });
  expect(budgetVerdict(both, hidden({ today: 1 }), 0n)).toEqual({
    kind: 'reached',
    use: { period: 'monthly', limit: usd(1_000), spent: usd(1), isPartial: true },
  });
  expect(budgetVerdict(dollar, hidden({ today: 1 }), 0n)).toEqual({ kind: 'free' });
  expect(budgetVerdict(both, hidden({ today: 1, continued: monthly }), 0n)).toEqual({
    kind: 'free',
  });
});
