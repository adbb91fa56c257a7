import * as vscode from 'vscode';
import type { Cause, EditorCause, Reason } from '../reason.ts';
import { findBlockingRule, findExplicitBlockingRule } from '../request-timing.ts';
import {
  getPipelineSettings,
  isLanguageEnabled,
  setCompletionEnabled,
  setLanguageOn,
} from './completion-settings.ts';
import { isUserDocumentScheme } from './document-selectors.ts';
import type { ProviderAttempt } from './inline-provider.ts';
import { createTriggerAction, formatReason, type ReasonMessage } from './reason-messages.ts';
import type { StatusLink } from '../../account/vscode/status-bar.ts';
import { createCompletionLinks, createCompletionRows } from './status-rows.ts';
import type { CompletionContext, SuggestionState, SuggestionsState } from './suggestion-state.ts';
import { takeSnapshotForEditor } from './take-snapshot.ts';
import { formatModelAndPrice, turnOnSuggestions } from './turn-on.ts';
import { modelEditTokens } from '../next-edit/model-edit.ts';
import type { Host } from '../../host.ts';
import {
  showInformation,
  showStatusMessage,
  showWithActions,
  escapeIcons,
} from '../../platform/notifications.ts';
import { getSetting, setChoice, settingValues } from '../../platform/settings.ts';

/** Shows the rows and commands of the status bar hover in a quick pick, for keyboard users. */
export async function showMenu(context: CompletionContext): Promise<void> {
  const links = createCompletionLinks(context.suggestions).map((link) => ({
    label: escapeIcons(link.label),
    link,
  }));
  const rowItems = createCompletionRows(context).map(([name, value]) => ({
    label: name,
    description: escapeIcons(value),
    iconPath: new vscode.ThemeIcon('info'),
    link: undefined,
  }));
  const switchItems = context.suggestions.state === 'off' ? [] : createToggleItems(context.host);
  const items: MenuItem[] = [
    ...links,
    { label: '', kind: vscode.QuickPickItemKind.Separator },
    ...switchItems,
    { label: '', kind: vscode.QuickPickItemKind.Separator },
    ...rowItems,
  ];
  const title = vscode.l10n.t('Inline suggestions');
  const item = await vscode.window.showQuickPick(items, { title });
  if (item?.toggle !== undefined) return item.toggle();
  const { link } = item ?? {};
  if (link !== undefined) await vscode.commands.executeCommand(link.command, ...(link.args ?? []));
}

type MenuItem = vscode.QuickPickItem & {
  readonly link?: StatusLink | undefined;
  readonly toggle?: () => Promise<void>;
};

/** Creates the menu items that turn options on or off, such as suggestions in comments. */
function createToggleItems(host: Host): MenuItem[] {
  const labels = {
    'inferenceService.completion.automatic': vscode.l10n.t('Suggest while you type'),
    'inferenceService.completion.inComments': vscode.l10n.t('Suggest in comments'),
    'inferenceService.completion.nextEdit': vscode.l10n.t('Suggest next edits'),
    'inferenceService.completion.modelNextEdit': vscode.l10n.t('Suggest next edits by the model'),
    'inferenceService.completion.prefetch': vscode.l10n.t('Request the next suggestion ahead'),
    'inferenceService.completion.respectGitignore': vscode.l10n.t('Respect .gitignore'),
  };
  const settingNames = Object.keys(labels) as (keyof typeof labels)[];
  const switchItems = settingNames.map((name) => {
    const isOn = getSetting(name);
    return {
      label: labels[name],
      description: isOn ? vscode.l10n.t('On') : vscode.l10n.t('Off'),
      ...(name === 'inferenceService.completion.modelNextEdit' && {
        detail: formatModelAndPrice(host, modelEditTokens),
      }),
      toggle: () => setChoice(name, !isOn),
    };
  });
  return [
    ...switchItems,
    { label: getRouteLabel(), description: getRouteSetting(), toggle: chooseRoute },
  ];
}

const routeSetting = 'inferenceService.completion.route';
const getRouteSetting = () => getSetting(routeSetting);
const getRouteLabel = (): string => vscode.l10n.t('Endpoint for suggestions');

/** Prompts for the API route of requests for suggestions. */
async function chooseRoute(): Promise<void> {
  const items = settingValues[routeSetting].map((route) => ({
    label: route,
    ...(route === getRouteSetting() ? { iconPath: new vscode.ThemeIcon('check') } : {}),
  }));
  const item = await vscode.window.showQuickPick(items, { title: getRouteLabel() });
  if (item !== undefined) await setChoice(routeSetting, item.label);
}

/** Disables inline suggestions in the user settings, which apply to every workspace. */
export const turnOffSuggestions = (): Promise<void> => setCompletionEnabled(false);

export const acceptNextLine = (): Thenable<unknown> =>
  vscode.commands.executeCommand('editor.action.inlineSuggest.acceptNextLine');

/**
 * Triggers a suggestion. If suggestions are unavailable, explains the reason and offers actions. If no suggestion
 * arrives, shows the reason in the status bar.
 */
export async function triggerSuggestion(context: CompletionContext): Promise<void> {
  const { suggestions } = context;
  if (suggestions.state === 'snoozed') suggestions.resume();
  if (areSuggestionsOff(suggestions) && !(await turnOnSuggestions(context))) return;
  await suggestions.updateRuntime();
  if (suggestions.state !== 'on' || suggestions.isLanguageOn === false)
    return explainMissingSuggestion(context);
  const previousAttempt = findLastAttempt(suggestions);
  await vscode.commands.executeCommand('editor.action.inlineSuggest.trigger');
  const attempt = findLastAttempt(suggestions);
  if (
    attempt === previousAttempt ||
    attempt?.reason === undefined ||
    hasCursorMovedOn(attempt.reason)
  )
    return;
  showStatusMessage(formatReason(attempt.reason, context.host).text);
}

function findLastAttempt({ runtime }: SuggestionsState): ProviderAttempt | undefined {
  const document = vscode.window.activeTextEditor?.document;
  return document === undefined ? undefined : runtime?.getLastAttempt(document);
}

/** Checks whether the reason is that the user typed or moved the cursor. A message is then unnecessary. */
const hasCursorMovedOn = (reason: Reason): boolean =>
  reason.kind === 'rule' && reason.rule === 'moved-on';

const areSuggestionsOff = ({ state }: SuggestionsState): boolean =>
  state === 'off' || state === 'other-service' || state === 'too-expensive';

/**
 * Turns suggestions on, or explains their state if they cannot be turned on. The walkthrough always offers this
 * command.
 */
export async function turnOnOrExplain(context: CompletionContext): Promise<void> {
  const { suggestions } = context;
  if (areSuggestionsOff(suggestions)) await turnOnSuggestions(context);
  else if (suggestions.state === 'on') {
    await showInformation(vscode.l10n.t('Inline suggestions are on already.'));
  } else await explainMissingSuggestion(context);
}

export async function toggleLanguage(): Promise<void> {
  const languageId = vscode.window.activeTextEditor?.document.languageId;
  if (languageId === undefined) {
    await showInformation(vscode.l10n.t('Open a file first.'));
    return;
  }
  await setLanguageOn(languageId, !isLanguageEnabled(languageId));
}

const snoozeMinutes = [5, 30] as const;

export async function snoozeSuggestions(
  suggestions: SuggestionsState,
  requestedMinutes: unknown,
): Promise<void> {
  const minutes =
    snoozeMinutes.find((candidate) => candidate === requestedMinutes) ?? (await chooseMinutes());
  if (minutes !== undefined) suggestions.snooze(minutes);
}

async function chooseMinutes(): Promise<number | undefined> {
  const items = snoozeMinutes.map((minutes) => ({
    label: vscode.l10n.t('{0} minutes', minutes),
    minutes,
  }));
  const title = vscode.l10n.t('Snooze');
  return (await vscode.window.showQuickPick(items, { title }))?.minutes;
}

/** Shows the reason why there is no suggestion at the cursor, with actions. Does not send a request. */
export async function explainMissingSuggestion(context: CompletionContext): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const { text, actions } =
    editor === undefined
      ? createNoEditorMessage()
      : await createExplanationMessage(context, editor);
  await showWithActions(showInformation, text, actions);
}

async function createExplanationMessage(
  context: CompletionContext,
  editor: vscode.TextEditor,
): Promise<ReasonMessage> {
  const editorCause = await findEditorCause(context, editor.document);
  if (editorCause !== undefined)
    return formatReason({ kind: 'rule', rule: editorCause }, context.host);
  const attempt = findAttemptAtCursor(context.suggestions, editor);
  if (attempt !== undefined && attempt.reason === undefined) return createHiddenSuggestionMessage();
  const reason =
    (isProviderOutcome(attempt?.reason) ? attempt?.reason : undefined) ??
    findPositionReason(editor);
  return reason === undefined ? createNotRequestedMessage() : formatReason(reason, context.host);
}

/**
 * Returns the last provider call in the document if it was at the current cursor position, or if a pause that has not
 * ended yet prevented a suggestion. Otherwise returns undefined.
 */
function findAttemptAtCursor(
  { activity, runtime }: SuggestionsState,
  { document, selection }: vscode.TextEditor,
): ProviderAttempt | undefined {
  const attempt = runtime?.getLastAttempt(document);
  if (attempt?.reason?.kind === 'paused' && activity.pausedBy !== undefined) return attempt;
  return attempt?.position.isEqual(selection.active) === true ? attempt : undefined;
}

/**
 * Checks whether a reason is the result of a provider call, such as an answer that a filter removed. Every other reason
 * must be determined again, because the settings or the text may have changed.
 */
const isProviderOutcome = (reason: Reason | undefined): boolean =>
  reason !== undefined && (reason.kind !== 'rule' || outcomeCauses.has(reason.rule));

const outcomeCauses: ReadonlySet<Cause> = new Set([
  'deleting',
  'low-acceptance',
  'moved-on',
  'too-slow',
  'too-many-requests',
  'already-typed',
]);

/**
 * Returns the pipeline rule that prevents a request at the cursor while the user types; undefined if a request is
 * allowed.
 */
function findPositionReason({ document, selection }: vscode.TextEditor): Reason | undefined {
  const snapshot = takeSnapshotForEditor(document, selection.active, undefined);
  if (snapshot === undefined) return undefined;
  const pipelineCause =
    findExplicitBlockingRule(snapshot) ??
    findBlockingRule(snapshot, { activity: 'typing', settings: getPipelineSettings() });
  return pipelineCause === undefined ? undefined : { kind: 'rule', rule: pipelineCause };
}

/**
 * Returns the first rule of the settings, the account or the file that prevents a request; undefined if a request is
 * allowed.
 */
async function findEditorCause(
  { suggestions }: CompletionContext,
  document: vscode.TextDocument,
): Promise<EditorCause | undefined> {
  const { state } = suggestions;
  if (state !== 'on') return causeByState[state];
  if (!isUserDocumentScheme(document.uri.scheme)) return 'scheme';
  if (!isLanguageEnabled(document.languageId)) return 'language-off';
  return suggestions.runtime?.getBlockingCause(document);
}

const causeByState: Readonly<Record<Exclude<SuggestionState, 'on'>, EditorCause>> = {
  off: 'off',
  'too-expensive': 'too-expensive',
  'other-service': 'other-service',
  untrusted: 'untrusted',
  'signed-out': 'signed-out',
  snoozed: 'snoozed',
};

const createNoEditorMessage = (): ReasonMessage => ({
  text: vscode.l10n.t('Open a file first.'),
  actions: [],
});

const createNotRequestedMessage = (): ReasonMessage => ({
  text: vscode.l10n.t('No suggestion was requested yet. Pause, or ask now.'),
  actions: [createTriggerAction()],
});

const createHiddenSuggestionMessage = (): ReasonMessage => ({
  text: vscode.l10n.t('VS Code hid the suggestion here.'),
  actions: [createTriggerAction()],
});
