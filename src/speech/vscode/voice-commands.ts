import * as vscode from 'vscode';
import { showInformation } from '../../platform/notifications.ts';
import { confirmSendSelection } from '../../workspace/vscode/send-consent.ts';
import { toSpokenText, type SpokenText } from './speech-consent.ts';
import type { VoiceContext } from './voice-context.ts';

/** Runs the command "Read aloud". */
export async function readAloud(context: VoiceContext): Promise<void> {
  const spokenText = await findTextToSpeak(context);
  if (spokenText !== undefined) await (await context.openChat()).readAloud(spokenText);
}

/** Runs the command "Save speech as". */
export async function saveSpeechAs(context: VoiceContext): Promise<void> {
  const spokenText = await findTextToSpeak(context);
  if (spokenText === undefined) return;
  const { saveSpeech } = await import('./save-speech.ts');
  await saveSpeech(context.host, spokenText);
}

/**
 * Returns the selected text in the editor, otherwise the last answer of the chat. Returns `undefined` if the user
 * declines to send the selection. If there is no text, notifies the user and returns `undefined`.
 */
async function findTextToSpeak({ host, openChat }: VoiceContext): Promise<SpokenText | undefined> {
  // Gets the editor first, because opening a chat can take the focus.
  const editor = vscode.window.activeTextEditor;
  const selectedText = editor?.document.getText(editor.selection) ?? '';
  if (editor !== undefined && selectedText.trim() !== '') {
    return (await confirmSendSelection(editor.document)) ? { markdown: selectedText } : undefined;
  }
  const { conversation } = (await openChat()).chat.session;
  const answer = conversation
    .listPath()
    .findLast(({ role, text }) => role === 'assistant' && text !== '');
  if (answer !== undefined) return toSpokenText(conversation, answer, host.models.allModels);
  void showInformation(vscode.l10n.t('There is nothing to read aloud.'));
  return undefined;
}
