import * as vscode from 'vscode';
import type { DictationWords } from '../dictation-protocol.ts';

/** What the page that records says, in the editor's language. */
export const dictationWords = (): DictationWords => ({
  title: vscode.l10n.t('Dictate — Inference Service'),
  explanation: vscode.l10n.t(
    'What you say here goes to your editor, which asks the service to write it down. It is written into the chat; you send it yourself.',
  ),
  start: vscode.l10n.t('Start recording'),
  stop: vscode.l10n.t('Stop and write down'),
  cancel: vscode.l10n.t('Cancel'),
  level: vscode.l10n.t('How loud it is'),
  recording: vscode.l10n.t('Recording'),
  working: vscode.l10n.t('Writing down what you said'),
  done: vscode.l10n.t('Done. You can close this tab.'),
  denied: vscode.l10n.t(
    'The browser does not let this page use the microphone. Allow it beside the address, then start again.',
  ),
  noMicrophone: vscode.l10n.t('No microphone was found. Connect one, then start again.'),
  gone: vscode.l10n.t('The editor does not answer any more. You can close this tab.'),
});
