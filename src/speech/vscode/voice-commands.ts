import * as vscode from 'vscode';
import { maySendSelection } from '../../image/vscode/image-location.ts';
import { tellInformation } from '../../platform/notifications.ts';
import type { VoiceCommand, VoiceParts } from './voice-settings.ts';
import { stopReading } from './read-aloud.ts';
import { spokenAnswer, type SpokenText } from './speech-consent.ts';

/** Runs a command about voices or personas. */
export async function runVoiceCommand(
  id: VoiceCommand,
  parts: VoiceParts,
  args: readonly unknown[],
): Promise<void> {
  switch (id) {
    case 'inferenceService.readAloud': {
      const spoken = await textToSay(parts);
      return spoken === undefined ? undefined : (await parts.shown()).readAloud(spoken);
    }
    case 'inferenceService.stopReading':
      return stopReading();
    case 'inferenceService.saveSpeech': {
      const spoken = await textToSay(parts);
      if (spoken === undefined) return undefined;
      const { saveSpeech } = await import('./save-speech.ts');
      return saveSpeech(parts.host, spoken);
    }
    case 'inferenceService.selectVoice': {
      const { selectVoice } = await import('./select-voice.ts');
      return selectVoice(parts.host);
    }
    case 'inferenceService.dictate': {
      const { dictate } = await import('./dictate.ts');
      return dictate(parts);
    }
    case 'inferenceService.transcribeFile': {
      const { transcribeFile } = await import('./transcribe.ts');
      return transcribeFile(parts);
    }
    case 'inferenceService.chatWithPersona': {
      const { choosePersona } = await import('../../chat/vscode/persona-pick.ts');
      return choosePersona(parts, typeof args[0] === 'string' ? args[0].slice(0, 200) : '');
    }
  }
}

/**
 * What is selected in the editor, else the last answer of the chat. Undefined when there is neither, which the person is
 * told, or when the text may not be sent.
 */
async function textToSay({ host, shown }: VoiceParts): Promise<SpokenText | undefined> {
  // Taken before a chat is revealed, which moves the focus away from it.
  const editor = vscode.window.activeTextEditor;
  const selected = editor?.document.getText(editor.selection) ?? '';
  if (editor !== undefined && selected.trim() !== '') {
    return (await maySendSelection(editor.document)) ? { markdown: selected } : undefined;
  }
  const { conversation } = (await shown()).chat.session;
  const answer = conversation
    .path()
    .findLast(({ role, text }) => role === 'assistant' && text !== '');
  if (answer !== undefined) return spokenAnswer(conversation, answer, host.models.all);
  void tellInformation(
    vscode.l10n.t('There is nothing to read aloud yet. Select some text, or ask something first.'),
  );
  return undefined;
}
