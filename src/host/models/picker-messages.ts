import * as vscode from 'vscode';
import { type FailureAction, failureTable, type ServiceFailure } from '../../service/failure.ts';
import type { Action } from '../account/action.ts';
import { actionLabel, failureAction, isChatAction } from '../failure-action.ts';
import type { Host } from '../host.ts';

interface Shown {
  /** Models that pass the filters. */
  readonly shown: number;
  readonly known: number;
  readonly models: Host['models'];
}

interface MessageItem extends vscode.QuickPickItem {
  readonly run: () => unknown;
}

/** The lines of the picker that are no models: why there are none, or old ones, and what can be done. */
export function pickerMessages({ shown, known, models }: Shown): vscode.QuickPickItem[] {
  const { failure, stale, loading } = models;
  if (failure !== undefined)
    return [line(stale ?? failure.message, 'warning'), ...actions(failure)];
  if (shown > 0 || loading) return [];
  if (known > 0)
    return [line(vscode.l10n.t('No model has all that. Turn off a filter.'), 'filter')];
  return [line(vscode.l10n.t('The service offers no chat models to this account.'), 'info')];
}

/** Always shown, whatever is typed: it explains the list. */
const line = (label: string, icon: string): vscode.QuickPickItem => ({
  label,
  iconPath: new vscode.ThemeIcon(icon),
  alwaysShow: true,
});

/** Choosing another model is what the person is at. */
function actions({ code }: ServiceFailure): MessageItem[] {
  const wanted: readonly FailureAction[] = failureTable[code].actions;
  return wanted.flatMap((action) => {
    if (action === 'retry') return [actionItem({ label: actionLabel(action), run: openAgain })];
    const isHere = action === 'choose-model' || isChatAction(action);
    return isHere ? [] : [actionItem(failureAction(action))];
  });
}

const openAgain = (): unknown => vscode.commands.executeCommand('inferenceService.selectModel');

const actionItem = (action: Action): MessageItem => ({
  ...action,
  iconPath: new vscode.ThemeIcon('arrow-right'),
  alwaysShow: true,
});
