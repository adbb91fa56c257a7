import { type Budget, readBudget } from '../budget.ts';
import type { BudgetPeriod } from '../spending-day.ts';
import { type Nano, nanoUnits } from '../../base/nano-amount.ts';
import { setUserSetting, userSetting } from '../../platform/settings.ts';

export const budgetSection = 'inferenceService.budget';

const settingOf = (period: BudgetPeriod): string => `${budgetSection}.${period}`;

/** The user's own; a workspace has no say. */
export const budgetFromSettings = (): Budget =>
  readBudget(userSetting(settingOf('daily')), userSetting(settingOf('monthly')));

/** `undefined` for no limit. */
export const saveBudget = (period: BudgetPeriod, limit: Nano | undefined): Promise<void> =>
  setUserSetting(settingOf(period), limit === undefined ? undefined : nanoUnits(limit));
