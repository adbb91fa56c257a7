import { omitUndefined, isRecord } from '../base/json.ts';
import { compareModels, findModelByIdOrTrait } from '../models/model-selection.ts';
import type { Cost } from '../service/chat/chat-types.ts';
import { readPrice } from '../service/read-model.ts';
import type { Model, Price } from '../service/model-types.ts';
import { type SpeechFormat, speechFormats } from '../service/speech.ts';
import type { AudioKind } from '../service/transcription.ts';

/** Returns the text-to-speech models, best first. */
export const listSpeechModels = (models: readonly Model[]): readonly Model[] =>
  listModelsOfType(models, 'tts');

/** Returns the transcription models, best first. */
export const listTranscriptionModels = (models: readonly Model[]): readonly Model[] =>
  listModelsOfType(models, 'asr');

/**
 * Returns the online model with the requested id or trait (such as `default`), otherwise the best online model. Returns
 * undefined if no model is online.
 */
export function chooseModel(models: readonly Model[], requestedModel: string): Model | undefined {
  const onlineModels = models.filter(({ offline }) => !offline);
  return (
    (requestedModel === '' ? undefined : findModelByIdOrTrait(onlineModels, requestedModel)) ??
    onlineModels[0]
  );
}

/**
 * Returns the requested voice if the model has it, otherwise the model's default voice, otherwise its first voice.
 * Returns undefined if the model's voices are unknown: the service then selects the voice.
 */
export function chooseVoice({ speech }: Model, requestedVoice: string): string | undefined {
  if (requestedVoice !== '' && speech?.voices.includes(requestedVoice)) return requestedVoice;
  return speech?.defaultVoice ?? speech?.voices[0];
}

/**
 * Returns the first preferred format that the model supports, otherwise any format that it supports. If the model's
 * formats are unknown, returns the first preferred format.
 * @param preferredFormats formats, best first
 */
export function chooseFormat(
  { speech }: Model,
  preferredFormats: readonly [SpeechFormat, ...SpeechFormat[]],
): SpeechFormat {
  const supportedFormats = speech?.formats ?? [];
  const matchingFormat = preferredFormats.find((format) => supportedFormats.includes(format));
  return (
    matchingFormat ??
    speechFormats.find((format) => supportedFormats.includes(format)) ??
    preferredFormats[0]
  );
}

/**
 * Returns the cost of converting a text to speech.
 * @param characterCount length of the text
 * @returns undefined if the service reports no price
 */
export const computeSpeechCost = ({ pricing }: Model, characterCount: number): Cost | undefined =>
  multiplyPrice(pricing.input, characterCount / 1_000_000);

/**
 * Returns the cost of transcribing a recording.
 * @param seconds duration of the recording
 * @returns undefined if the service reports no price
 */
export const computeTranscriptionCost = (
  { rawPricing }: Model,
  seconds: number,
): Cost | undefined =>
  multiplyPrice(
    isRecord(rawPricing) ? readPrice(rawPricing['per_audio_second']) : undefined,
    Math.max(0, seconds),
  );

/**
 * Returns the longest possible duration, in seconds, of an audio file with the given size. Assumes the lowest bit rate
 * that is common for speech in this kind of file.
 */
export const estimateMaxRecordingSeconds = (byteCount: number, kind: AudioKind): number =>
  byteCount / (minBytesPerSecondByKind[kind] ?? minBytesPerSecond);

/**
 * Assumed lowest bit rate, in bytes per second, of the kinds of audio that `minBytesPerSecondByKind` does not contain.
 */
const minBytesPerSecond = 1_000;
const minBytesPerSecondByKind: Readonly<Partial<Record<AudioKind, number>>> = {
  wav: 8_000,
  flac: 4_000,
};

function multiplyPrice(price: Price | undefined, count: number): Cost | undefined {
  if (price === undefined) return undefined;
  const { usd, diem } = price;
  return omitUndefined({
    usd: usd === undefined ? undefined : usd * count,
    diem: diem === undefined ? undefined : diem * count,
  });
}

const listModelsOfType = (models: readonly Model[], modelType: string): readonly Model[] =>
  models.filter(({ type }) => type === modelType).toSorted(compareModels);

/** Display name of a voice, and description of its speaker. Both are derived from the voice id. */
export interface VoiceName {
  /** Display name of the voice. */
  readonly name: string;
  /** Language (BCP 47) and gender of the speaker. Absent if the voice id does not contain them. */
  readonly speaker?: { readonly language: string; readonly isFemale: boolean };
}

/**
 * Derives a display name from a voice id. `bf_emma` becomes Emma, a female speaker of British English, and
 * `storm-teller` becomes Storm Teller. An id in another format is used as the name without changes.
 */
export function parseVoiceName(id: string): VoiceName {
  const idParts = /^(?<from>[a-z])(?<gender>[fm])_(?<name>[a-z]+)$/u.exec(id)?.groups;
  const language = languages.get(idParts?.['from'] ?? '');
  if (idParts === undefined || language === undefined) return { name: toDisplayName(id) };
  return {
    name: toDisplayName(idParts['name'] ?? ''),
    speaker: { language, isFemale: idParts['gender'] === 'f' },
  };
}

const languages: ReadonlyMap<string, string> = new Map([
  ['a', 'en-US'],
  ['b', 'en-GB'],
  ['e', 'es'],
  ['f', 'fr'],
  ['h', 'hi'],
  ['i', 'it'],
  ['j', 'ja'],
  ['p', 'pt-BR'],
  ['z', 'zh'],
]);

const toDisplayName = (id: string): string =>
  /^[a-z]+(?:[_-][a-z]+)*$/u.test(id)
    ? id.replaceAll(/(?:^|[_-])[a-z]/gu, (wordStart) =>
        wordStart.replace(/[_-]/u, ' ').toUpperCase(),
      )
    : id;
