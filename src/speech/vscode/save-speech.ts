import * as vscode from 'vscode';
import { getActionLabel } from '../../account/vscode/failure-actions.ts';
import { reportAndShowFailure, withCountdown } from '../../account/vscode/show-failure.ts';
import { toSpeakableText, splitSpeechText } from '../speakable-text.ts';
import { computeSpeechCost } from '../speech-model.ts';
import { toServiceError } from '../../service/http/network-failure.ts';
import {
  maxSpeechInputLength,
  readSpeech,
  type SpeechFormat,
  speechFormats,
} from '../../service/speech.ts';
import type { Host } from '../../host.ts';
import { formatDiskError } from '../../platform/disk-error.ts';
import {
  showCancellable,
  showError,
  showInformation,
  showWithActions,
} from '../../platform/notifications.ts';
import { joinAudioFiles } from './wav.ts';
import { confirmSpeechCost, getNoSpeechModelMessage } from './read-aloud.ts';
import { confirmSpeech, type SpokenText } from './speech-consent.ts';
import { getSelectedVoice, type SelectedVoice } from './voice-settings.ts';

/** Converts Markdown to speech and saves the audio in a file that the user selects. */
export async function saveSpeech(host: Host, spokenText: SpokenText): Promise<void> {
  if (host.models.models.length === 0) await host.models.refresh();
  const voice = getSelectedVoice(host.models);
  if (voice === undefined) return void showInformation(getNoSpeechModelMessage());
  const text = toSpeakableText(spokenText.markdown, { codeBlock: `${vscode.l10n.t('Code')}.` });
  if (text === '') return void showInformation(vscode.l10n.t('There is nothing to read aloud.'));
  if (!(await confirmSpeech(spokenText, voice))) return;
  const parts = splitSpeechText(text, maxSpeechInputLength);
  const target = await promptForSpeechFile(voice, parts.length);
  if (target === undefined || !(await confirmSpeechCost(voice, text))) return;
  await synthesizeToFile(host, { voice, parts, ...target });
}

interface SpeechFileTarget {
  readonly uri: vscode.Uri;
  readonly format: SpeechFormat;
}

async function promptForSpeechFile(
  voice: SelectedVoice,
  partCount: number,
): Promise<SpeechFileTarget | undefined> {
  const formats = listFormats(voice, partCount);
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const name = `speech.${fileExtensionByFormat[formats[0] ?? 'wav']}`;
  const uri = await vscode.window.showSaveDialog({
    title: vscode.l10n.t('Save As…'),
    defaultUri: folder === undefined ? vscode.Uri.file(name) : vscode.Uri.joinPath(folder, name),
    filters: Object.fromEntries(
      formats.map((format) => [labelByFormat[format], [fileExtensionByFormat[format]]]),
    ),
  });
  if (uri === undefined) return undefined;
  const extension = /\.(?<ending>\w+)$/u.exec(uri.path)?.groups?.['ending']?.toLowerCase();
  const format =
    formats.find((candidate) => fileExtensionByFormat[candidate] === extension) ??
    formats[0] ??
    'wav';
  return { uri, format };
}

/**
 * Returns the common file formats that the model supports, its default format first. Omits FLAC if there are several
 * parts, because FLAC files cannot be concatenated.
 */
function listFormats({ model }: SelectedVoice, partCount: number): readonly SpeechFormat[] {
  const joinableFormats = speechFormats.filter(
    (format) => format !== 'pcm' && (format !== 'flac' || partCount === 1),
  );
  const modelFormats = model.speech?.formats ?? [];
  const supportedFormats =
    modelFormats.length === 0
      ? joinableFormats
      : joinableFormats.filter((format) => modelFormats.includes(format));
  const defaultFormat = supportedFormats.find((format) => format === model.speech?.defaultFormat);
  const formats = supportedFormats.length === 0 ? (['wav'] as const) : supportedFormats;
  return defaultFormat === undefined
    ? formats
    : [defaultFormat, ...formats.filter((format) => format !== defaultFormat)];
}

interface SaveOptions extends SpeechFileTarget {
  readonly voice: SelectedVoice;
  readonly parts: readonly string[];
}

/**
 * Requests the audio of all parts, and writes it to one file.
 * @param audioFiles audio of the first parts from an earlier attempt, which is not requested again
 */
async function synthesizeToFile(
  host: Host,
  options: SaveOptions,
  audioFiles: Uint8Array[] = [],
): Promise<void> {
  const { account, service, log } = host;
  const { voice, parts, uri, format } = options;
  const { profile } = account;
  const { model, speed } = voice;
  const title = `${vscode.l10n.t('Reading aloud')}: ${vscode.workspace.asRelativePath(uri)}`;
  try {
    await showCancellable(title, async (signal, report) => {
      for (const [index, input] of parts.entries()) {
        if (index < audioFiles.length) continue;
        const message =
          parts.length > 1 ? vscode.l10n.t('{0} of {1}', index + 1, parts.length) : '';
        if (message !== '') report(message);
        const context = withCountdown(service, { setMessage: report, signal, message });
        const voiceField = voice.voice === undefined ? {} : { voice: voice.voice };
        const request = { model: model.id, input, format, speed, ...voiceField };
        const price = computeSpeechCost(model, input.length);
        audioFiles.push(await readSpeech(context, request, { signal, price }));
      }
    });
  } catch (error) {
    const { failure } = toServiceError(error);
    void reportAndShowFailure(
      { account, profile, failure },
      {
        retry: () => synthesizeToFile(host, options, audioFiles),
        chooseModel: () => vscode.commands.executeCommand('inferenceService.selectVoice'),
      },
    );
    return;
  }
  await writeSpeech(log, joinAudioFiles(audioFiles, format), { uri, format });
}

/**
 * Writes speech to a file. If writing fails, keeps the speech in memory until a retry succeeds or the user closes the
 * notification.
 */
export async function writeSpeech(
  log: Pick<Host['log'], 'error'>,
  audio: Uint8Array,
  { uri, format }: SpeechFileTarget,
): Promise<void> {
  try {
    await vscode.workspace.fs.writeFile(uri, audio);
  } catch (error) {
    log.error('Could not write a speech file', error);
    const retryAction = {
      label: getActionLabel('retry'),
      run: () => writeSpeech(log, audio, { uri, format }),
    };
    const saveAsAction = {
      label: vscode.l10n.t('Save As…'),
      run: async () => {
        const filters = { [labelByFormat[format]]: [fileExtensionByFormat[format]] };
        const chosenUri = await vscode.window.showSaveDialog({ defaultUri: uri, filters });
        await writeSpeech(log, audio, { uri: chosenUri ?? uri, format });
      },
    };
    return void showWithActions(showError, formatDiskError(error), [retryAction, saveAsAction]);
  }
  void showInformation(vscode.l10n.t('Saved as {0}.', vscode.workspace.asRelativePath(uri)));
}

const fileExtensionByFormat: Readonly<Record<SpeechFormat, string>> = {
  mp3: 'mp3',
  opus: 'ogg',
  aac: 'aac',
  flac: 'flac',
  wav: 'wav',
  pcm: 'pcm',
};

const labelByFormat: Readonly<Record<SpeechFormat, string>> = {
  mp3: 'MP3',
  opus: 'Opus',
  aac: 'AAC',
  flac: 'FLAC',
  wav: 'WAV',
  pcm: 'PCM',
};
