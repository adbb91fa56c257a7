import { asRecord, omitUndefined, type JsonRecord } from '../base/json.ts';
import { compareModels } from '../models/model-selection.ts';
import { readPrice } from '../service/read-model.ts';
import type { SizeField } from '../service/images/image-fields.ts';
import type { Model, Price } from '../service/model-types.ts';

/**
 * Model that generates images from a prompt, with its supported options (spec §4.5). The kind of `sizing` determines
 * which size options have an effect.
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
  readonly maxPromptChars: number;
  readonly sizing: ImageSizing;
  /**
   * Maximum number of inference steps, and the default number if the model record contains one. Absent if the number is
   * not configurable.
   */
  readonly steps?: { readonly default?: number; readonly max: number };
  readonly qualities: readonly string[];
  readonly defaultQuality?: string;
  readonly supportsWebSearch: boolean;
  /** Maximum number of style references. Zero if the model does not support them. */
  readonly maxStyleReferences: number;
  readonly supportsStyleStrength: boolean;
  /**
   * True if the service has `POST /images/generations` (spec §4.7) but not `POST /image/generate`. The former supports
   * only size, quality, format and safe mode, and returns one image.
   */
  readonly hasBasicOptionsOnly: boolean;
  /** Names of the request fields to omit. The user agreed to send requests without these fields. */
  readonly omittedFields?: readonly string[];
  readonly prices: ImagePrices;
}

export interface PixelSizing {
  readonly kind: 'pixels';
  readonly min: number;
  readonly max: number;
  /** Divisor of width and height, in pixels. Both must be multiples of this number. */
  readonly divisor: number;
  readonly defaultSize: number;
  /** The only sizes that the service accepts. Absent if the service accepts any size within the limits. */
  readonly fixedSizes?: readonly (readonly [width: number, height: number])[];
}

/** Sizing of a model whose record has no size constraints. Requests contain no size until the user chooses one. */
export interface UnknownSizing {
  readonly kind: 'unknown';
  /** Common aspect ratios to offer to the user. */
  readonly ratios: readonly string[];
  /** Resolutions to offer to the user. Empty after the service rejected a resolution. */
  readonly resolutions: readonly string[];
  /** Limits of width and height. Absent after the service rejected a width or height. */
  readonly pixels?: PixelSizing;
}

export type ImageSizing =
  | PixelSizing
  | UnknownSizing
  | { readonly kind: 'ratio'; readonly ratios: readonly string[]; readonly defaultRatio: string }
  | {
      readonly kind: 'tier';
      readonly ratios: readonly string[];
      readonly defaultRatio: string;
      readonly resolutions: readonly string[];
      readonly defaultResolution: string;
    };

/** Prices per image. A price is absent if the service does not report it. */
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
  readonly maxPromptChars: number;
  /** Selectable aspect ratios. Empty if the output keeps the input's aspect ratio. */
  readonly ratios: readonly string[];
  /** False if the aspect ratio has an effect only when several images are combined. */
  readonly takesSingleImageRatio: boolean;
  readonly resolutions: readonly string[];
  readonly qualities: readonly string[];
  /** Maximum number of input images per call. 1 if the model cannot combine images. */
  readonly maxImages: number;
  readonly price?: Price;
  readonly resolutionPrices?: Readonly<Record<string, Price>>;
  /** Prices by resolution and quality. The resolution is `1K` for a model without resolutions. */
  readonly qualityPrices?: Readonly<Record<string, Readonly<Record<string, Price>>>>;
  /** Number of input images included in the base price. Each further image costs `additionalImagePrice`. */
  readonly includedImages?: number;
  readonly additionalImagePrice?: Price;
  /** Names of the request fields to omit. The user agreed to send requests without these fields. */
  readonly omittedFields?: readonly string[];
}

/** Maximum and default side length in pixels, for models whose sizes are in pixels (spec §4.5). */
const [maxSide, defaultSide] = [1_280, 1_024];
/** Default maximum length of a prompt in characters, for models that declare none. */
const defaultMaxPromptChars = 7_500;
const defaultMaxImages = 3;
/** Maximum length of a model id in characters. */
const maxIdLength = 300;

/**
 * Reads an image model's options from its constraints and prices. Malformed values count as missing. Returns
 * `undefined` for a model of another type, or with an id that is too long.
 */
export function readImageModel(model: Model): ImageModel | undefined {
  if (model.type !== 'image' || model.id.length > maxIdLength) return undefined;
  if (isBackgroundRemover(model)) return undefined;
  const { constraints } = model;
  const sizing = readSizing(constraints);
  const isDescribed = hasOptionConstraints(constraints);
  const qualities = isDescribed ? readOptionNames(constraints['qualities']) : documentedQualities;
  return omitUndefined({
    ...readCommonFields(model),
    description: model.description,
    sizing,
    steps: isDescribed ? readSteps(constraints['steps']) : { max: documentedMaxSteps },
    qualities,
    defaultQuality:
      readChoice(qualities, constraints['defaultQuality']) ??
      (isDescribed ? readChoice(qualities, 'high') : undefined),
    supportsWebSearch: model.capabilities.supportsWebSearch !== false,
    maxStyleReferences: readCount(constraints['maxStyleReferences'], 100) ?? 0,
    supportsStyleStrength: constraints['supportsStyleReferenceStrength'] === true,
    hasBasicOptionsOnly: false,
    prices: readPrices(model.rawPricing),
  });
}

/**
 * Qualities and maximum number of steps. Services publish these values in their documentation for all models, not in
 * the model records.
 */
const documentedQualities: readonly string[] = ['low', 'medium', 'high'];
const documentedMaxSteps = 50;

/**
 * Checks whether a model record lists the supported options. If it lists some options, the model supports no others. If
 * it lists none, the supported options are unknown.
 */
const hasOptionConstraints = (constraints: JsonRecord): boolean =>
  [
    'promptCharacterLimit',
    'steps',
    'widthHeightDivisor',
    'aspectRatios',
    'resolutions',
    'qualities',
  ].some((name) => name in constraints);

/**
 * Reads an edit model's options from its constraints and prices. Missing or malformed values count as unknown. Returns
 * `undefined` for a model of another type.
 */
export function readEditModel(model: Model): EditModel | undefined {
  if (model.type !== 'inpaint' || model.id.length > maxIdLength) return undefined;
  const { constraints, rawPricing } = model;
  const inputs = asRecord(rawPricing['inputImages']);
  return omitUndefined({
    ...readCommonFields(model),
    ratios: readRatios(constraints['aspectRatios']),
    takesSingleImageRatio: constraints['singleImageAspectRatio'] !== false,
    resolutions: readOptionNames(constraints['resolutions']),
    qualities: readOptionNames(constraints['qualities']),
    maxImages:
      constraints['combineImages'] === true
        ? (readCount(constraints['maxInputImages'], 100) ?? defaultMaxImages)
        : 1,
    price: readPrice(rawPricing['inpaint']),
    resolutionPrices: readPriceTable(rawPricing['resolutions']),
    qualityPrices: readOptionTable(rawPricing['quality'], readPriceTable),
    includedImages: inputs['included'] === 0 ? 0 : readCount(inputs['included'], 100),
    additionalImagePrice: readPrice(inputs['additional']),
  });
}

/** Reads the prices of upscaling by the factors 2 and 4. */
export function readUpscalePrices(pricing: JsonRecord): Pick<ImagePrices, 'upscale2' | 'upscale4'> {
  const upscale = asRecord(pricing['upscale']);
  return omitUndefined({ upscale2: readPrice(upscale['2x']), upscale4: readPrice(upscale['4x']) });
}

function readCommonFields({ id, name, offline, privacy, traits, constraints }: Model) {
  return {
    id,
    name,
    offline,
    privacy,
    traits,
    maxPromptChars:
      readCount(constraints['promptCharacterLimit'], 1_000_000) ?? defaultMaxPromptChars,
  };
}

function readSizing(constraints: JsonRecord): ImageSizing {
  const ratios = readRatios(constraints['aspectRatios']);
  const resolutions = readOptionNames(constraints['resolutions']);
  const defaultRatio =
    readChoice(ratios, constraints['defaultAspectRatio']) ??
    readChoice(ratios, '1:1') ??
    ratios[0] ??
    '1:1';
  const [firstResolution] = resolutions;
  if (firstResolution !== undefined) {
    const defaultResolution =
      readChoice(resolutions, constraints['defaultResolution']) ?? firstResolution;
    return { kind: 'tier', ratios, defaultRatio, resolutions, defaultResolution };
  }
  if (ratios.length > 0) return { kind: 'ratio', ratios, defaultRatio };
  const { widthHeightDivisor: divisor } = constraints;
  return divisor === undefined
    ? unknownSizing
    : createPixelSizing(readCount(divisor, maxSide) ?? 1);
}

function createPixelSizing(divisor: number): PixelSizing {
  const max = maxSide - (maxSide % divisor);
  const defaultSize = Math.min(max, Math.max(1, Math.round(defaultSide / divisor)) * divisor);
  return { kind: 'pixels', min: divisor, max, divisor, defaultSize };
}

const unknownSizing: UnknownSizing = {
  kind: 'unknown',
  ratios: ['1:1', '3:2', '16:9', '21:9', '9:16', '2:3', '3:4', '4:5'],
  resolutions: ['1K', '2K', '4K'],
  pixels: createPixelSizing(1),
};

/**
 * Returns a copy of a model without the size options whose request fields the service rejected. Returns the model
 * unchanged unless its sizing is `unknown`.
 */
export function removeRefusedSizes(
  model: ImageModel,
  isRefused: (field: SizeField) => boolean,
): ImageModel {
  const { sizing } = model;
  if (sizing.kind !== 'unknown') return model;
  if (isRefused('aspect_ratio') && sizing.pixels !== undefined)
    return { ...model, sizing: sizing.pixels };
  const { pixels, ...ratioSizing } = sizing;
  const supportsPixels = !isRefused('width') && !isRefused('height');
  return {
    ...model,
    sizing: {
      ...ratioSizing,
      ...(isRefused('resolution') && { resolutions: [] }),
      ...(supportsPixels && pixels !== undefined && { pixels }),
    },
  };
}

/**
 * Sizes that `POST /images/generations` accepts, as documented by the service. Omits the 256 × 256 size, because two
 * larger square sizes are available.
 */
const openAiRouteSizing: PixelSizing = {
  kind: 'pixels',
  min: 512,
  max: 1_792,
  divisor: 256,
  defaultSize: defaultSide,
  fixedSizes: [
    [1_024, 1_024],
    [1_536, 1_024],
    [1_024, 1_536],
    [1_792, 1_024],
    [1_024, 1_792],
    [512, 512],
  ],
};
const sizingWithoutOptions: UnknownSizing = { kind: 'unknown', ratios: [], resolutions: [] };

/** Returns a copy of the model with only the options that `POST /images/generations` supports (spec §4.7). */
export function limitToBasicOptions(
  model: ImageModel,
  isRefused: (field: SizeField) => boolean,
): ImageModel {
  const { steps: _, ...rest } = model;
  const isSizable = model.sizing.kind === 'pixels' || model.sizing.kind === 'unknown';
  return {
    ...rest,
    sizing: isSizable && !isRefused('size') ? openAiRouteSizing : sizingWithoutOptions,
    supportsWebSearch: false,
    maxStyleReferences: 0,
    supportsStyleStrength: false,
    hasBasicOptionsOnly: true,
  };
}

/** Checks whether a model can only remove backgrounds. Some services list such models as image models. */
const isBackgroundRemover = ({ id, name }: Model): boolean =>
  [id, name].some((text) => /\b(?:bg|background)[-_ ]?remov|\brmbg\b/iu.test(text));

/**
 * Reads the default and maximum number of inference steps. Returns undefined if the maximum is at most 1, because the
 * number is then fixed.
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
    qualities: readOptionTable(pricing['quality'], readPriceTable),
    ...readUpscalePrices(pricing),
  });
}

const readPriceTable = (value: unknown): Readonly<Record<string, Price>> | undefined =>
  readOptionTable(value, readPrice);

/**
 * Reads an object whose keys are option names. Omits entries with an invalid name or value. Returns `undefined` if no
 * entry remains.
 */
function readOptionTable<T>(
  value: unknown,
  read: (value: unknown) => T | undefined,
): Readonly<Record<string, T>> | undefined {
  const entries = Object.entries(asRecord(value))
    .filter(([name]) => isOptionName(name))
    .map(([name, value]) => [name, read(value)] as const)
    .filter((entry): entry is readonly [string, T] => entry[1] !== undefined);
  return entries.length === 0 ? undefined : Object.fromEntries(entries.slice(0, maxListedChoices));
}

const maxListedChoices = 64;

/** Checks for a short option name such as `1K` or `high`. Other texts must not become part of a request. */
const isOptionName = (value: unknown): value is string =>
  typeof value === 'string' && /^[A-Za-z0-9][A-Za-z0-9._ -]{0,23}$/u.test(value);

const isRatio = (value: unknown): value is string =>
  typeof value === 'string' && /^(?:auto|[1-9]\d{0,3}:[1-9]\d{0,3})$/u.test(value);

const readOptionNames = (value: unknown): readonly string[] => readChoices(value, isOptionName);
const readRatios = (value: unknown): readonly string[] => readChoices(value, isRatio);

const readChoices = (
  value: unknown,
  isChoice: (value: unknown) => value is string,
): readonly string[] =>
  Array.isArray(value) ? [...new Set(value.filter(isChoice))].slice(0, maxListedChoices) : [];

const readChoice = (choices: readonly string[], value: unknown): string | undefined =>
  choices.find((choice) => choice === value);

/** Returns the value if it is an integer from 1 to `max`, else undefined. */
const readCount = (value: unknown, max: number): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= max
    ? value
    : undefined;

/**
 * Returns the image models in display order: the service's default model, other online models by name, and then the
 * offline models.
 */
export const listImageModels = (models: readonly Model[]): readonly ImageModel[] =>
  readSortedModels(models, readImageModel);

/** Returns the edit models in the order of {@link listImageModels}. */
export const listEditModels = (models: readonly Model[]): readonly EditModel[] =>
  readSortedModels(models, readEditModel);

const readSortedModels = <T>(
  models: readonly Model[],
  read: (model: Model) => T | undefined,
): readonly T[] =>
  [...models]
    .sort(compareModels)
    .map(read)
    .filter((model) => model !== undefined);
