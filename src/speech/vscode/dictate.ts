import * as vscode from 'vscode';
import { dictationRate } from '../dictation-protocol.ts';
import { networkFailure } from '../../service/http/network-failure.ts';
import type { Dictated } from './dictation-session.ts';
import { openRecordingPage, type RecordingPage } from './dictation-page.ts';
import { PageError } from '../../platform/pages/open-page.ts';
import { showCancellable, showWarning } from '../../platform/notifications.ts';
import { mayBeHeard } from './speech-consent.ts';
import { wavHeader } from './wav.ts';
import { canListen, transcribeFile, transcribeRecording } from './transcribe.ts';
import type { VoiceParts } from './voice-target.ts';

let current: RecordingPage | undefined;

/**
 * Records what the person says, on a page of ours in their browser since the editor gives no page the microphone, and
 * writes it into the composer. Nothing is sent to the model. One at a time: another one ends the one before.
 */
export async function dictate(parts: VoiceParts): Promise<void> {
  if (!(await canListen(parts.host))) return;
  if (vscode.env.uiKind === vscode.UIKind.Web && vscode.env.remoteName === undefined) {
    return offerFile(
      parts,
      vscode.l10n.t('This editor has no machine behind it, so it cannot open a page that records.'),
    );
  }
  if (!(await mayBeHeard(parts))) return;
  current?.session.stop();
  const page = await open(parts);
  if (page === undefined) return;
  current = page;
  try {
    await showCancellable(vscode.l10n.t('Dictating'), (signal, report) =>
      record(parts, page, { signal, report }),
    );
  } finally {
    if (current === page) current = undefined;
  }
}

async function open(parts: VoiceParts): Promise<RecordingPage | undefined> {
  try {
    return await openRecordingPage(parts.host);
  } catch (error) {
    if (!(error instanceof PageError)) throw error;
    if (error.code === 'unavailable') await offerFile(parts, error.message);
    return undefined;
  }
}

interface Running {
  readonly signal: AbortSignal;
  readonly report: (message: string) => void;
}

async function record(
  parts: VoiceParts,
  page: RecordingPage,
  { signal, report }: Running,
): Promise<void> {
  const { session } = page;
  signal.addEventListener('abort', () => session.stop());
  report(vscode.l10n.t('Speak in your browser, then press Stop there.'));
  try {
    const dictated = await session.ended;
    if (dictated.kind !== 'recorded') return endWithout(parts, session, dictated);
    session.show('working', '');
    report(vscode.l10n.t('Writing down what you said'));
    const text = await transcribeRecording(parts.host, recordingOf(dictated.pcm), signal);
    const view = await parts.shown();
    if (text === '') view.notice(vscode.l10n.t('Nothing was said.'));
    else view.type(text);
    session.show('done', text === '' ? vscode.l10n.t('Nothing was said.') : '');
    view.focusComposer();
  } catch (error) {
    const { failure } = networkFailure(error);
    session.show('failed', failure.message);
    if (failure.code !== 'stopped') void showWarning(failure.message);
  } finally {
    // The page has a moment to hear how it ended.
    setTimeout(() => page.dispose(), farewellMs).unref();
  }
}

const farewellMs = 2_000;

function endWithout(
  parts: VoiceParts,
  session: RecordingPage['session'],
  { kind }: Dictated,
): void {
  session.show('failed', vscode.l10n.t('The recording was ended. You can close this tab.'));
  if (kind !== 'denied' && kind !== 'no-microphone') return;
  const why =
    kind === 'denied'
      ? vscode.l10n.t('The browser does not let the page use the microphone.')
      : vscode.l10n.t('The browser found no microphone.');
  void offerFile(parts, why);
}

function recordingOf(pcm: Uint8Array) {
  const header = wavHeader({ rate: dictationRate, channels: 1, dataBytes: pcm.length });
  const audio = Buffer.concat([header, pcm]);
  return { audio, kind: 'wav', seconds: pcm.length / 2 / dictationRate } as const;
}

/** Where nothing can be recorded, a recording that is there can be written down. */
async function offerFile(parts: VoiceParts, why: string): Promise<void> {
  const choose = vscode.l10n.t('Transcribe an audio file…');
  if ((await showWarning(why, choose)) === choose) await transcribeFile(parts);
}
