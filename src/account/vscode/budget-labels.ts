import * as vscode from 'vscode';
import { type Budget, type BudgetUsage, readBudget } from '../budget.ts';
import type { BudgetPeriod } from '../spending-day.ts';
import { formatUsd, stripEllipsis } from '../../base/amounts.ts';
import { type Nano, convertNanoToNumber } from '../../base/nano-amount.ts';
import { setSetting, getSetting } from '../../platform/settings.ts';
import { ServiceError } from '../../service/http/failure.ts';

/** Formats an amount as `$1.25`. */
export const formatNanoUsd = (amount: Nano): string => formatUsd(convertNanoToNumber(amount));

/** Formats spending as `$0.42`, or as `at least $0.42` if some of it is unknown. */
export const formatSpending = ({ spentAmount, isPartial, isDamaged }: BudgetUsage): string =>
  isPartial || isDamaged
    ? vscode.l10n.t('at least {0}', formatNanoUsd(spentAmount))
    : formatNanoUsd(spentAmount);

/** Formats the usage as `$0.42 of $5 today`. */
export function formatBudgetUsage(usage: BudgetUsage): string {
  const { period, limit } = usage;
  const amounts = [formatSpending(usage), formatNanoUsd(limit)] as const;
  return period === 'daily'
    ? vscode.l10n.t('{0} of {1} today', ...amounts)
    : vscode.l10n.t('{0} of {1} this month', ...amounts);
}

/** Returns the warning that at least 80 % of a budget is spent. */
export const formatNearLimitMessage = (usage: BudgetUsage): string =>
  vscode.l10n.t(
    'Most of your budget is spent: {0}. Above it, each request requires your confirmation.',
    formatBudgetUsage(usage),
  );

/** Returns the dialog text for a request that the budget does not permit. */
export function formatLimitReachedMessage(
  usage: BudgetUsage,
  price: Nano,
): { question: string; detail: string } {
  const detail = vscode.l10n.t(
    'Nothing was sent. “{0}” lets requests through until midnight, in all windows.',
    getContinueLabel(),
  );
  if (usage.isPartial) return { question: formatIncompleteUsageNote(usage), detail };
  const question =
    usage.spentAmount < usage.limit
      ? formatTooExpensiveMessage(usage, price)
      : vscode.l10n.t('Your budget is spent: {0}.', formatBudgetUsage(usage));
  return { question, detail };
}

const formatTooExpensiveMessage = (usage: BudgetUsage, price: Nano): string =>
  vscode.l10n.t(
    'This costs about {0}, more than is left of your budget: {1}.',
    formatNanoUsd(price),
    formatBudgetUsage(usage),
  );

const formatIncompleteUsageNote = (usage: BudgetUsage): string =>
  vscode.l10n.t(
    'A newer version of Inference Service recorded spending that cannot be counted here. Counted: {0}. Continue anyway?',
    formatBudgetUsage(usage),
  );

export const getContinueLabel = (): string => vscode.l10n.t('Continue today');
export const getRaiseBudgetLabel = (): string => stripEllipsis(vscode.l10n.t('Set Budget…'));
export const getStopLabel = (): string => vscode.l10n.t('Stop');

/** Creates the error for a request that the user's budget does not permit. The request was not sent. */
export const createOverBudgetError = (usage: BudgetUsage, price: Nano): ServiceError =>
  new ServiceError({ code: 'over-budget', message: formatOverBudgetMessage(usage, price) });

function formatOverBudgetMessage(usage: BudgetUsage, price: Nano): string {
  if (usage.isPartial) {
    return vscode.l10n.t(
      'Nothing was sent, since a newer version of Inference Service recorded spending that cannot be counted here. Update the extension.',
    );
  }
  if (usage.spentAmount < usage.limit) return formatTooExpensiveMessage(usage, price);
  return vscode.l10n.t(
    'Nothing was sent, since your budget is spent: {0}. Raise it, or continue without it.',
    formatBudgetUsage(usage),
  );
}

/** Reads the budget from the user settings. Workspace settings have no effect. */
export const readBudgetSettings = (): Budget =>
  readBudget(
    getSetting('inferenceService.budget.daily'),
    getSetting('inferenceService.budget.monthly'),
  );

/** Saves the limit of one period. `undefined` removes the limit. */
export const saveBudget = (period: BudgetPeriod, limit: Nano | undefined): Promise<void> =>
  setSetting(
    `inferenceService.budget.${period}`,
    limit === undefined ? undefined : convertNanoToNumber(limit),
  );
