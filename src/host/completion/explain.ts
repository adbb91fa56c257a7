import * as vscode from 'vscode';
import type { HostRule } from '../../completion/reason.ts';
import { offer } from '../account/action.ts';
import { tellInformation } from '../tell.ts';
import type { CompletionParts, SuggestionState } from './completion-parts.ts';
import { isLanguageOn } from './completion-settings.ts';
import { isWrittenScheme } from './document-selectors.ts';
import { reasonWords, type ReasonWords } from './reason-words.ts';

/** "Why no suggestion here?": says what stopped it, and what can be done. Makes no request. */
export async function explain(parts: CompletionParts): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const { text, actions } = editor === undefined ? noEditor() : await wordsFor(parts, editor);
  await offer(tellInformation, text, actions);
}

async function wordsFor(parts: CompletionParts, editor: vscode.TextEditor): Promise<ReasonWords> {
  const rule = await ruleFor(parts, editor.document);
  if (rule !== undefined) return reasonWords({ kind: 'rule', rule }, parts.host);
  const attempt = parts.suggestions.runtime?.lastAttempt(editor.document);
  const isHere = attempt?.position.line === editor.selection.active.line;
  if (attempt === undefined || !isHere) return notAsked();
  return attempt.reason === undefined ? shown() : reasonWords(attempt.reason, parts.host);
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
  'other-address': 'off',
  untrusted: 'untrusted',
  'signed-out': 'signed-out',
  snoozed: 'snoozed',
};

const noEditor = (): ReasonWords => ({
  text: vscode.l10n.t('Put the cursor where you want a suggestion, then ask again.'),
  actions: [],
});

const notAsked = (): ReasonWords => ({
  text: vscode.l10n.t('Nothing was asked for on this line yet, and no rule stands against it.'),
  actions: [
    {
      label: vscode.l10n.t('Ask now'),
      run: () => vscode.commands.executeCommand('inferenceService.completion.trigger'),
    },
  ],
});

const shown = (): ReasonWords => ({
  text: vscode.l10n.t(
    'There was a suggestion on this line. The editor hides it when the text no longer fits it, or while other suggestions are shown.',
  ),
  actions: [],
});
