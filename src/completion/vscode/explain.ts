import * as vscode from 'vscode';
import { cursorRule, hardRule } from '../request-timing.ts';
import type { HostRule, Reason, Rule } from '../reason.ts';
import { showWithActions, showInformation } from '../../platform/notifications.ts';
import type { CompletionParts, SuggestionState, SuggestionSwitch } from './suggestion-state.ts';
import { engineSettings, isLanguageOn } from './completion-settings.ts';
import { isWrittenScheme } from './document-selectors.ts';
import type { Attempt } from './inline-provider.ts';
import { askAgain, reasonWords, type ReasonWords } from './reason-messages.ts';
import { snapshotFor } from './take-snapshot.ts';

/** "Why no suggestion here?": says what stopped it, and what can be done. Makes no request. */
export async function explain(parts: CompletionParts): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const { text, actions } = editor === undefined ? noEditor() : await wordsFor(parts, editor);
  await showWithActions(showInformation, text, actions);
}

async function wordsFor(parts: CompletionParts, editor: vscode.TextEditor): Promise<ReasonWords> {
  const rule = await ruleFor(parts, editor.document);
  if (rule !== undefined) return reasonWords({ kind: 'rule', rule }, parts.host);
  const attempt = attemptAt(parts.suggestions, editor);
  if (attempt !== undefined && attempt.reason === undefined) return shown();
  const reason = (isOutcome(attempt?.reason) ? attempt?.reason : undefined) ?? placeReason(editor);
  return reason === undefined ? notAsked() : reasonWords(reason, parts.host);
}

/** What came of the last request, where it was made for this very place, or while nothing is asked anywhere. */
function attemptAt(
  { activity, runtime }: SuggestionSwitch,
  { document, selection }: vscode.TextEditor,
): Attempt | undefined {
  const attempt = runtime?.lastAttempt(document);
  if (attempt?.reason?.kind === 'paused' && activity.pausedBy !== undefined) return attempt;
  return attempt?.position.isEqual(selection.active) === true ? attempt : undefined;
}

/** Whether a reason tells what happened. A rule of the place is looked at anew: settings and text change. */
const isOutcome = (reason: Reason | undefined): boolean =>
  reason !== undefined && (reason.kind !== 'rule' || outcomes.has(reason.rule));

const outcomes: ReadonlySet<Rule> = new Set([
  'erasing',
  'in-doubt',
  'moved-on',
  'too-slow',
  'too-often',
  'said-all',
]);

/** The engine's own rule against a question at the cursor, for who goes on typing there. */
function placeReason({ document, selection }: vscode.TextEditor): Reason | undefined {
  const snapshot = snapshotFor(document, selection.active, undefined);
  if (snapshot === undefined) return undefined;
  const rule =
    hardRule(snapshot) ?? cursorRule(snapshot, { motion: 'typing', settings: engineSettings() });
  return rule === undefined ? undefined : { kind: 'rule', rule };
}

/** Rules of the editor, in the order in which they stop a request. */
async function ruleFor(
  { suggestions }: CompletionParts,
  document: vscode.TextDocument,
): Promise<HostRule | undefined> {
  const { state } = suggestions;
  if (state !== 'on') return ruleOfState[state];
  if (!isWrittenScheme(document.uri.scheme)) return 'scheme';
  if (!isLanguageOn(document.languageId)) return 'language-off';
  return suggestions.runtime?.ruleOf(document);
}

const ruleOfState: Readonly<Record<Exclude<SuggestionState, 'on'>, HostRule>> = {
  off: 'off',
  'too-dear': 'too-dear',
  'other-address': 'other-address',
  untrusted: 'untrusted',
  'signed-out': 'signed-out',
  snoozed: 'snoozed',
};

const noEditor = (): ReasonWords => ({
  text: vscode.l10n.t('Put the cursor where you want a suggestion, then ask again.'),
  actions: [],
});

const notAsked = (): ReasonWords => ({
  text: vscode.l10n.t('Nothing was asked for at this place yet, and no rule stands against it.'),
  actions: [askAgain()],
});

const shown = (): ReasonWords => ({
  text: vscode.l10n.t('There was a suggestion here, and the editor has hidden it.'),
  actions: [askAgain()],
});
