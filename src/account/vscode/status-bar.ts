import * as vscode from 'vscode';
import { canSpend, isSignedInBy } from '../key-state.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import type { Event } from '../../base/event.ts';
import type { CommandId } from '../../platform/command-ids.ts';
import { escapeIcons } from '../../platform/notifications.ts';
import type { Account } from './account.ts';
import { displayHost } from './account-view.ts';
import { actionLabel } from './failure-actions.ts';
import { type AccountDependencies, MoneyStatus } from './money-status.ts';

/** A line in the hover of the status bar entry. */
export type StatusRow = readonly [name: string, value: string];

/** A link in the hover. */
export interface StatusLink {
  readonly label: string;
  readonly command: CommandId | 'workbench.action.openSettings';
  readonly args?: readonly unknown[];
}

/** Content of the status bar entry about the chat model. */
export interface ModelStatus {
  readonly onDidChange: Event<void>;
  /** Name of the model that chats use, including a model that the service does not list. */
  name(): string | undefined;
  /** Reason why the list of models is unavailable. */
  failure(): string | undefined;
  isPrivateOnly(): boolean;
}

/** Content of the status bar entry about inline suggestions. */
export interface SuggestionStatus {
  readonly onDidChange: Event<void>;
  rows(): readonly StatusRow[];
  links(): readonly StatusLink[];
  /** Codicon that replaces the default icon. */
  icon(): string | undefined;
  /** Short description for screen readers; undefined while suggestions are off. */
  state(): string | undefined;
  /** Command that a click runs; undefined to run "Select model". */
  command(): CommandId | undefined;
}

/** Content of the status bar entry that other features provide. */
export interface StatusSections {
  readonly models: ModelStatus;
  readonly walletLinks: () => readonly StatusLink[];
  readonly suggestions: SuggestionStatus;
}

interface StatusContent extends StatusSections {
  readonly account: Account;
  readonly money: MoneyStatus;
}

/**
 * Creates the only status bar entry of the extension. The entry shows the sign-in status, the chat
 * model, inline suggestions, and errors that need the user's action.
 */
export function createStatusBar(
  dependencies: AccountDependencies,
  sections: StatusSections,
): Disposable {
  const owned = new DisposableStore();
  const item = owned.add(
    vscode.window.createStatusBarItem('inferenceService', vscode.StatusBarAlignment.Right, 100),
  );
  item.name = vscode.l10n.t('Inference Service');
  const money = owned.add(new MoneyStatus(dependencies));
  const content = { ...sections, account: dependencies.account, money };
  const update = (): void => {
    Object.assign(item, buildStatus(content));
  };
  owned.add(money.onDidChange(update));
  owned.add(dependencies.account.onDidChange(update));
  owned.add(sections.models.onDidChange(update));
  owned.add(sections.suggestions.onDidChange(update));
  update();
  item.show();
  return owned;
}

type Status = Pick<
  vscode.StatusBarItem,
  'text' | 'tooltip' | 'command' | 'backgroundColor' | 'accessibilityInformation'
>;

function buildStatus(content: StatusContent): Status {
  const { account, models, suggestions } = content;
  const { status, message } = account.view;
  const needsAttention = status === 'needs-attention';
  const state = stateText(content);
  const problem = message ?? listFailure(content);
  const icon =
    needsAttention || problem !== undefined
      ? 'warning'
      : (suggestions.icon() ?? 'comment-discussion');
  const label = vscode.l10n.t('Inference Service: {0}', problem ?? state);
  return {
    text: `$(${icon}) ${escapeIcons(state)}${models.isPrivateOnly() ? ' $(lock)' : ''}`,
    tooltip: buildHover(content),
    command: commandOf(content),
    backgroundColor: needsAttention
      ? new vscode.ThemeColor('statusBarItem.warningBackground')
      : undefined,
    accessibilityInformation: {
      label: `${label}${accessibleDescription(content)}`,
      role: 'button',
    },
  };
}

/** Returns a text for screen readers that describes the icons. */
function accessibleDescription({ models, suggestions }: StatusContent): string {
  const state = suggestions.state();
  return [
    models.isPrivateOnly() ? lockLink().label : '',
    state === undefined ? '' : vscode.l10n.t('Inline suggestions: {0}', state),
  ]
    .filter((description) => description !== '')
    .map((description) => `. ${description}`)
    .join('');
}

/** Returns the reason why a signed-in user has no models and cannot send requests. */
const listFailure = ({ account, models }: StatusContent): string | undefined =>
  account.view.status === 'signed-in' ? models.failure() : undefined;

function stateText(content: StatusContent): string {
  switch (content.account.view.status) {
    case 'signed-out':
      return vscode.l10n.t('Inference: signed out');
    case 'needs-attention':
      return vscode.l10n.t('Inference: needs attention');
    case 'signed-in':
      return (
        content.models.name() ??
        (listFailure(content) === undefined
          ? vscode.l10n.t('Inference: signed in')
          : vscode.l10n.t('Inference: no models'))
      );
  }
}

function commandOf(content: StatusContent): CommandId {
  const { account, suggestions } = content;
  const { status } = account.view;
  if (status === 'signed-in' && listFailure(content) === undefined)
    return suggestions.command() ?? 'inferenceService.selectModel';
  const hasKey = isSignedInBy(account.key);
  return hasKey ? 'inferenceService.testConnection' : 'inferenceService.setApiKey';
}

/**
 * Builds the hover. Names come from the service and from settings, so they are escaped as plain
 * text.
 */
function buildHover(content: StatusContent): vscode.MarkdownString {
  const { account, models, money, suggestions } = content;
  const { profile, view } = account;
  const hover = new vscode.MarkdownString('', true);
  const modelLinks = statusLinks(content);
  const suggestionLinks = suggestions.links();
  const lock = models.isPrivateOnly() ? [lockLink()] : [];
  hover.isTrusted = {
    enabledCommands: [...modelLinks, ...suggestionLinks, ...lock].map(({ command }) => command),
  };
  const problem = view.message ?? listFailure(content);
  if (problem !== undefined) paragraph(hover, '$(warning) ', problem);
  row(hover, vscode.l10n.t('Chat model'), models.name() ?? vscode.l10n.t('none'));
  for (const line of lock) hover.appendMarkdown(`\n\n$(lock) ${linkText(line)}`);
  row(hover, vscode.l10n.t('Profile'), profile.id);
  row(hover, vscode.l10n.t('Address'), displayHost(profile) || vscode.l10n.t('none'));
  if (account.key.kind === 'wallet') {
    row(hover, vscode.l10n.t('Paid by the wallet'), account.key.address);
  }
  for (const [name, value] of money.rows) row(hover, name, value);
  linksRow(hover, modelLinks);
  hover.appendMarkdown('\n\n---');
  for (const [name, value] of suggestions.rows()) row(hover, name, value);
  linksRow(hover, suggestionLinks);
  return hover;
}

function linksRow(hover: vscode.MarkdownString, links: readonly StatusLink[]): void {
  hover.appendMarkdown(`\n\n${links.map(linkText).join(' · ')}`);
}

function linkText({ label, command, args = [] }: StatusLink): string {
  const query = args.length === 0 ? '' : `?${encodeURIComponent(JSON.stringify(args))}`;
  return `[${escapeMarkdown(label)}](command:${command}${query})`;
}

function row(hover: vscode.MarkdownString, name: string, value: string): void {
  paragraph(hover, `${name}: `, value);
}

function paragraph(hover: vscode.MarkdownString, start: string, text: string): void {
  hover.appendMarkdown(`\n\n${start}${escapeMarkdown(escapeIcons(text))}`);
}

/** Escapes Markdown. `MarkdownString.appendText` would make every space non-breaking. */
const escapeMarkdown = (text: string): string =>
  text.replaceAll(/\s+/g, ' ').replaceAll(/[!-/:-@[-`{-~]/g, '\\$&');

/** Returns the links of the hover. Exported for tests. */
export function statusLinks({
  account,
  walletLinks,
}: Pick<StatusContent, 'account' | 'walletLinks'>): readonly StatusLink[] {
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
    ...(canSpend(account.key)
      ? [link('inferenceService.showFunding', actionLabel('add-credits'))]
      : []),
    link('inferenceService.showUsage', vscode.l10n.t('Usage and cost')),
    ...walletLinks(),
    ...other,
  ];
}

const lockLink = (): StatusLink => ({
  label: vscode.l10n.t('Private models only'),
  command: 'workbench.action.openSettings',
  args: ['inferenceService.privateModelsOnly'],
});

const link = (command: CommandId, label: string): StatusLink => ({ command, label });
