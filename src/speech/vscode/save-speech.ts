import * as vscode from 'vscode';
import { speakableText, speechParts } from '../speakable-text.ts';
import { speechCost } from '../speech-model.ts';
import { networkFailure } from '../../service/http/network-failure.ts';
import {
  longestSpeechInput,
  readSpeech,
  type SpeechFormat,
  speechFormats,
} from '../../service/speech.ts';
import type { Host } from '../../host.ts';
import { diskErrorText } from '../../platform/disk-error.ts';
import { showCancellable, showError, showInformation } from '../../platform/notifications.ts';
import { joinSpeech } from './wav.ts';
import { mayCost, noVoice } from './read-aloud.ts';
import { mayBeSpoken, type SpokenText } from './speech-consent.ts';
import { chosenVoice, type Voice } from './voice-settings.ts';

/** Reads Markdown into a file that the person names. */
export async function saveSpeech(host: Host, spoken: SpokenText): Promise<void> {
  if (host.models.models.length === 0) await host.models.refresh();
  const voice = chosenVoice(host.models);
  if (voice === undefined) return void showInformation(noVoice());
  const text = speakableText(spoken.markdown, { codeBlock: vscode.l10n.t('Code block.') });
  if (text === '') return void showInformation(vscode.l10n.t('There is nothing to read aloud.'));
  if (!(await mayBeSpoken(spoken, voice))) return;
  const parts = speechParts(text, longestSpeechInput);
  const target = await askForTarget(voice, parts.length);
  if (target === undefined || !(await mayCost(voice, text))) return;
  await write(host, { voice, parts, ...target });
}

interface Target {
  readonly uri: vscode.Uri;
  readonly format: SpeechFormat;
}

async function askForTarget(voice: Voice, parts: number): Promise<Target | undefined> {
  const formats = formatsOf(voice, parts);
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const name = `speech.${endings[formats[0] ?? 'wav']}`;
  const uri = await vscode.window.showSaveDialog({
    title: vscode.l10n.t('Save speech'),
    defaultUri: folder === undefined ? vscode.Uri.file(name) : vscode.Uri.joinPath(folder, name),
    filters: Object.fromEntries(formats.map((format) => [labels[format], [endings[format]]])),
  });
  if (uri === undefined) return undefined;
  const ending = /\.(?<ending>\w+)$/u.exec(uri.path)?.groups?.['ending']?.toLowerCase();
  const format = formats.find((each) => endings[each] === ending) ?? formats[0] ?? 'wav';
  return { uri, format };
}

/** Those of the model that people can open, its own first. Files of this kind cannot be joined: `flac`. */
function formatsOf({ model }: Voice, parts: number): readonly SpeechFormat[] {
  const offered = speechFormats.filter(
    (each) => each !== 'pcm' && (each !== 'flac' || parts === 1),
  );
  const known = model.speech?.formats ?? [];
  const usable = known.length === 0 ? offered : offered.filter((each) => known.includes(each));
  const own = usable.find((each) => each === model.speech?.defaultFormat);
  const formats = usable.length === 0 ? (['wav'] as const) : usable;
  return own === undefined ? formats : [own, ...formats.filter((each) => each !== own)];
}

interface Work extends Target {
  readonly voice: Voice;
  readonly parts: readonly string[];
}

async function write({ service, log }: Host, { voice, parts, uri, format }: Work): Promise<void> {
  const { model, speed } = voice;
  const title = vscode.l10n.t('Reading into {0}', vscode.workspace.asRelativePath(uri));
  const files: Uint8Array[] = [];
  try {
    await showCancellable(title, async (signal, report) => {
      for (const [index, input] of parts.entries()) {
        if (parts.length > 1) report(vscode.l10n.t('Part {0} of {1}', index + 1, parts.length));
        const named = voice.voice === undefined ? {} : { voice: voice.voice };
        const request = { model: model.id, input, format, speed, ...named };
        const price = speechCost(model, input.length);
        files.push(await readSpeech(service, request, { signal, price }));
      }
    });
  } catch (error) {
    const { failure } = networkFailure(error);
    if (failure.code !== 'stopped') void showError(failure.message);
    return;
  }
  try {
    await vscode.workspace.fs.writeFile(uri, joinSpeech(files, format));
  } catch (error) {
    log.error('Speech could not be written', error);
    return void showError(diskErrorText(error));
  }
  void showInformation(vscode.l10n.t('Saved as {0}.', vscode.workspace.asRelativePath(uri)));
}

const endings: Readonly<Record<SpeechFormat, string>> = {
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
