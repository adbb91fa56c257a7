import * as vscode from 'vscode';
import type { FailureAction } from '../../service/failure.ts';
import { failureTable } from '../../service/failure.ts';
import type { CommandId } from '../command-ids.ts';
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

function actions({ code }: NonNullable<Host['models']['failure']>): MessageItem[] {
  const wanted: readonly FailureAction[] = failureTable[code].actions;
  return wanted.flatMap((action) => {
    const command = commands()[action];
    return command === undefined ? [] : [actionItem(...command)];
  });
}

const actionItem = (label: string, command: CommandId): MessageItem => ({
  label,
  iconPath: new vscode.ThemeIcon('arrow-right'),
  alwaysShow: true,
  run: () => vscode.commands.executeCommand(command),
});

const commands = (): Partial<Record<FailureAction, [string, CommandId]>> => ({
  'set-address': [vscode.l10n.t('Set service address…'), 'inferenceService.setAddress'],
  'set-key': [vscode.l10n.t('Set API key…'), 'inferenceService.setApiKey'],
  'test-connection': [vscode.l10n.t('Test connection'), 'inferenceService.testConnection'],
  retry: [vscode.l10n.t('Try again'), 'inferenceService.selectModel'],
});
