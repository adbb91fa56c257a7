import { omitUndefined, isRecord } from '../base/json.ts';
import { compareModels, findByIdOrTrait } from '../models/model-selection.ts';
import type { Cost } from '../service/chat/chat-types.ts';
import { readPrice } from '../service/read-model.ts';
import type { Model, Price } from '../service/model-types.ts';
import { type SpeechFormat, speechFormats } from '../service/speech.ts';
import type { AudioKind } from '../service/transcription.ts';

/** Returns the text-to-speech models, best first. */
export const speechModels = (models: readonly Model[]): readonly Model[] =>
  modelsOfType(models, 'tts');

/** Returns the transcription models, best first. */
export const transcriptionModels = (models: readonly Model[]): readonly Model[] =>
  modelsOfType(models, 'asr');

/**
 * Returns the model that `requested` names by id or trait, else the best. Undefined if no model
 * fits.
 */
export function chooseModel(models: readonly Model[], requested: string): Model | undefined {
  const onlineModels = models.filter(({ offline }) => !offline);
  return (
    (requested === '' ? undefined : findByIdOrTrait(onlineModels, requested)) ?? onlineModels[0]
  );
}

/**
 * Returns the requested voice if the model has it, else the model's default. Undefined leaves the
 * choice to the service.
 */
export function chooseVoice({ speech }: Model, requested: string): string | undefined {
  if (requested !== '' && speech?.voices.includes(requested)) return requested;
  return speech?.defaultVoice ?? speech?.voices[0];
}

/**
 * Returns the first of `preferred` that the model supports. For a model without format information,
 * returns the first.
 * @param preferred Best first; never empty.
 */
export function chooseFormat(
  { speech }: Model,
  preferred: readonly [SpeechFormat, ...SpeechFormat[]],
): SpeechFormat {
  const supportedFormats = speech?.formats ?? [];
  const supported = preferred.find((format) => supportedFormats.includes(format));
  return (
    supported ?? speechFormats.find((format) => supportedFormats.includes(format)) ?? preferred[0]
  );
}

/**
 * Returns the cost of speech for a number of characters. Undefined if the service reports no price.
 */
export const speechCost = ({ pricing }: Model, characters: number): Cost | undefined =>
  multiplyPrice(pricing.input, characters / 1_000_000);

/**
 * Returns the cost to transcribe a number of seconds. Undefined if the service reports no price.
 */
export const transcriptionCost = ({ rawPricing }: Model, seconds: number): Cost | undefined =>
  multiplyPrice(
    isRecord(rawPricing) ? readPrice(rawPricing['per_audio_second']) : undefined,
    Math.max(0, seconds),
  );

/**
 * Returns the longest possible duration of a file without length information, in seconds, at the
 * lowest common bit rate for voices.
 */
export const maxRecordingSeconds = (bytes: number, kind: AudioKind): number =>
  bytes / (minBytesPerSecondByKind[kind] ?? minBytesPerSecond);

/** Default minimum bit rate, in bytes per second. */
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

const modelsOfType = (models: readonly Model[], modelType: string): readonly Model[] =>
  models.filter(({ type }) => type === modelType).toSorted(compareModels);

/** Data derived from a voice id. */
export interface VoiceName {
  /** Display name. */
  readonly name: string;
  /** Language (BCP 47) and gender of the speaker, if the id contains them. */
  readonly speaker?: { readonly language: string; readonly isFemale: boolean };
}

/**
 * Derives a display name from a voice id. `bf_emma` is Emma, a female speaker of British English
 * (service facts §4.1); `storm-teller` is Storm Teller. Returns other ids unchanged.
 */
export function parseVoiceName(id: string): VoiceName {
  const parts = /^(?<from>[a-z])(?<gender>[fm])_(?<name>[a-z]+)$/u.exec(id)?.groups;
  const language = languages.get(parts?.['from'] ?? '');
  if (parts === undefined || language === undefined) return { name: toDisplayName(id) };
  return {
    name: toDisplayName(parts['name'] ?? ''),
    speaker: { language, isFemale: parts['gender'] === 'f' },
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
    ? id.replaceAll(/(?:^|[_-])[a-z]/gu, (start) => start.replace(/[_-]/u, ' ').toUpperCase())
    : id;
