import * as vscode from 'vscode';
import { chatModels } from '../choice.ts';
import {
  type FailureAction,
  failureTable,
  type ServiceFailure,
} from '../../service/http/failure.ts';
import type { Action } from '../../platform/notifications.ts';
import { actionLabel, failureAction, isChatAction } from '../../account/vscode/failure-actions.ts';
import type { Host } from '../../host.ts';
import { unlistedChoice } from './asked-model.ts';
import { goneWarning } from './model-view.ts';

interface Shown {
  /** Models that pass the filters. */
  readonly shown: number;
  readonly known: number;
  readonly models: Host['models'];
}

interface MessageItem extends vscode.QuickPickItem {
  readonly run: () => unknown;
}

/** The lines of the picker that are no models: why one, or all, are missing or old, and what can be done. */
export function pickerMessages(list: Shown): vscode.QuickPickItem[] {
  const gone = unlistedChoice(list.models);
  const isGone = gone !== undefined && list.known > 0;
  return [...(isGone ? [line(goneWarning(gone), 'warning')] : []), ...listMessages(list)];
}

/** Says that a setting keeps models away, and opens it. */
export const lockItem = (): MessageItem => ({
  ...line(vscode.l10n.t('Private models only'), 'lock'),
  description: vscode.l10n.t('A setting keeps all other models away. Open it.'),
  run: failureAction('open-private-setting').run,
});

function listMessages({ shown, known, models }: Shown): vscode.QuickPickItem[] {
  const { failure, stale, loading } = models;
  if (failure !== undefined)
    return [line(stale ?? failure.message, 'warning'), ...actions(failure)];
  if (shown > 0 || loading) return [];
  if (known > 0)
    return [line(vscode.l10n.t('No model has all that. Turn off a filter.'), 'filter')];
  return models.privateOnly && chatModels(models.all).length > 0
    ? [line(vscode.l10n.t('The service offers no private chat models to this account.'), 'info')]
    : [line(vscode.l10n.t('The service offers no chat models to this account.'), 'info')];
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
