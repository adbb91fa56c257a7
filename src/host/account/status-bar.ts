import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import type { CommandId } from '../command-ids.ts';
import { actionLabel } from '../failure-action.ts';
import type { Host } from '../host.ts';
import { withoutIcons } from '../plain-text.ts';
import { balanceText, hostOf } from './account-words.ts';

/** The one entry in the status bar: signed in or not, the chat model, and errors that need the person. */
export function createStatusBar({ account, models }: Pick<Host, 'account' | 'models'>): Disposable {
  const owned = new DisposableStore();
  const item = owned.add(
    vscode.window.createStatusBarItem('inferenceService', vscode.StatusBarAlignment.Right, 100),
  );
  item.name = vscode.l10n.t('Inference Service');
  const update = (): void => {
    Object.assign(item, statusOf({ account, models }));
  };
  owned.add(account.onDidChange(update));
  owned.add(models.onDidChange(update));
  update();
  item.show();
  return owned;
}

type Status = Pick<
  vscode.StatusBarItem,
  'text' | 'tooltip' | 'command' | 'backgroundColor' | 'accessibilityInformation'
>;

function statusOf(host: Pick<Host, 'account' | 'models'>): Status {
  const { status, message } = host.account.view;
  const needsPerson = status === 'needs-attention';
  const state = stateText(host);
  const label = vscode.l10n.t('Inference Service: {0}', message ?? state);
  return {
    text: `$(${needsPerson ? 'warning' : 'comment-discussion'}) ${withoutIcons(state)}`,
    tooltip: hoverOf(host),
    command: commandOf(host),
    backgroundColor: needsPerson
      ? new vscode.ThemeColor('statusBarItem.warningBackground')
      : undefined,
    accessibilityInformation: { label, role: 'button' },
  };
}

function stateText({ account, models }: Pick<Host, 'account' | 'models'>): string {
  switch (account.view.status) {
    case 'signed-out':
      return vscode.l10n.t('Inference: signed out');
    case 'needs-attention':
      return vscode.l10n.t('Inference: needs attention');
    case 'signed-in':
      return models.chatModel?.name ?? vscode.l10n.t('Signed in');
  }
}

function commandOf({ account }: Pick<Host, 'account'>): CommandId {
  const { status } = account.view;
  if (status === 'signed-in') return 'inferenceService.selectModel';
  const hasKey = account.key.kind === 'usable';
  return hasKey ? 'inferenceService.testConnection' : 'inferenceService.setApiKey';
}

/** Names come from the service and from settings: they are text, whatever they look like. */
function hoverOf({ account, models }: Pick<Host, 'account' | 'models'>): vscode.MarkdownString {
  const { profile, view, balance } = account;
  const hover = new vscode.MarkdownString('', true);
  hover.isTrusted = { enabledCommands: links(view.status).map(([command]) => command) };
  if (view.message !== null) paragraph(hover, '$(warning) ', view.message);
  row(hover, vscode.l10n.t('Model'), models.chatModel?.name ?? vscode.l10n.t('none'));
  row(hover, vscode.l10n.t('Profile'), profile.id);
  row(hover, vscode.l10n.t('Address'), hostOf(profile) || vscode.l10n.t('none'));
  row(hover, vscode.l10n.t('Balance'), balanceText(balance) || vscode.l10n.t('unknown'));
  const actions = links(view.status).map(([command, label]) => `[${label}](command:${command})`);
  return hover.appendMarkdown(`\n\n${actions.join(' · ')}`);
}

function row(hover: vscode.MarkdownString, name: string, value: string): void {
  paragraph(hover, `${name}: `, value);
}

function paragraph(hover: vscode.MarkdownString, start: string, text: string): void {
  hover.appendMarkdown(`\n\n${start}${escaped(withoutIcons(text))}`);
}

/** `appendText` of the editor would make every space unbreakable. */
const escaped = (text: string): string =>
  text.replaceAll(/\s+/g, ' ').replaceAll(/[!-/:-@[-`{-~]/g, '\\$&');

function links(status: Host['account']['view']['status']): readonly [CommandId, string][] {
  const key: [CommandId, string] = ['inferenceService.setApiKey', actionLabel('set-key')];
  const other: [CommandId, string][] = [
    ['inferenceService.switchProfile', vscode.l10n.t('Switch profile')],
    ['inferenceService.testConnection', actionLabel('test-connection')],
    ['inferenceService.showLog', actionLabel('show-log')],
  ];
  if (status === 'signed-out') return [key, ...other];
  return [['inferenceService.selectModel', vscode.l10n.t('Select model')], key, ...other];
}
