import * as vscode from 'vscode';
import { findBlockingRule, findExplicitBlockingRule } from '../request-timing.ts';
import type { Cause, EditorCause, Reason } from '../reason.ts';
import { showWithActions, showInformation } from '../../platform/notifications.ts';
import type { CompletionContext, SuggestionState, SuggestionsState } from './suggestion-state.ts';
import { getPipelineSettings, isLanguageOn } from './completion-settings.ts';
import { isUserDocumentScheme } from './document-selectors.ts';
import type { Attempt } from './inline-provider.ts';
import { triggerAction, formatReason, type ReasonMessage } from './reason-messages.ts';
import { takeSnapshotForEditor } from './take-snapshot.ts';

/** Shows the reason why there is no suggestion at the cursor, with actions. Does not send a request. */
export async function explain(context: CompletionContext): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const { text, actions } =
    editor === undefined ? createNoEditorMessage() : await createMessage(context, editor);
  await showWithActions(showInformation, text, actions);
}

async function createMessage(
  context: CompletionContext,
  editor: vscode.TextEditor,
): Promise<ReasonMessage> {
  const editorCause = await findEditorCause(context, editor.document);
  if (editorCause !== undefined)
    return formatReason({ kind: 'rule', rule: editorCause }, context.host);
  const attempt = findAttempt(context.suggestions, editor);
  if (attempt !== undefined && attempt.reason === undefined) return createHiddenMessage();
  const reason =
    (isOutcome(attempt?.reason) ? attempt?.reason : undefined) ?? findPositionReason(editor);
  return reason === undefined ? createNotRequestedMessage() : formatReason(reason, context.host);
}

/**
 * Returns the last provider call if it was made at the cursor, or at any position while requests are paused.
 */
function findAttempt(
  { activity, runtime }: SuggestionsState,
  { document, selection }: vscode.TextEditor,
): Attempt | undefined {
  const attempt = runtime?.getLastAttempt(document);
  if (attempt?.reason?.kind === 'paused' && activity.pausedBy !== undefined) return attempt;
  return attempt?.position.isEqual(selection.active) === true ? attempt : undefined;
}

/**
 * Checks whether a reason is the outcome of a provider call. Other rules must be checked again, because the settings or
 * the text may have changed.
 */
const isOutcome = (reason: Reason | undefined): boolean =>
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
  if (!isLanguageOn(document.languageId)) return 'language-off';
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
  actions: [triggerAction()],
});

const createHiddenMessage = (): ReasonMessage => ({
  text: vscode.l10n.t('There was a suggestion here, and the editor has hidden it.'),
  actions: [triggerAction()],
});
