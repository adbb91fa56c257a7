import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import type { Event } from '../../base/event.ts';
import { canSpend } from '../key-state.ts';
import type { CommandId } from '../../platform/command-ids.ts';
import type { Log } from '../../platform/log.ts';
import { escapeIcons } from '../../platform/notifications.ts';
import type { ServiceContext } from '../../service/http/client.ts';
import type { Account } from './account.ts';
import { formatBalanceDetail } from './account-view.ts';
import { findKeyExpiry, type KeyExpiry } from './key-in-use.ts';
import { getActionLabel } from './failure-actions.ts';
import { stripEllipsis } from '../../base/amounts.ts';

/** Sources of the account status that the status bar entry shows. */
export interface AccountDependencies {
  readonly account: Account;
  readonly service: Pick<ServiceContext, 'clock'>;
  readonly log: Log;
}

/** Name and value of one line about inline suggestions in the hover of the status bar entry. */
export type StatusRow = readonly [name: string, value: string];

/** A link in the hover of the status bar entry. */
export interface StatusLink {
  readonly label: string;
  readonly command: CommandId;
  readonly args?: readonly unknown[];
}

/** Content about the chat model in the status bar entry. */
export interface ModelStatus {
  readonly onDidChange: Event<void>;
  /** Name of the model that chats use, even if the service does not list this model. Undefined without a model. */
  getName(): string | undefined;
  /** Reason why the list of models is unavailable, as a message for the user. Undefined if the list is available. */
  getFailure(): string | undefined;
  isPrivateOnly(): boolean;
}

/** Content about inline suggestions in the status bar entry. */
export interface SuggestionStatus {
  readonly onDidChange: Event<void>;
  /** Codicon that replaces the default icon. */
  getIcon(): string | undefined;
  /** Short description of the state of inline suggestions for screen readers; undefined while they are off. */
  getState(): string | undefined;
  /** Command that a click runs; undefined to open the chat. */
  getCommand(): CommandId | undefined;
}

/** Content that other features provide for the status bar entry. */
export interface StatusSections {
  readonly models: ModelStatus;
  readonly suggestions: SuggestionStatus;
}

interface StatusContent extends StatusSections {
  readonly account: Account;
  readonly expiry?: KeyExpiry | undefined;
}

/** Interval in milliseconds between updates of the remaining days until the key expires. */
const expiryCheckIntervalMs = 3_600_000;

/**
 * Creates the only status bar entry of the extension. The entry shows the sign-in status, the chat
 * model, inline suggestions, and errors that need the user's action.
 */
export function createStatusBar(
  { account, service }: AccountDependencies,
  sections: StatusSections,
): Disposable {
  const disposables = new DisposableStore();
  const item = disposables.add(
    vscode.window.createStatusBarItem('inferenceService', vscode.StatusBarAlignment.Right, 100),
  );
  item.name = vscode.l10n.t('Inference Service');
  const { clock } = service;
  const update = (): void => {
    const expiry = findKeyExpiry(account, clock.now());
    Object.assign(item, buildStatus({ ...sections, account, expiry }));
  };
  let cancelUpdate = (): void => {};
  const scheduleUpdate = (): void => {
    cancelUpdate = clock.after(expiryCheckIntervalMs, () => {
      update();
      scheduleUpdate();
    });
  };
  scheduleUpdate();
  disposables.add({ dispose: () => cancelUpdate() });
  disposables.add(account.onDidChange(update));
  disposables.add(sections.models.onDidChange(update));
  disposables.add(sections.suggestions.onDidChange(update));
  update();
  item.show();
  return disposables;
}

type StatusItemProperties = Pick<
  vscode.StatusBarItem,
  'text' | 'tooltip' | 'command' | 'backgroundColor' | 'accessibilityInformation'
>;

function buildStatus(content: StatusContent): StatusItemProperties {
  const { account, models, suggestions, expiry } = content;
  const { status, message } = account.view;
  const needsAttention = status === 'needs-attention';
  const state = formatStateText(content);
  const problem =
    message ??
    getModelListFailure(content) ??
    (expiry?.isUrgent === true ? expiry.message : undefined);
  const icon =
    needsAttention || problem !== undefined
      ? 'warning'
      : (suggestions.getIcon() ?? 'comment-discussion');
  const label = vscode.l10n.t('{0}: {1}', vscode.l10n.t('Inference Service'), problem ?? state);
  return {
    text: `$(${icon}) ${escapeIcons(state)}${models.isPrivateOnly() ? ' $(lock)' : ''}`,
    tooltip: buildHover(content),
    command: suggestions.getCommand() ?? 'inferenceService.focusChat',
    backgroundColor: needsAttention
      ? new vscode.ThemeColor('statusBarItem.warningBackground')
      : undefined,
    accessibilityInformation: {
      label: `${label}${formatAccessibleDescription(content)}`,
      role: 'button',
    },
  };
}

/** Returns the text that describes the icons of the entry to screen readers. */
function formatAccessibleDescription(content: StatusContent): string {
  const privacyLabel = content.models.isPrivateOnly() ? getPrivateOnlyLabel() : undefined;
  return [privacyLabel, formatSuggestionState(content)]
    .filter((description) => description !== undefined)
    .map((description) => `. ${description}`)
    .join('');
}

/**
 * Returns the reason why a signed-in user has no models and cannot send requests; `undefined` if there is no such
 * problem.
 */
const getModelListFailure = ({ account, models }: StatusContent): string | undefined =>
  account.view.status === 'signed-in' ? models.getFailure() : undefined;

function formatStateText(content: StatusContent): string {
  switch (content.account.view.status) {
    case 'signed-out':
      return vscode.l10n.t('Inference: signed out');
    case 'needs-attention':
      return vscode.l10n.t('Inference: needs attention');
    case 'signed-in':
      return (
        content.models.getName() ??
        (getModelListFailure(content) === undefined
          ? vscode.l10n.t('Inference: signed in')
          : vscode.l10n.t('Inference: no models'))
      );
  }
}

/** Returns the state of inline suggestions with its label; `undefined` while they are off. */
function formatSuggestionState({ suggestions }: StatusContent): string | undefined {
  const state = suggestions.getState();
  return state && vscode.l10n.t('{0}: {1}', vscode.l10n.t('Inline suggestions'), state);
}

/** Builds the hover. Names come from the service, so they are escaped as plain text. */
function buildHover(content: StatusContent): vscode.MarkdownString {
  const { account, models, suggestions, expiry } = content;
  const hover = new vscode.MarkdownString('', true);
  const links = listStatusLinks(content);
  const fundingCommand: CommandId = 'inferenceService.showFunding';
  const commands = links.map(({ command }) => command);
  hover.isTrusted = {
    enabledCommands: canSpend(account.key) ? [fundingCommand, ...commands] : commands,
  };
  const problem = account.view.message ?? getModelListFailure(content) ?? expiry?.message;
  const pauseText =
    suggestions.getIcon() === 'warning' ? formatSuggestionState(content) : undefined;
  for (const warning of [problem, pauseText])
    if (warning !== undefined) appendParagraph(hover, '$(warning) ', warning);
  const model = models.getName() ?? vscode.l10n.t('None');
  const privateOnlyNote = models.isPrivateOnly() ? ` · ${getPrivateOnlyLabel()}` : '';
  appendRow(hover, vscode.l10n.t('Model'), `${model}${privateOnlyNote}`);
  hover.appendMarkdown(`\n\n${vscode.l10n.t('Balance')}: ${formatBalanceLink(account)}`);
  hover.appendMarkdown(`\n\n${links.map(formatLink).join(' · ')}`);
  return hover;
}

function formatLink({ label, command, args = [] }: StatusLink): string {
  const query = args.length === 0 ? '' : `?${encodeURIComponent(JSON.stringify(args))}`;
  return `[${escapeMarkdown(label)}](command:${command}${query})`;
}

function appendRow(hover: vscode.MarkdownString, name: string, value: string): void {
  appendParagraph(hover, `${name}: `, value);
}

function appendParagraph(hover: vscode.MarkdownString, prefix: string, text: string): void {
  hover.appendMarkdown(`\n\n${prefix}${escapeMarkdown(escapeIcons(text))}`);
}

/** Escapes Markdown. `MarkdownString.appendText` would make every space non-breaking. */
const escapeMarkdown = (text: string): string =>
  text.replaceAll(/\s+/g, ' ').replaceAll(/[!-/:-@[-`{-~]/g, '\\$&');

/**
 * Returns the balance as Markdown. If a key or a wallet pays for requests, the balance is a link to the funding view.
 * Exported for tests.
 */
export function formatBalanceLink({ key, balance }: Pick<Account, 'key' | 'balance'>): string {
  const label = formatBalanceDetail(balance) || vscode.l10n.t('unknown');
  return canSpend(key)
    ? formatLink({ label, command: 'inferenceService.showFunding' })
    : escapeMarkdown(label);
}

/** Returns the three command links of the hover. Exported for tests. */
export function listStatusLinks(content: StatusContent): readonly StatusLink[] {
  if (content.account.view.status === 'signed-in' && getModelListFailure(content) === undefined)
    return [
      content.expiry === undefined
        ? createLink('inferenceService.selectModel', stripEllipsis(vscode.l10n.t('Select Model…')))
        : createLink('inferenceService.keys.rotate', vscode.l10n.t('Rotate API Key')),
      createLink('inferenceService.showUsage', vscode.l10n.t('Usage and cost')),
      createLink('inferenceService.completion.showMenu', vscode.l10n.t('Inline suggestions')),
    ];
  return [
    createLink('inferenceService.focusChat', vscode.l10n.t('Connect')),
    createLink('inferenceService.testConnection', getActionLabel('test-connection')),
    createLink('inferenceService.showLog', getActionLabel('show-log')),
  ];
}

const getPrivateOnlyLabel = (): string => vscode.l10n.t('Private models only');

const createLink = (command: CommandId, label: string): StatusLink => ({ command, label });
