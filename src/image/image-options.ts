import { omitUndefined, isRecord, readNumberOr, readStringOr } from '../base/json.ts';
import type { ImageModel } from './image-model.ts';

/** Maximum guidance scale. Values must be greater than 0 (spec §4.5). */
export const maxCfgScale = 20;
/** Maximum seed. The minimum is the negative of this value. */
export const maxSeed = 999_999_999;
import type { ImageFormat, VariantCount } from '../service/images/image-types.ts';

/**
 * The user's options for an image, independent of the selected model. A request omits options that its model does not
 * support. An absent option means the model's default.
 */
export interface ImageOptions {
  readonly negativePrompt?: string;
  readonly width?: number;
  readonly height?: number;
  readonly aspectRatio?: string;
  readonly resolution?: string;
  readonly quality?: string;
  readonly steps?: number;
  readonly cfgScale?: number;
  readonly seed?: number;
  readonly stylePreset?: string;
  readonly format?: ImageFormat;
  readonly safeMode?: boolean;
  readonly webSearch?: boolean;
  readonly enhancePrompt?: boolean;
  readonly hideWatermark?: boolean;
  readonly embedExifMetadata?: boolean;
  readonly variants?: VariantCount;
}

/**
 * Reads stored {@link ImageOptions}. Another version of the extension or another program may have written them, so
 * invalid options are omitted.
 */
export function readImageOptions(value: unknown): ImageOptions {
  if (!isRecord(value)) return {};
  const readText = (name: string): string | undefined => readStringOr(value[name], undefined);
  const readNumberField = (name: string): number | undefined =>
    readNumberOr(value[name], undefined);
  const readFlag = (name: string): boolean | undefined =>
    typeof value[name] === 'boolean' ? value[name] : undefined;
  return omitUndefined({
    negativePrompt: readText('negativePrompt'),
    width: readNumberField('width'),
    height: readNumberField('height'),
    aspectRatio: readText('aspectRatio'),
    resolution: readText('resolution'),
    quality: readText('quality'),
    steps: readNumberField('steps'),
    cfgScale: readNumberField('cfgScale'),
    seed: readNumberField('seed'),
    stylePreset: readText('stylePreset'),
    format: readAllowedValue(['png', 'jpeg', 'webp'] as const, value['format']),
    safeMode: readFlag('safeMode'),
    webSearch: readFlag('webSearch'),
    enhancePrompt: readFlag('enhancePrompt'),
    hideWatermark: readFlag('hideWatermark'),
    embedExifMetadata: readFlag('embedExifMetadata'),
    variants: readAllowedValue([1, 2, 3, 4] as const, value['variants']),
  });
}

const readAllowedValue = <T>(allowedValues: readonly T[], value: unknown): T | undefined =>
  allowedValues.find((choice) => choice === value);

/**
 * Returns the options that also apply to the next image, such as size, format and safety. Omits options that are
 * specific to one image, such as the seed and the style.
 */
export const getPersistentOptions = (options: ImageOptions): ImageOptions =>
  omitUndefined({
    width: options.width,
    height: options.height,
    aspectRatio: options.aspectRatio,
    resolution: options.resolution,
    quality: options.quality,
    format: options.format,
    safeMode: options.safeMode,
    hideWatermark: options.hideWatermark,
    embedExifMetadata: options.embedExifMetadata,
  });

/**
 * Problem with a field of the form. Only a problem with a prompt prevents the request, because `buildImageRequest`
 * corrects the other fields.
 */
export type OptionProblem =
  | { readonly field: 'prompt'; readonly code: 'empty' }
  | {
      readonly field: 'prompt' | 'negativePrompt';
      readonly code: 'too-long';
      /** Length in UTF-16 code units, as counted by the service. */
      readonly length: number;
      readonly limit: number;
    }
  | {
      readonly field: 'width' | 'height' | 'steps' | 'cfgScale' | 'seed';
      readonly code: 'out-of-range';
      readonly min: number;
      readonly max: number;
      /** True if the minimum itself is not a valid value. */
      readonly isMinExclusive: boolean;
    }
  | { readonly field: 'width' | 'height'; readonly code: 'not-multiple'; readonly divisor: number }
  | { readonly field: 'steps' | 'seed'; readonly code: 'not-whole' }
  | {
      readonly field: 'aspectRatio' | 'resolution' | 'quality';
      readonly code: 'not-offered';
      readonly choices: readonly string[];
    };

/**
 * Returns the problems in the order of the form fields. Ignores options that the model does not support, because a
 * request omits them.
 */
export function findOptionProblems(
  model: ImageModel,
  prompt: string,
  options: ImageOptions,
): readonly OptionProblem[] {
  return [
    ...findPromptProblems(model, prompt, options),
    ...findSizeProblems(model, options),
    ...findChoiceProblems('quality', options.quality, model.qualities),
    ...findNumberProblems(model, options),
  ];
}

function findPromptProblems(
  { maxPromptChars: limit }: ImageModel,
  prompt: string,
  { negativePrompt = '' }: ImageOptions,
): OptionProblem[] {
  const problems: OptionProblem[] = [];
  if (prompt.trim() === '') problems.push({ field: 'prompt', code: 'empty' });
  if (prompt.length > limit) {
    problems.push({ field: 'prompt', code: 'too-long', length: prompt.length, limit });
  }
  const { length } = negativePrompt;
  if (length > limit) {
    problems.push({ field: 'negativePrompt', code: 'too-long', length, limit });
  }
  return problems;
}

function findSizeProblems({ sizing }: ImageModel, options: ImageOptions): OptionProblem[] {
  const pixels = sizing.kind === 'unknown' ? sizing.pixels : sizing;
  if (pixels?.kind === 'pixels') {
    const { min, max, divisor } = pixels;
    return (['width', 'height'] as const).flatMap((field): OptionProblem[] => {
      const value = options[field];
      const rangeProblems = findRangeProblems(field, value, { min, max });
      if (rangeProblems.length > 0 || value === undefined || value % divisor === 0)
        return rangeProblems;
      return [{ field, code: 'not-multiple', divisor }];
    });
  }
  // For a model of unknown sizing, the form offers common choices, but the service may accept other values, so none is a
  // problem.
  if (sizing.kind === 'pixels' || sizing.kind === 'unknown') return [];
  return [
    ...findChoiceProblems('aspectRatio', options.aspectRatio, sizing.ratios),
    ...(sizing.kind === 'tier'
      ? findChoiceProblems('resolution', options.resolution, sizing.resolutions)
      : []),
  ];
}

function findNumberProblems(
  model: ImageModel,
  { steps, cfgScale, seed }: ImageOptions,
): OptionProblem[] {
  return [
    ...(model.steps ? findIntegerProblems('steps', steps, { min: 1, max: model.steps.max }) : []),
    ...(model.hasBasicOptionsOnly
      ? []
      : findRangeProblems('cfgScale', cfgScale, {
          min: 0,
          max: maxCfgScale,
          isMinExclusive: true,
        })),
    ...findIntegerProblems('seed', seed, { min: -maxSeed, max: maxSeed }),
  ];
}

interface NumberRange {
  readonly min: number;
  readonly max: number;
  readonly isMinExclusive?: boolean;
}

type NumberField = 'width' | 'height' | 'steps' | 'cfgScale' | 'seed';

function findRangeProblems(
  field: NumberField,
  value: number | undefined,
  { min, max, isMinExclusive = false }: NumberRange,
): OptionProblem[] {
  if (value === undefined) return [];
  if (value <= max && (isMinExclusive ? value > min : value >= min)) return [];
  return [{ field, code: 'out-of-range', min, max, isMinExclusive }];
}

function findIntegerProblems(
  field: 'steps' | 'seed',
  value: number | undefined,
  range: NumberRange,
): OptionProblem[] {
  const rangeProblems = findRangeProblems(field, value, range);
  if (rangeProblems.length > 0 || value === undefined || Number.isInteger(value))
    return rangeProblems;
  return [{ field, code: 'not-whole' }];
}

/**
 * Returns a problem if the chosen value is not in `choices`, the values that the model offers. If `choices` is empty,
 * the request omits the option, so any value is allowed.
 */
export const findChoiceProblems = (
  field: 'aspectRatio' | 'resolution' | 'quality',
  value: string | undefined,
  choices: readonly string[],
): OptionProblem[] =>
  value === undefined || choices.length === 0 || choices.includes(value)
    ? []
    : [{ field, code: 'not-offered', choices }];
