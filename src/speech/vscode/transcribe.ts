import * as vscode from 'vscode';
import { reportAndShowFailure, withCountdown } from '../../account/vscode/show-failure.ts';
import { stripHiddenCharacters } from '../../base/hidden-characters.ts';
import type { Host } from '../../host.ts';
import { formatDiskError } from '../../platform/disk-error.ts';
import {
  escapeIcons,
  showCancellable,
  showError,
  showInformation,
} from '../../platform/notifications.ts';
import { ServiceError } from '../../service/http/failure.ts';
import { toServiceError } from '../../service/http/network-failure.ts';
import {
  type AudioKind,
  maxAudioBytes,
  audioKinds,
  transcribeAudio,
  type TranscriptionRequest,
} from '../../service/transcription.ts';
import {
  chooseModel,
  computeTranscriptionCost,
  listTranscriptionModels,
  estimateMaxRecordingSeconds,
} from '../speech-model.ts';
import { confirmTranscription } from './speech-consent.ts';
import type { VoiceContext } from './voice-context.ts';
import { confirmSendFile } from '../../workspace/vscode/send-consent.ts';
import { stripEllipsis } from '../../base/amounts.ts';

/** Recording to transcribe. */
export interface Recording extends Pick<TranscriptionRequest, 'audio' | 'kind'> {
  /** Duration in seconds. Absent if unknown. */
  readonly durationSeconds?: number;
}

/** Maximum length of a transcript in UTF-16 code units. */
const maxTextLength = 200_000;

interface TranscribeOptions {
  readonly signal: AbortSignal;
  /** Sets the message of the progress notification. */
  readonly showMessage: (message: string) => void;
  /** Id of the requested model. Default: the best transcription model. */
  readonly modelId?: string | undefined;
}

/**
 * Transcribes a recording. Removes hidden characters from the transcript. Returns an empty string if the recording
 * contains no speech.
 * @throws ServiceError if the transcription fails
 */
export async function transcribeRecording(
  { service, models }: Pick<Host, 'service' | 'models'>,
  { audio, kind, durationSeconds }: Recording,
  { signal, showMessage, modelId = '' }: TranscribeOptions,
): Promise<string> {
  const model = chooseModel(listTranscriptionModels(models.models), modelId);
  if (model === undefined) throw createNoTranscriptionModelError();
  const getPrice = (length: number) => computeTranscriptionCost(model, length);
  const price = getPrice(durationSeconds ?? estimateMaxRecordingSeconds(audio.length, kind));
  const request = { model: model.id, audio, kind };
  const context = withCountdown(service, { setMessage: showMessage, signal });
  const { text } = await transcribeAudio(context, request, { signal, price, getPrice });
  return stripHiddenCharacters(text).text.trim().slice(0, maxTextLength);
}

const createNoTranscriptionModelError = (): ServiceError =>
  new ServiceError({
    code: 'model-not-found',
    message: vscode.l10n.t('This service has no transcription model.'),
  });

/** Prompts for an audio file, and inserts its transcript into the composer without sending it to the chat model. */
export async function transcribeFile({ host, openChat }: VoiceContext): Promise<void> {
  if (!(await ensureTranscriptionModel(host)) || !(await confirmTranscription({ host, openChat })))
    return;
  const recording = await promptForRecording();
  if (recording !== undefined) await transcribeToComposer({ host, openChat }, recording);
}

async function transcribeToComposer(
  { host, openChat }: VoiceContext,
  recording: Recording,
  modelId?: string,
): Promise<void> {
  const { account } = host;
  const { profile } = account;
  const title = vscode.l10n.t('Transcribing…');
  try {
    const text = await showCancellable(title, (signal, report) =>
      transcribeRecording(host, recording, { signal, showMessage: report, modelId }),
    );
    const chat = await openChat();
    if (text === '') chat.showNotice(vscode.l10n.t('No speech was found in the recording.'));
    else chat.insertIntoComposer(text);
    chat.focusComposer();
  } catch (error) {
    const { failure } = toServiceError(error);
    void reportAndShowFailure(
      { account, profile, failure },
      {
        retry: () => transcribeToComposer({ host, openChat }, recording, modelId),
        chooseModel: async () => {
          const otherId = await pickTranscriptionModel(host.models);
          if (otherId !== undefined) {
            await transcribeToComposer({ host, openChat }, recording, otherId);
          }
        },
      },
    );
  }
}

/** Prompts the user to select a transcription model. Returns its id, or `undefined` if the user cancels. */
export async function pickTranscriptionModel({
  models,
}: Pick<Host['models'], 'models'>): Promise<string | undefined> {
  const items = listTranscriptionModels(models)
    .filter(({ offline }) => !offline)
    .map(({ id, name }) => ({ label: escapeIcons(name), description: id, id }));
  const title = vscode.l10n.t('Choose another model');
  return (await vscode.window.showQuickPick(items, { title }))?.id;
}

/** Checks whether the service has a transcription model. If it has none, notifies the user. */
export async function ensureTranscriptionModel({ models }: Host): Promise<boolean> {
  if (models.models.length === 0) await models.refresh();
  const hasModel = chooseModel(listTranscriptionModels(models.models), '') !== undefined;
  if (!hasModel) {
    void showInformation(vscode.l10n.t('This service has no transcription model.'));
  }
  return hasModel;
}

async function promptForRecording(): Promise<Recording | undefined> {
  const [uri] =
    (await vscode.window.showOpenDialog({
      title: stripEllipsis(vscode.l10n.t('Transcribe an Audio File…')),
      openLabel: vscode.l10n.t('Transcribe'),
      filters: { [vscode.l10n.t('Audio')]: [...audioKinds] },
    })) ?? [];
  if (uri === undefined) return undefined;
  const extension = /\.(?<ending>\w+)$/u.exec(uri.path)?.groups?.['ending']?.toLowerCase() ?? '';
  const kind = audioKinds.find((audioKind) => audioKind === extension);
  if (kind === undefined) {
    void showError(
      vscode.l10n.t('The service takes these kinds of audio: {0}.', formatAudioKinds()),
    );
    return undefined;
  }
  return (await confirmSendRecording(uri)) ? readRecording(uri, kind) : undefined;
}

async function confirmSendRecording(uri: vscode.Uri): Promise<boolean> {
  const { isTrusted, getWorkspaceFolder, asRelativePath } = vscode.workspace;
  if (isTrusted || getWorkspaceFolder(uri) === undefined)
    return confirmSendFile(uri, asRelativePath(uri));
  void showInformation(
    vscode.l10n.t('Nothing of this folder is sent until you trust the workspace.'),
  );
  return false;
}

async function readRecording(uri: vscode.Uri, kind: AudioKind): Promise<Recording | undefined> {
  try {
    const { size } = await vscode.workspace.fs.stat(uri);
    // A file above the size limit is not read.
    if (size <= maxAudioBytes) return { audio: await vscode.workspace.fs.readFile(uri), kind };
    void showError(
      vscode.l10n.t(
        'The recording is larger than the 25 MB that the service takes. Use a shorter one.',
      ),
    );
  } catch (error) {
    void showError(formatDiskError(error));
  }
  return undefined;
}

const formatAudioKinds = (): string => audioKinds.join(', ');
