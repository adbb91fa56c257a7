import { expect, test, vi } from 'vitest';
import { formatBudgetUsage } from './budget-labels.ts';

vi.mock('vscode', () => ({
  l10n: {
    t: (text: string, ...values: string[]) =>
      values.reduce((result, value, index) => result.replace(`{${index}}`, value), text),
  },
  workspace: {},
}));

const usage = { period: 'daily', limit: 5_000_000_000n, spent: 420_000_000n } as const;

test.each([
  [{}, '$0.42 of $5 today'],
  [{ isDamaged: true } as const, 'at least $0.42 of $5 today'],
  [{ isPartial: true } as const, 'at least $0.42 of $5 today'],
  [{ isDamaged: true, period: 'monthly' } as const, 'at least $0.42 of $5 this month'],
])('formatBudgetUsage reports incomplete spending %j as a minimum', (change, expected) => {
  expect(formatBudgetUsage({ ...usage, ...change })).toBe(expected);
});
