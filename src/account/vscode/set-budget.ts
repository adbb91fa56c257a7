import * as vscode from 'vscode';
import type { BudgetUsage } from '../budget.ts';
import type { BudgetPeriod } from '../spending-day.ts';
import { readBudgetSettings, saveBudget, formatNanoUsd, formatSpending } from './budget-labels.ts';
import { formatNano, parseNano } from '../../base/nano-amount.ts';
import { stripEllipsis } from '../../base/amounts.ts';

/** Prompts for the limit of one period and saves it. Returns false if canceled. */
export async function promptForBudget(period: BudgetPeriod): Promise<boolean> {
  const limit = readBudgetSettings()[period];
  const text = await vscode.window.showInputBox({
    title: period === 'daily' ? vscode.l10n.t('Daily budget') : vscode.l10n.t('Monthly budget'),
    prompt: vscode.l10n.t(
      'One DIEM counts as one dollar. A notification appears at 80 %; above the limit, each request asks. Leave it empty for no limit.',
    ),
    value: limit === undefined ? '' : formatNano(limit),
    ignoreFocusOut: true,
    validateInput: (text) =>
      text.trim() === '' || parseNano(text.trim()) !== undefined
        ? undefined
        : vscode.l10n.t('Enter an amount such as 5 or 2.50.'),
  });
  if (text === undefined) return false;
  await saveBudget(period, parseNano(text.trim()));
  return true;
}

interface WatchedBudget {
  readonly budget?: {
    getWatch(): Promise<{ listBudgetUsages(): Promise<readonly BudgetUsage[]> }>;
  };
}

/**
 * Runs "Set Budget": prompts for a period (day or month), showing the current spending of each, and then for the limit
 * of this period.
 */
export async function setBudget({ budget }: WatchedBudget): Promise<void> {
  const watch = await budget?.getWatch();
  const period = await pickPeriod((await watch?.listBudgetUsages()) ?? []);
  if (period !== undefined) await promptForBudget(period);
}

async function pickPeriod(usages: readonly BudgetUsage[]): Promise<BudgetPeriod | undefined> {
  const createItem = (period: BudgetPeriod, label: string) => ({
    label,
    description: describeBudget(usages.find((usage) => usage.period === period)),
    period,
  });
  const items = [
    createItem('daily', vscode.l10n.t('Daily budget')),
    createItem('monthly', vscode.l10n.t('Monthly budget')),
  ];
  const title = stripEllipsis(vscode.l10n.t('Set Budget…'));
  const placeholder = stripEllipsis(vscode.l10n.t('Set Budget…'));
  return (await vscode.window.showQuickPick(items, { title, placeHolder: placeholder }))?.period;
}

const describeBudget = (usage: BudgetUsage | undefined): string =>
  usage === undefined
    ? vscode.l10n.t('No limit')
    : vscode.l10n.t(
        '{0}, of which {1} is spent',
        formatNanoUsd(usage.limit),
        formatSpending(usage),
      );
