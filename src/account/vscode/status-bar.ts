import * as vscode from 'vscode';
import { isSignedInBy } from '../key-state.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import type { CommandId } from '../../platform/command-ids.ts';
import type { InlineSuggestions } from '../../completion/vscode/inline-suggestions.ts';
import {
  completionLinks,
  completionRows,
  completionSign,
  stateText as completionText,
  type StatusLink,
} from '../../completion/vscode/status-rows.ts';
import { actionLabel } from './failure-actions.ts';
import type { Host } from '../../host.ts';
import { unlistedChoice } from '../../models/vscode/asked-model.ts';
import { withoutIcons } from '../../platform/notifications.ts';
import { hasChain } from '../../wallet/vscode/chain-settings.ts';
import { hostOf } from './account-view.ts';
import { MoneyStatus } from './money-status.ts';

/**
 * The one entry in the status bar: signed in or not, the chat model, inline suggestions, and errors that need the
 * person.
 */
export function createStatusBar(host: Host, suggestions: InlineSuggestions): Disposable {
  const owned = new DisposableStore();
  const item = owned.add(
    vscode.window.createStatusBarItem('inferenceService', vscode.StatusBarAlignment.Right, 100),
  );
  item.name = vscode.l10n.t('Inference Service');
  const money = owned.add(new MoneyStatus(host));
  const update = (): void => {
    Object.assign(item, statusOf(host, suggestions, money));
  };
  owned.add(money.onDidChange(update));
  owned.add(host.account.onDidChange(update));
  owned.add(host.models.onDidChange(update));
  owned.add(suggestions.onDidChange(update));
  update();
  item.show();
  return owned;
}

type Status = Pick<
  vscode.StatusBarItem,
  'text' | 'tooltip' | 'command' | 'backgroundColor' | 'accessibilityInformation'
>;

function statusOf(host: Host, suggestions: InlineSuggestions, money: MoneyStatus): Status {
  const { status, message } = host.account.view;
  const needsPerson = status === 'needs-attention';
  const state = stateText(host);
  const problem = message ?? listFailure(host);
  const sign =
    needsPerson || problem !== undefined
      ? 'warning'
      : (completionSign(suggestions) ?? 'comment-discussion');
  const label = vscode.l10n.t('Inference Service: {0}', problem ?? state);
  return {
    text: `$(${sign}) ${withoutIcons(state)}${host.models.privateOnly ? ' $(lock)' : ''}`,
    tooltip: hoverOf(host, suggestions, money),
    command: commandOf(host, suggestions),
    backgroundColor: needsPerson
      ? new vscode.ThemeColor('statusBarItem.warningBackground')
      : undefined,
    accessibilityInformation: { label: `${label}${spoken(host, suggestions)}`, role: 'button' },
  };
}

/** What the signs say, for who does not see them. */
const spoken = ({ models }: Host, suggestions: InlineSuggestions): string =>
  [
    models.privateOnly ? lockLink().label : '',
    suggestions.state === 'off'
      ? ''
      : vscode.l10n.t('Inline suggestions: {0}', completionText(suggestions)),
  ]
    .filter((words) => words !== '')
    .map((words) => `. ${words}`)
    .join('');

/** Why no model is known to somebody who is signed in: nothing can be asked then. */
const listFailure = ({ account, models }: Pick<Host, 'account' | 'models'>): string | undefined =>
  account.view.status === 'signed-in' && models.all.length === 0
    ? models.failure?.message
    : undefined;

function stateText({ account, models }: Pick<Host, 'account' | 'models'>): string {
  switch (account.view.status) {
    case 'signed-out':
      return vscode.l10n.t('Inference: signed out');
    case 'needs-attention':
      return vscode.l10n.t('Inference: needs attention');
    case 'signed-in':
      return (
        shownModel(models) ??
        (listFailure({ account, models }) === undefined
          ? vscode.l10n.t('Inference: signed in')
          : vscode.l10n.t('Inference: no models'))
      );
  }
}

/** The one that is asked, be it listed or not. */
const shownModel = (models: Host['models']): string | undefined =>
  unlistedChoice(models) ?? models.chatModel?.name;

function commandOf(host: Host, suggestions: InlineSuggestions): CommandId {
  const { account } = host;
  const { status } = account.view;
  if (status === 'signed-in' && listFailure(host) === undefined) {
    const isPaused = completionSign(suggestions) === 'warning';
    return isPaused ? 'inferenceService.completion.explain' : 'inferenceService.selectModel';
  }
  const hasKey = isSignedInBy(account.key);
  return hasKey ? 'inferenceService.testConnection' : 'inferenceService.setApiKey';
}

/** Names come from the service and from settings: they are text, whatever they look like. */
function hoverOf(
  host: Host,
  suggestions: InlineSuggestions,
  money: MoneyStatus,
): vscode.MarkdownString {
  const { account, models } = host;
  const { profile, view } = account;
  const hover = new vscode.MarkdownString('', true);
  const own = links(account);
  const theirs = completionLinks(suggestions);
  const lock = models.privateOnly ? [lockLink()] : [];
  hover.isTrusted = { enabledCommands: [...own, ...theirs, ...lock].map(({ command }) => command) };
  const problem = view.message ?? listFailure(host);
  if (problem !== undefined) paragraph(hover, '$(warning) ', problem);
  row(hover, vscode.l10n.t('Chat model'), shownModel(models) ?? vscode.l10n.t('none'));
  for (const each of lock) hover.appendMarkdown(`\n\n$(lock) ${linkText(each)}`);
  row(hover, vscode.l10n.t('Profile'), profile.id);
  row(hover, vscode.l10n.t('Address'), hostOf(profile) || vscode.l10n.t('none'));
  if (account.key.kind === 'wallet') {
    row(hover, vscode.l10n.t('Paid by the wallet'), account.key.address);
  }
  for (const [name, value] of money.rows) row(hover, name, value);
  linksRow(hover, own);
  hover.appendMarkdown('\n\n---');
  for (const [name, value] of completionRows({ host, suggestions })) row(hover, name, value);
  linksRow(hover, theirs);
  return hover;
}

function linksRow(hover: vscode.MarkdownString, links: readonly StatusLink[]): void {
  hover.appendMarkdown(`\n\n${links.map(linkText).join(' · ')}`);
}

function linkText({ label, command, args = [] }: StatusLink): string {
  const query = args.length === 0 ? '' : `?${encodeURIComponent(JSON.stringify(args))}`;
  return `[${escaped(label)}](command:${command}${query})`;
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

function links(account: Host['account']): readonly StatusLink[] {
  const key = link('inferenceService.setApiKey', actionLabel('set-key'));
  const other = [
    link('inferenceService.switchProfile', vscode.l10n.t('Switch profile')),
    link('inferenceService.testConnection', actionLabel('test-connection')),
    link('inferenceService.showLog', actionLabel('show-log')),
  ];
  const mint = link('inferenceService.mintKey', actionLabel('mint-key'));
  if (account.view.status === 'signed-out') return [key, mint, ...other];
  return [
    link('inferenceService.selectModel', vscode.l10n.t('Select model')),
    key,
    link('inferenceService.keys.show', vscode.l10n.t('Show API keys')),
    link('inferenceService.budget.set', vscode.l10n.t('Set budget')),
    link('inferenceService.showUsage', vscode.l10n.t('Usage and cost')),
    ...walletLinks(account),
    ...other,
  ];
}

function walletLinks(account: Host['account']): readonly StatusLink[] {
  if (!hasChain(account)) return [];
  const show = link('inferenceService.wallet.show', vscode.l10n.t('Show wallet'));
  if (account.key.kind !== 'wallet') return [show];
  return [show, link('inferenceService.wallet.topUp', actionLabel('top-up'))];
}

const lockLink = (): StatusLink => ({
  label: vscode.l10n.t('Private models only'),
  command: 'workbench.action.openSettings',
  args: ['inferenceService.privateModelsOnly'],
});

const link = (command: CommandId, label: string): StatusLink => ({ command, label });
