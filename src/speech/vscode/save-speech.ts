import * as vscode from 'vscode';
import { speakableText, splitSpeech } from '../speakable-text.ts';
import { speechCost } from '../speech-model.ts';
import { toServiceError } from '../../service/http/network-failure.ts';
import {
  maxSpeechInputLength,
  readSpeech,
  type SpeechFormat,
  speechFormats,
} from '../../service/speech.ts';
import type { Host } from '../../host.ts';
import { formatDiskError } from '../../platform/disk-error.ts';
import { showCancellable, showError, showInformation } from '../../platform/notifications.ts';
import { joinAudioFiles } from './wav.ts';
import { confirmSpeechCost, noSpeechModelText } from './read-aloud.ts';
import { confirmSpeech, type SpokenText } from './speech-consent.ts';
import { getSelectedVoice, type SelectedVoice } from './voice-settings.ts';

/** Converts Markdown to speech and saves the audio in a file that the user selects. */
export async function saveSpeech(host: Host, spoken: SpokenText): Promise<void> {
  if (host.models.models.length === 0) await host.models.refresh();
  const voice = getSelectedVoice(host.models);
  if (voice === undefined) return void showInformation(noSpeechModelText());
  const text = speakableText(spoken.markdown, { codeBlock: vscode.l10n.t('Code block.') });
  if (text === '') return void showInformation(vscode.l10n.t('There is nothing to read aloud.'));
  if (!(await confirmSpeech(spoken, voice))) return;
  const parts = splitSpeech(text, maxSpeechInputLength);
  const target = await promptTarget(voice, parts.length);
  if (target === undefined || !(await confirmSpeechCost(voice, text))) return;
  await synthesizeToFile(host, { voice, parts, ...target });
}

interface Target {
  readonly uri: vscode.Uri;
  readonly format: SpeechFormat;
}

async function promptTarget(voice: SelectedVoice, parts: number): Promise<Target | undefined> {
  const formats = listFormats(voice, parts);
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const name = `speech.${extensions[formats[0] ?? 'wav']}`;
  const uri = await vscode.window.showSaveDialog({
    title: vscode.l10n.t('Save speech'),
    defaultUri: folder === undefined ? vscode.Uri.file(name) : vscode.Uri.joinPath(folder, name),
    filters: Object.fromEntries(formats.map((format) => [labels[format], [extensions[format]]])),
  });
  if (uri === undefined) return undefined;
  const extension = /\.(?<ending>\w+)$/u.exec(uri.path)?.groups?.['ending']?.toLowerCase();
  const format =
    formats.find((candidate) => extensions[candidate] === extension) ?? formats[0] ?? 'wav';
  return { uri, format };
}

/**
 * Lists the common file formats that the model supports, its default format first. Excludes FLAC for several parts,
 * because FLAC files cannot be concatenated.
 */
function listFormats({ model }: SelectedVoice, parts: number): readonly SpeechFormat[] {
  const joinableFormats = speechFormats.filter(
    (format) => format !== 'pcm' && (format !== 'flac' || parts === 1),
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

interface SaveOptions extends Target {
  readonly voice: SelectedVoice;
  readonly parts: readonly string[];
}

async function synthesizeToFile(
  { service, log }: Host,
  { voice, parts, uri, format }: SaveOptions,
): Promise<void> {
  const { model, speed } = voice;
  const title = vscode.l10n.t('Reading into {0}', vscode.workspace.asRelativePath(uri));
  const files: Uint8Array[] = [];
  try {
    await showCancellable(title, async (signal, report) => {
      for (const [index, input] of parts.entries()) {
        if (parts.length > 1) report(vscode.l10n.t('Part {0} of {1}', index + 1, parts.length));
        const voiceField = voice.voice === undefined ? {} : { voice: voice.voice };
        const request = { model: model.id, input, format, speed, ...voiceField };
        const price = speechCost(model, input.length);
        files.push(await readSpeech(service, request, { signal, price }));
      }
    });
  } catch (error) {
    const { failure } = toServiceError(error);
    if (failure.code !== 'stopped') void showError(failure.message);
    return;
  }
  try {
    await vscode.workspace.fs.writeFile(uri, joinAudioFiles(files, format));
  } catch (error) {
    log.error('Could not write a speech file', error);
    return void showError(formatDiskError(error));
  }
  void showInformation(vscode.l10n.t('Saved as {0}.', vscode.workspace.asRelativePath(uri)));
}

const extensions: Readonly<Record<SpeechFormat, string>> = {
  mp3: 'mp3',
  opus: 'ogg',
  aac: 'aac',
  flac: 'flac',
  wav: 'wav',
  pcm: 'pcm',
};

const labels: Readonly<Record<SpeechFormat, string>> = {
  mp3: 'MP3',
  opus: 'Opus',
  aac: 'AAC',
  flac: 'FLAC',
  wav: 'WAV',
  pcm: 'PCM',
};
