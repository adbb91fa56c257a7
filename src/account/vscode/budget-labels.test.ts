import { expect, test, vi } from 'vitest';
import {
  createOverBudgetError,
  formatBudgetUsage,
  formatLimitReachedMessage,
} from './budget-labels.ts';

vi.mock('vscode', () => ({
  l10n: {
    t: (text: string, ...values: string[]) =>
      values.reduce((result, value, index) => result.replace(`{${index}}`, value), text),
  },
  workspace: {},
}));

const budgetUsage = { period: 'daily', limit: 5_000_000_000n, spentAmount: 420_000_000n } as const;

test.each([
  ['complete spending as an exact amount', {}, '$0.42 of $5 today'],
  [
    'damaged spending data as a minimum',
    { isDamaged: true } as const,
    'at least $0.42 of $5 today',
  ],
  [
    'partial spending data as a minimum',
    { isPartial: true } as const,
    'at least $0.42 of $5 today',
  ],
  [
    'damaged spending data of a month as a minimum',
    { isDamaged: true, period: 'monthly' } as const,
    'at least $0.42 of $5 this month',
  ],
])('formatBudgetUsage reports %s', (_, change, expected) => {
  expect(formatBudgetUsage({ ...budgetUsage, ...change })).toBe(expected);
});

test('createOverBudgetError names the price of a request that exceeds the remaining budget, or else states that the budget is spent', () => {
  const getMessage = (spentAmount: bigint): string =>
    createOverBudgetError({ ...budgetUsage, spentAmount }, 6_000_000_000n).failure.message;
  expect(getMessage(420_000_000n)).toBe(
    'This costs about $6, more than is left of your budget: $0.42 of $5 today.',
  );
  expect(getMessage(5_000_000_000n)).toMatch(/your budget is spent: \$5 of \$5 today/u);
});

test('formatLimitReachedMessage states exactly once that nothing was sent', () => {
  const { detail } = formatLimitReachedMessage(budgetUsage, 6_000_000_000n);
  expect(detail.match(/nothing (?:was|is) sent/giu)).toHaveLength(1);
});
