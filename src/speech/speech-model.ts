import { defined, isRecord } from '../base/json.ts';
import { compareModels, findByIdOrTrait } from '../models/model-selection.ts';
import type { Cost } from '../service/chat/chat-types.ts';
import { readPrice } from '../service/model-reading.ts';
import type { Model, Price } from '../service/model-types.ts';
import { type SpeechFormat, speechFormats } from '../service/speech.ts';
import type { AudioKind } from '../service/transcription.ts';

/** Models that speak, best first. */
export const speechModels = (models: readonly Model[]): readonly Model[] =>
  modelsOfType(models, 'tts');

/** Models that write down what is said, best first. */
export const transcriptionModels = (models: readonly Model[]): readonly Model[] =>
  modelsOfType(models, 'asr');

/** The one that `wanted` names by id or trait, else the best; undefined when there is none. */
export function chooseModel(models: readonly Model[], requested: string): Model | undefined {
  const usable = models.filter(({ offline }) => !offline);
  return (requested === '' ? undefined : findByIdOrTrait(usable, requested)) ?? usable[0];
}

/** The voice that `wanted` names when the model has it, else the model's own; undefined leaves it to the service. */
export function chooseVoice({ speech }: Model, requested: string): string | undefined {
  if (requested !== '' && speech?.voices.includes(requested)) return requested;
  return speech?.defaultVoice ?? speech?.voices[0];
}

/**
 * The first of `wanted` that the model can make; of a model that says nothing about formats, the first of all.
 * @param preferred Best first; never empty.
 */
export function chooseFormat(
  { speech }: Model,
  preferred: readonly [SpeechFormat, ...SpeechFormat[]],
): SpeechFormat {
  const offered = speech?.formats ?? [];
  const supported = preferred.find((format) => offered.includes(format));
  return supported ?? speechFormats.find((format) => offered.includes(format)) ?? preferred[0];
}

/** What so many characters cost to read aloud; undefined when the service names no price. */
export const speechCost = ({ pricing }: Model, characters: number): Cost | undefined =>
  multiplyPrice(pricing.input, characters / 1_000_000);

/** What so many seconds cost to write down; undefined when the service names no price. */
export const transcriptionCost = ({ rawPricing }: Model, seconds: number): Cost | undefined =>
  multiplyPrice(
    isRecord(rawPricing) ? readPrice(rawPricing['per_audio_second']) : undefined,
    Math.max(0, seconds),
  );

/** How many seconds a file of so many bytes can hold, where it does not say: those of voices at the lowest usual rate. */
export const maxRecordingSeconds = (bytes: number, kind: AudioKind): number =>
  bytes / (minBytesPerSecondByKind[kind] ?? minBytesPerSecond);

/** In bytes a second. */
const minBytesPerSecond = 1_000;
const minBytesPerSecondByKind: Readonly<Partial<Record<AudioKind, number>>> = {
  wav: 8_000,
  flac: 4_000,
};

function multiplyPrice(price: Price | undefined, count: number): Cost | undefined {
  if (price === undefined) return undefined;
  const { usd, diem } = price;
  return defined({
    usd: usd === undefined ? undefined : usd * count,
    diem: diem === undefined ? undefined : diem * count,
  });
}

const modelsOfType = (models: readonly Model[], modelType: string): readonly Model[] =>
  models.filter(({ type }) => type === modelType).toSorted(compareModels);

/** What the id of a voice says about it. */
export interface VoiceName {
  /** As people read it. */
  readonly name: string;
  /** Of the language and of who speaks it, where the id says so. Language: BCP 47. */
  readonly speaker?: { readonly language: string; readonly isFemale: boolean };
}

/**
 * `bf_emma` is Emma, a woman who speaks British English (service facts §4.1); `storm-teller` is Storm Teller. An id that
 * looks like no name stays as it is.
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
