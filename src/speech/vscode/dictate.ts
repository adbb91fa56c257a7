import * as vscode from 'vscode';
import {
  dictationSampleRate,
  dictationCalls,
  type DictationLabels,
} from '../dictation-protocol.ts';
import { toServiceError } from '../../service/http/network-failure.ts';
import { type DictationResult, DictationSession } from './dictation-session.ts';
import {
  PageError,
  openPage,
  readPageAssets,
  renderPageHtml,
} from '../../platform/pages/open-page.ts';
import { showCancellable, showWarning } from '../../platform/notifications.ts';
import { confirmTranscription } from './speech-consent.ts';
import { createWavHeader } from './wav.ts';
import { ensureTranscriptionModel, transcribeFile, transcribeRecording } from './transcribe.ts';
import {
  confirmNewRecording,
  insertTranscript,
  offerRecordingAfterFailure,
  offerRecordingAfterInterruption,
} from './untranscribed-recording.ts';
import type { VoiceContext } from './voice-context.ts';
import { systemClock } from '../../base/clock.ts';
import type { Host } from '../../host.ts';
import type { LoopbackPageOptions } from '../../platform/pages/page-server.ts';
import { stripEllipsis } from '../../base/amounts.ts';

let currentPage: RecordingPage | undefined;

/**
 * Records speech and inserts the transcript into the composer, without sending it to the chat model. Records on a page
 * in the user's browser, because VS Code webviews must not use the microphone. Interrupts an earlier dictation that is
 * still recording, and offers to transcribe or save its audio.
 */
export async function dictateMessage(context: VoiceContext): Promise<void> {
  if (!(await ensureTranscriptionModel(context.host))) return;
  if (vscode.env.uiKind === vscode.UIKind.Web && vscode.env.remoteName === undefined) {
    return offerFileTranscription(
      context,
      vscode.l10n.t('This editor runs only in the browser. Open the folder in the desktop editor.'),
    );
  }
  if (!(await confirmNewRecording(context)) || !(await confirmTranscription(context))) return;
  currentPage?.session.interrupt();
  const page = await openPageOrOfferFile(context);
  if (page === undefined) return;
  currentPage = page;
  try {
    await showCancellable(vscode.l10n.t('Dictate into Chat'), (signal, report) =>
      recordOnPage(context, page, { signal, showMessage: report }),
    );
  } finally {
    if (currentPage === page) currentPage = undefined;
  }
}

async function openPageOrOfferFile(context: VoiceContext): Promise<RecordingPage | undefined> {
  try {
    return await openRecordingPage(context.host);
  } catch (error) {
    if (!(error instanceof PageError)) throw error;
    if (error.code === 'unavailable') await offerFileTranscription(context, error.message);
    return undefined;
  }
}

interface ProgressOptions {
  readonly signal: AbortSignal;
  readonly showMessage: (message: string) => void;
}

async function recordOnPage(
  context: VoiceContext,
  page: RecordingPage,
  { signal, showMessage }: ProgressOptions,
): Promise<void> {
  const { session } = page;
  signal.addEventListener('abort', () => session.cancel());
  showMessage(vscode.l10n.t('Continue in your browser.'));
  try {
    const result = await session.result;
    if (result.kind === 'cut-off') {
      session.show('failed', vscode.l10n.t('You can close this tab.'));
      return void offerRecordingAfterInterruption(context, toWavRecording(result.pcm));
    }
    if (result.kind !== 'recorded') return showRecordingFailure(context, session, result);
    session.show('working', '');
    await transcribeAndInsert(context, session, { pcm: result.pcm, signal, showMessage });
  } finally {
    // Waits so that the page can receive the final state.
    setTimeout(() => page.dispose(), closeDelayMs).unref();
  }
}

const closeDelayMs = 2_000;

async function transcribeAndInsert(
  context: VoiceContext,
  session: RecordingPage['session'],
  { pcm, signal, showMessage }: ProgressOptions & { readonly pcm: Uint8Array },
): Promise<void> {
  const recording = toWavRecording(pcm);
  const { profile } = context.host.account;
  showMessage(vscode.l10n.t('Transcribing…'));
  try {
    const text = await transcribeRecording(context.host, recording, { signal, showMessage });
    session.show('done', await insertTranscript(context, recording, text));
  } catch (error) {
    const { failure } = toServiceError(error);
    session.show('failed', failure.message);
    void offerRecordingAfterFailure(context, recording, { profile, failure });
  }
}

function showRecordingFailure(
  context: VoiceContext,
  session: RecordingPage['session'],
  { kind }: DictationResult,
): void {
  session.show('failed', vscode.l10n.t('You can close this tab.'));
  if (kind !== 'denied' && kind !== 'no-microphone') return;
  const reason =
    kind === 'denied'
      ? vscode.l10n.t(
          'The browser does not let this page use the microphone. Allow it beside the address, then start again.',
        )
      : vscode.l10n.t('No microphone was found. Connect one, then start again.');
  void offerFileTranscription(context, reason);
}

function toWavRecording(pcm: Uint8Array) {
  const header = createWavHeader({ rate: dictationSampleRate, channels: 1, dataBytes: pcm.length });
  const audio = Buffer.concat([header, pcm]);
  return { audio, kind: 'wav', durationSeconds: pcm.length / 2 / dictationSampleRate } as const;
}

/** Shows the reason why recording failed, with an action that transcribes an audio file instead. */
async function offerFileTranscription(context: VoiceContext, reason: string): Promise<void> {
  const chooseLabel = stripEllipsis(vscode.l10n.t('Transcribe an Audio File…'));
  if ((await showWarning(reason, chooseLabel)) === chooseLabel) await transcribeFile(context);
}

/** Returns the texts of the recording page in VS Code's display language. */
const getDictationLabels = (): DictationLabels => ({
  title: vscode.l10n.t('Dictate into Chat'),
  explanation: vscode.l10n.t(
    'Your recording goes to the editor, which has the service transcribe it. The text appears in the chat; you send it yourself.',
  ),
  startButton: vscode.l10n.t('Record'),
  stopButton: vscode.l10n.t('Stop and transcribe'),
  cancelButton: vscode.l10n.t('Cancel'),
  soundLevel: vscode.l10n.t('Volume'),
  recordingStatus: vscode.l10n.t('Recording'),
  transcribingStatus: vscode.l10n.t('Transcribing…'),
  completedMessage: vscode.l10n.t('You can close this tab.'),
  microphoneDeniedMessage: vscode.l10n.t(
    'The browser does not let this page use the microphone. Allow it beside the address, then start again.',
  ),
  noMicrophoneMessage: vscode.l10n.t('No microphone was found. Connect one, then start again.'),
  disconnectedMessage: vscode.l10n.t('The editor no longer answers. You can close this tab.'),
});

const serverCloseDelayMs = 250;

/** Recording page in the user's browser. `dispose` closes the server of the page. */
interface RecordingPage {
  readonly session: DictationSession;
  dispose(): void;
}

/**
 * Opens a recording page in the browser. Starts a separate server for this recording.
 * @throws PageError if the page cannot be opened
 */
async function openRecordingPage({ context, log }: Host): Promise<RecordingPage> {
  const assets = await readPageAssets(context, ['dictation.js', 'recorder.js', 'dictation.css']);
  const session = new DictationSession({ clock: systemClock });
  const page = createPageServerOptions(session, assets);
  try {
    const { pairing } = session;
    const openedPage = await openPage({ page, pairing, clock: systemClock, log });
    const dispose = (): void => {
      session.dispose();
      // The server closes later, so that the page can receive the final state.
      setTimeout(() => openedPage.dispose(), serverCloseDelayMs).unref();
    };
    return { session, dispose };
  } catch (error) {
    session.dispose();
    throw error;
  }
}

/** Creates the options of the page server. Exported for tests. */
export function createPageServerOptions(
  session: DictationSession,
  assets: LoopbackPageOptions['assets'],
): Omit<LoopbackPageOptions, 'clock' | 'id'> {
  const labels = getDictationLabels();
  const { language } = vscode.env;
  return {
    html: renderPageHtml({ title: labels.title, language, name: 'dictation', texts: labels }),
    assets,
    calls: dictationCalls,
    respond: (call) => session.respond(call),
    permissions: 'camera=(), microphone=(self), geolocation=()',
  };
}
