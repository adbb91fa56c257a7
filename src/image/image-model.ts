import { asRecord, omitUndefined, type JsonRecord } from '../base/json.ts';
import { compareModels } from '../models/model-selection.ts';
import { readPrice } from '../service/read-model.ts';
import type { Model, Price } from '../service/model-types.ts';

/**
 * Model that generates images from a prompt, with the options that it supports (spec §4.5). Only the options of its
 * kind of sizing have an effect.
 */
export interface ImageModel {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly offline: boolean;
  /** Privacy level as named by the service, such as `private` or `anonymized`. */
  readonly privacy?: string;
  readonly traits: readonly string[];
  /** Maximum length of the prompt in characters. Also applies to the negative prompt. */
  readonly promptLimit: number;
  readonly sizing: ImageSizing;
  /** Number of steps: default and maximum. Absent if it is not configurable. */
  readonly steps?: { readonly default: number; readonly max: number };
  readonly qualities: readonly string[];
  readonly defaultQuality?: string;
  /** True if the negative prompt, guidance scale and style preset have an effect. */
  readonly takesGuidance: boolean;
  readonly takesWebSearch: boolean;
  /** Maximum number of style references. Zero if the model does not support them. */
  readonly maxStyleReferences: number;
  readonly takesStyleStrength: boolean;
  readonly prices: ImagePrices;
}

export type ImageSizing =
  | {
      readonly kind: 'pixels';
      readonly min: number;
      readonly max: number;
      /** Width and height are multiples of this number, in pixels. */
      readonly divisor: number;
      readonly defaultSize: number;
    }
  | { readonly kind: 'ratio'; readonly ratios: readonly string[]; readonly defaultRatio: string }
  | {
      readonly kind: 'tier';
      readonly ratios: readonly string[];
      readonly defaultRatio: string;
      readonly resolutions: readonly string[];
      readonly defaultResolution: string;
    };

/** Prices per image. A price is absent if it is unknown. */
export interface ImagePrices {
  readonly generation?: Price;
  readonly resolutions?: Readonly<Record<string, Price>>;
  /** Prices by resolution and quality. The resolution is `1K` for a model without resolutions. */
  readonly qualities?: Readonly<Record<string, Readonly<Record<string, Price>>>>;
  readonly upscale2?: Price;
  readonly upscale4?: Price;
}

/** Model that edits images according to an instruction. */
export interface EditModel {
  readonly id: string;
  readonly name: string;
  readonly offline: boolean;
  readonly privacy?: string;
  readonly traits: readonly string[];
  readonly promptLimit: number;
  /** Selectable aspect ratios. Empty if the output keeps the input's aspect ratio. */
  readonly ratios: readonly string[];
  readonly resolutions: readonly string[];
  /** Selectable qualities for an edit of several input images. */
  readonly qualities: readonly string[];
  /** Maximum number of input images per call; 1 if the model cannot combine images. */
  readonly maxImages: number;
  readonly price?: Price;
  readonly resolutionPrices?: Readonly<Record<string, Price>>;
  /** Prices by resolution and quality. The resolution is `1K` for a model without resolutions. */
  readonly qualityPrices?: Readonly<Record<string, Readonly<Record<string, Price>>>>;
  /** Number of input images included in the base price. Each further image costs `additionalImagePrice`. */
  readonly includedImages?: number;
  readonly additionalImagePrice?: Price;
}

/** Maximum and default length of a side in pixels, for models that are sized by pixels (spec §4.5). */
const [maxSide, defaultSide] = [1_280, 1_024];
/** Default maximum length of a prompt in characters, for models that declare none. */
const defaultPromptLimit = 7_500;
const defaultMaxImages = 3;
/** Maximum length of a model id in characters. */
const maxIdLength = 300;

/**
 * Reads an image model's options from its constraints and prices. Treats malformed values like missing values. Returns
 * `undefined` for other model types and for a too long id.
 */
export function readImageModel(model: Model): ImageModel | undefined {
  if (model.type !== 'image' || model.id.length > maxIdLength) return undefined;
  const { constraints } = model;
  const sizing = readSizing(constraints);
  // Other models may declare steps, but only models that are sized by pixels use them.
  const steps = sizing.kind === 'pixels' ? readSteps(constraints['steps']) : undefined;
  const qualities = namesOf(constraints['qualities']);
  return omitUndefined({
    ...commonFields(model),
    description: model.description,
    sizing,
    steps,
    qualities,
    defaultQuality: oneOf(qualities, constraints['defaultQuality']) ?? oneOf(qualities, 'high'),
    takesGuidance: steps !== undefined,
    takesWebSearch: model.capabilities.supportsWebSearch,
    maxStyleReferences: readCount(constraints['maxStyleReferences'], 100) ?? 0,
    takesStyleStrength: constraints['supportsStyleReferenceStrength'] === true,
    prices: readPrices(model.rawPricing),
  });
}

/**
 * Reads an edit model's options from its constraints and prices. Missing or malformed values count as unknown. Returns
 * `undefined` for other model types.
 */
export function readEditModel(model: Model): EditModel | undefined {
  if (model.type !== 'inpaint' || model.id.length > maxIdLength) return undefined;
  const { constraints, rawPricing } = model;
  const inputs = asRecord(rawPricing['inputImages']);
  return omitUndefined({
    ...commonFields(model),
    ratios: ratiosOf(constraints['aspectRatios']),
    resolutions: namesOf(constraints['resolutions']),
    qualities: namesOf(constraints['qualities']),
    maxImages:
      constraints['combineImages'] === true
        ? (readCount(constraints['maxInputImages'], 100) ?? defaultMaxImages)
        : 1,
    price: readPrice(rawPricing['inpaint']),
    resolutionPrices: readPriceTable(rawPricing['resolutions']),
    qualityPrices: readTable(rawPricing['quality'], readPriceTable),
    includedImages: readCount(inputs['included'], 100),
    additionalImagePrice: readPrice(inputs['additional']),
  });
}

/** Reads the prices of upscaling by the factors 2 and 4. */
export function readUpscalePrices(pricing: JsonRecord): Pick<ImagePrices, 'upscale2' | 'upscale4'> {
  const upscale = asRecord(pricing['upscale']);
  return omitUndefined({ upscale2: readPrice(upscale['2x']), upscale4: readPrice(upscale['4x']) });
}

function commonFields({ id, name, offline, privacy, traits, constraints }: Model) {
  return {
    id,
    name,
    offline,
    privacy,
    traits,
    promptLimit: readCount(constraints['promptCharacterLimit'], 1_000_000) ?? defaultPromptLimit,
  };
}

function readSizing(constraints: JsonRecord): ImageSizing {
  const ratios = ratiosOf(constraints['aspectRatios']);
  const resolutions = namesOf(constraints['resolutions']);
  const defaultRatio =
    oneOf(ratios, constraints['defaultAspectRatio']) ?? oneOf(ratios, '1:1') ?? ratios[0] ?? '1:1';
  const [firstResolution] = resolutions;
  if (firstResolution !== undefined) {
    const defaultResolution =
      oneOf(resolutions, constraints['defaultResolution']) ?? firstResolution;
    return { kind: 'tier', ratios, defaultRatio, resolutions, defaultResolution };
  }
  if (ratios.length > 0) return { kind: 'ratio', ratios, defaultRatio };
  return pixelSizing(readCount(constraints['widthHeightDivisor'], maxSide) ?? 1);
}

function pixelSizing(divisor: number): ImageSizing {
  const max = maxSide - (maxSide % divisor);
  const defaultSize = Math.min(max, Math.max(1, Math.round(defaultSide / divisor)) * divisor);
  return { kind: 'pixels', min: divisor, max, divisor, defaultSize };
}

/**
 * Reads the default and the maximum number of steps. Returns undefined if the maximum is at most 1, which leaves no
 * choice.
 */
function readSteps(value: unknown): ImageModel['steps'] {
  const limits = asRecord(value);
  const max = readCount(limits['max'], 1_000);
  if (max === undefined || max <= 1) return undefined;
  return { default: Math.min(max, readCount(limits['default'], 1_000) ?? max), max };
}

function readPrices(pricing: JsonRecord): ImagePrices {
  return omitUndefined({
    generation: readPrice(pricing['generation']),
    resolutions: readPriceTable(pricing['resolutions']),
    qualities: readTable(pricing['quality'], readPriceTable),
    ...readUpscalePrices(pricing),
  });
}

const readPriceTable = (value: unknown): Readonly<Record<string, Price>> | undefined =>
  readTable(value, readPrice);

/** Reads an object and drops entries with an invalid name or value. Returns `undefined` if no entry remains. */
function readTable<T>(
  value: unknown,
  read: (value: unknown) => T | undefined,
): Readonly<Record<string, T>> | undefined {
  const entries = Object.entries(asRecord(value))
    .filter(([name]) => isName(name))
    .map(([name, value]) => [name, read(value)] as const)
    .filter((entry): entry is readonly [string, T] => entry[1] !== undefined);
  return entries.length === 0 ? undefined : Object.fromEntries(entries.slice(0, maxChoices));
}

const maxChoices = 64;

/** Checks for a short option name such as `1K` or `high`. Rejects all other text, because requests repeat the name. */
const isName = (value: unknown): value is string =>
  typeof value === 'string' && /^[A-Za-z0-9][A-Za-z0-9._ -]{0,23}$/u.test(value);

const isRatio = (value: unknown): value is string =>
  typeof value === 'string' && /^(?:auto|[1-9]\d{0,3}:[1-9]\d{0,3})$/u.test(value);

const namesOf = (value: unknown): readonly string[] => choicesOf(value, isName);
const ratiosOf = (value: unknown): readonly string[] => choicesOf(value, isRatio);

const choicesOf = (
  value: unknown,
  isChoice: (value: unknown) => value is string,
): readonly string[] =>
  Array.isArray(value) ? [...new Set(value.filter(isChoice))].slice(0, maxChoices) : [];

const oneOf = (choices: readonly string[], value: unknown): string | undefined =>
  choices.find((choice) => choice === value);

/** Returns the value if it is an integer from 1 to `max`, else undefined. */
const readCount = (value: unknown, max: number): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= max
    ? value
    : undefined;

/** Returns the image models in display order: the service's default model first, then by name, offline models last. */
export const imageModels = (models: readonly Model[]): readonly ImageModel[] =>
  readSorted(models, readImageModel);

/** Returns the edit models in the order of {@link imageModels}. */
export const editModels = (models: readonly Model[]): readonly EditModel[] =>
  readSorted(models, readEditModel);

const readSorted = <T>(
  models: readonly Model[],
  read: (model: Model) => T | undefined,
): readonly T[] =>
  [...models]
    .sort(compareModels)
    .map(read)
    .filter((model) => model !== undefined);
