import * as vscode from 'vscode';
import type { BudgetPeriod } from '../spending-day.ts';
import { nanoText, toNano } from '../../base/nano-amount.ts';
import { budgetFromSettings, saveBudget } from './budget-settings.ts';

/** Asks for one budget. False when the person did not say. */
export async function askForBudget(period: BudgetPeriod): Promise<boolean> {
  const limit = budgetFromSettings()[period];
  const text = await vscode.window.showInputBox({
    title:
      period === 'daily'
        ? vscode.l10n.t('Budget for a day, in dollars')
        : vscode.l10n.t('Budget for a month, in dollars'),
    prompt: vscode.l10n.t(
      'One DIEM counts as one dollar. You are told at 80 %, and asked before each request once all is spent. Empty is without limit.',
    ),
    value: limit === undefined ? '' : nanoText(limit),
    ignoreFocusOut: true,
    validateInput: (typed) =>
      typed.trim() === '' || toNano(typed.trim()) !== undefined
        ? undefined
        : vscode.l10n.t('An amount such as 5 or 2.50.'),
  });
  if (text === undefined) return false;
  await saveBudget(period, toNano(text.trim()));
  return true;
}
