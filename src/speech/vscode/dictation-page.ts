import * as vscode from 'vscode';
import { systemClock } from '../../base/clock.ts';
import type { Host } from '../../host.ts';
import { openPage, readPageAssets, renderPageHtml } from '../../platform/pages/open-page.ts';
import type { LoopbackOptions } from '../../platform/pages/page-server.ts';
import { dictationCalls, type DictationLabels } from '../dictation-protocol.ts';
import { DictationSession } from './dictation-session.ts';

/** Returns the UI text of the recording page in the display language. */
export const dictationLabels = (): DictationLabels => ({
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
  disconnected: vscode.l10n.t('The editor does not answer any more. You can close this tab.'),
});

const closeDelayMs = 250;

/** Recording page that is open in the user's browser. Call `dispose` to close its server. */
export interface RecordingPage {
  readonly session: DictationSession;
  dispose(): void;
}

/**
 * Opens a recording page in the browser. Starts a server that serves only this recording.
 * @throws PageError
 */
export async function openRecordingPage({ context, log }: Host): Promise<RecordingPage> {
  const assets = await readPageAssets(context, ['dictation.js', 'recorder.js', 'dictation.css']);
  const session = new DictationSession({ clock: systemClock });
  const page = createRecordingPage(session, assets);
  try {
    const { pairing } = session;
    const opened = await openPage({ page, pairing, clock: systemClock, log });
    const dispose = (): void => {
      session.dispose();
      // The server closes later, so that the page can receive the final state.
      setTimeout(() => opened.dispose(), closeDelayMs).unref();
    };
    return { session, dispose };
  } catch (error) {
    session.dispose();
    throw error;
  }
}

/** Creates the options of the page server. Exported for tests. */
export function createRecordingPage(
  session: DictationSession,
  assets: LoopbackOptions['assets'],
): Omit<LoopbackOptions, 'clock' | 'id'> {
  const labels = dictationLabels();
  const { language } = vscode.env;
  return {
    html: renderPageHtml({ title: labels.title, language, name: 'dictation', texts: labels }),
    assets,
    calls: dictationCalls,
    respond: (call) => session.respond(call),
    permissions: 'camera=(), microphone=(self), geolocation=()',
  };
}
