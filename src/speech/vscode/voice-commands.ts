import * as vscode from 'vscode';
import { showInformation } from '../../platform/notifications.ts';
import { confirmSendSelection } from '../../workspace/vscode/send-consent.ts';
import { toSpokenText, type SpokenText } from './speech-consent.ts';
import type { VoiceContext } from './voice-target.ts';

/** Runs "Read aloud". */
export async function readAloud(context: VoiceContext): Promise<void> {
  const spoken = await findTextToSpeak(context);
  if (spoken !== undefined) await (await context.openChat()).readAloud(spoken);
}

/** Runs "Save speech as". */
export async function saveSpeechAs(context: VoiceContext): Promise<void> {
  const spoken = await findTextToSpeak(context);
  if (spoken === undefined) return;
  const { saveSpeech } = await import('./save-speech.ts');
  await saveSpeech(context.host, spoken);
}

/**
 * Returns the editor selection, else the last answer of the chat. Returns `undefined` if there is no text, after a
 * notification, or if the text may not be sent.
 */
async function findTextToSpeak({ host, openChat }: VoiceContext): Promise<SpokenText | undefined> {
  // Read before a chat is revealed, which takes the focus.
  const editor = vscode.window.activeTextEditor;
  const selected = editor?.document.getText(editor.selection) ?? '';
  if (editor !== undefined && selected.trim() !== '') {
    return (await confirmSendSelection(editor.document)) ? { markdown: selected } : undefined;
  }
  const { conversation } = (await openChat()).chat.session;
  const answer = conversation
    .path()
    .findLast(({ role, text }) => role === 'assistant' && text !== '');
  if (answer !== undefined) return toSpokenText(conversation, answer, host.models.allModels);
  void showInformation(
    vscode.l10n.t('There is nothing to read aloud yet. Select some text, or ask something first.'),
  );
  return undefined;
}
