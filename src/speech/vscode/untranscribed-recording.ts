import * as vscode from 'vscode';
import {
  type FailedCall,
  type FailureHandlers,
  reportAndShowFailure,
} from '../../account/vscode/show-failure.ts';
import type { Host } from '../../host.ts';
import { formatDiskError } from '../../platform/disk-error.ts';
import {
  type Action,
  showCancellable,
  showError,
  showInformation,
  showWarning,
  showWithActions,
} from '../../platform/notifications.ts';
import { toServiceError } from '../../service/http/network-failure.ts';
import { type Recording, pickTranscriptionModel, transcribeRecording } from './transcribe.ts';
import type { VoiceContext } from './voice-context.ts';

/** Maximum number of stored recordings. Ten minutes of speech, the maximum duration, need about 19 MB. */
const maxStoredRecordings = 5;

interface RecordingStore {
  /** Recordings that were not transcribed, oldest first. */
  readonly recordings: Set<Recording>;
  /** Recording that was offered before the current dictation, when the user chose to record again. */
  skipped: Recording | undefined;
}

/**
 * Recordings that were not transcribed, per activation of the extension: each activation creates a new host. They stay
 * in memory until they are transcribed, saved or replaced, even if the user closes the notification.
 */
const recordingStores = new WeakMap<Host, RecordingStore>();

function getStore(host: Host): RecordingStore {
  const store = recordingStores.get(host) ?? { recordings: new Set(), skipped: undefined };
  recordingStores.set(host, store);
  return store;
}

/** Stores a recording. Replaces the oldest one if there are too many. */
function storeRecording(host: Host, recording: Recording): void {
  const store = getStore(host);
  store.recordings.add(recording);
  store.skipped = undefined;
  const [oldestRecording] = store.recordings;
  if (oldestRecording !== undefined && store.recordings.size > maxStoredRecordings)
    store.recordings.delete(oldestRecording);
}

/** Stores a recording whose transcription failed. Shows the failure with the actions Retry and Save. */
export async function offerRecordingAfterFailure(
  context: VoiceContext,
  recording: Recording,
  failedCall: Pick<FailedCall, 'profile' | 'failure'>,
): Promise<void> {
  storeRecording(context.host, recording);
  await reportAndShowFailure(
    { account: context.host.account, ...failedCall },
    createRetryHandlers(context, recording),
  );
}

/** Stores a recording that ended before the user stopped it. Offers to transcribe or save the recorded part. */
export async function offerRecordingAfterInterruption(
  context: VoiceContext,
  recording: Recording,
): Promise<void> {
  storeRecording(context.host, recording);
  const transcribeAction = {
    label: vscode.l10n.t('Transcribe'),
    run: () => transcribeAgain(context, recording),
  };
  const message = vscode.l10n.t('The recording ended early. The part until then is available.');
  await showWithActions(showWarning, message, [
    transcribeAction,
    createSaveAction(context, recording),
  ]);
}

/**
 * Offers to transcribe or save the most recent stored recording, if there is one. Returns true if no recording is
 * stored, or if the user chooses to record again.
 */
export async function confirmNewRecording(context: VoiceContext): Promise<boolean> {
  const store = getStore(context.host);
  const recording = [...store.recordings].at(-1);
  if (recording === undefined) return true;
  const recordLabel = vscode.l10n.t('Record');
  const transcribeLabel = vscode.l10n.t('Transcribe');
  const saveAction = createSaveAction(context, recording);
  const message = vscode.l10n.t('The last recording was not transcribed.');
  const chosenLabel = await showWarning(message, transcribeLabel, saveAction.label, recordLabel);
  if (chosenLabel === transcribeLabel) await transcribeAgain(context, recording);
  else if (chosenLabel === saveAction.label) await saveAction.run();
  else if (chosenLabel === recordLabel) store.skipped = recording;
  return chosenLabel === recordLabel;
}

/**
 * Inserts the transcript of a recording into the composer, and returns an empty string. If the transcript is empty,
 * shows a message above the composer instead, and returns this message. Forgets the recording. If it is a
 * new one, also forgets the skipped one, which every further dictation would otherwise offer again.
 */
export async function insertTranscript(
  context: VoiceContext,
  recording: Recording,
  text: string,
): Promise<string> {
  const { recordings, skipped } = getStore(context.host);
  const isNew = !recordings.delete(recording);
  if (isNew && skipped !== undefined) recordings.delete(skipped);
  const chat = await context.openChat();
  const notice = text === '' ? vscode.l10n.t('No speech was found in the recording.') : '';
  if (text === '') chat.showNotice(notice);
  else chat.insertIntoComposer(text);
  chat.focusComposer();
  return notice;
}

async function transcribeAgain(
  context: VoiceContext,
  recording: Recording,
  modelId?: string,
): Promise<void> {
  const title = vscode.l10n.t('Transcribing…');
  const { profile } = context.host.account;
  try {
    const text = await showCancellable(title, (signal, report) =>
      transcribeRecording(context.host, recording, { signal, showMessage: report, modelId }),
    );
    await insertTranscript(context, recording, text);
  } catch (error) {
    const { failure } = toServiceError(error);
    void offerRecordingAfterFailure(context, recording, { profile, failure });
  }
}

function createRetryHandlers(context: VoiceContext, recording: Recording): FailureHandlers {
  return {
    retry: () => transcribeAgain(context, recording),
    suggestedActions: ['retry'],
    chooseModel: async () => {
      const modelId = await pickTranscriptionModel(context.host.models);
      if (modelId !== undefined) await transcribeAgain(context, recording, modelId);
    },
    furtherActions: [createSaveAction(context, recording)],
  };
}

const createSaveAction = ({ host }: VoiceContext, recording: Recording): Action => ({
  label: vscode.l10n.t('Save As…'),
  run: () => saveRecording(host, recording),
});

async function saveRecording(host: Host, recording: Recording): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const name = `dictation.${recording.kind}`;
  const uri = await vscode.window.showSaveDialog({
    title: vscode.l10n.t('Save As…'),
    defaultUri: folder === undefined ? vscode.Uri.file(name) : vscode.Uri.joinPath(folder, name),
    filters: { [vscode.l10n.t('Audio')]: [recording.kind] },
  });
  if (uri === undefined) return;
  try {
    await vscode.workspace.fs.writeFile(uri, recording.audio);
  } catch (error) {
    return void showError(formatDiskError(error));
  }
  getStore(host).recordings.delete(recording);
  void showInformation(vscode.l10n.t('Saved as {0}.', vscode.workspace.asRelativePath(uri)));
}
