import { defined, isRecord, numberOr, stringOr } from '../base/json.ts';
import type { ImageModel } from './image-model.ts';

/** Guidance scales are above 0 and up to this (spec §4.5 and the public extras). */
export const maxCfgScale = 20;
/** Seeds are whole numbers from minus this to this. */
export const maxSeed = 999_999_999;
import type { ImageFormat, VariantCount } from '../service/images/image-types.ts';

/**
 * What a person chose for a picture, whatever the model: the model's request is built from it, and what the model does
 * not take stays behind. Absent means the model's own default.
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

/** {@link ImageOptions} from where another version or another program may have written them: what is no option is left out. */
export function readImageOptions(value: unknown): ImageOptions {
  if (!isRecord(value)) return {};
  const text = (name: string): string | undefined => stringOr(value[name], undefined);
  const figure = (name: string): number | undefined => numberOr(value[name], undefined);
  const flag = (name: string): boolean | undefined =>
    typeof value[name] === 'boolean' ? value[name] : undefined;
  return defined({
    negativePrompt: text('negativePrompt'),
    width: figure('width'),
    height: figure('height'),
    aspectRatio: text('aspectRatio'),
    resolution: text('resolution'),
    quality: text('quality'),
    steps: figure('steps'),
    cfgScale: figure('cfgScale'),
    seed: figure('seed'),
    stylePreset: text('stylePreset'),
    format: oneOf(['png', 'jpeg', 'webp'] as const, value['format']),
    safeMode: flag('safeMode'),
    webSearch: flag('webSearch'),
    enhancePrompt: flag('enhancePrompt'),
    hideWatermark: flag('hideWatermark'),
    embedExifMetadata: flag('embedExifMetadata'),
    variants: oneOf([1, 2, 3, 4] as const, value['variants']),
  });
}

const oneOf = <T>(allowed: readonly T[], value: unknown): T | undefined =>
  allowed.find((each) => each === value);

/**
 * What a person decided for all of their pictures: size, format, safety. What belongs to one picture (its seed, its
 * style, what it must not show) is left out: nobody would look for it in the next one.
 */
export const persistentOptions = (options: ImageOptions): ImageOptions =>
  defined({
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
 * What is wrong with a field of the form. Only the prompts' problems stand in the way of a request: imageRequest sets
 * the other fields right by itself.
 */
export type OptionProblem =
  | { readonly field: 'prompt'; readonly code: 'empty' }
  | {
      readonly field: 'prompt' | 'negativePrompt';
      readonly code: 'too-long';
      /** Characters, as the service counts them: UTF-16 units. */
      readonly length: number;
      readonly limit: number;
    }
  | {
      readonly field: 'width' | 'height' | 'steps' | 'cfgScale' | 'seed';
      readonly code: 'out-of-range';
      readonly min: number;
      readonly max: number;
      /** Whether `min` itself is outside. */
      readonly above: boolean;
    }
  | { readonly field: 'width' | 'height'; readonly code: 'not-multiple'; readonly divisor: number }
  | { readonly field: 'steps' | 'seed'; readonly code: 'not-whole' }
  | {
      readonly field: 'aspectRatio' | 'resolution' | 'quality';
      readonly code: 'not-offered';
      readonly choices: readonly string[];
    };

/** In the order of the form. Options that the model does not take are no problem: they stay behind. */
export function optionProblems(
  model: ImageModel,
  prompt: string,
  options: ImageOptions,
): readonly OptionProblem[] {
  return [
    ...promptProblems(model, prompt, options),
    ...sizeProblems(model, options),
    ...choiceProblem('quality', options.quality, model.qualities),
    ...numberProblems(model, options),
  ];
}

function promptProblems(
  { promptLimit: limit, takesGuidance }: ImageModel,
  prompt: string,
  { negativePrompt = '' }: ImageOptions,
): OptionProblem[] {
  const problems: OptionProblem[] = [];
  if (prompt.trim() === '') problems.push({ field: 'prompt', code: 'empty' });
  if (prompt.length > limit) {
    problems.push({ field: 'prompt', code: 'too-long', length: prompt.length, limit });
  }
  const { length } = negativePrompt;
  if (takesGuidance && length > limit) {
    problems.push({ field: 'negativePrompt', code: 'too-long', length, limit });
  }
  return problems;
}

function sizeProblems({ sizing }: ImageModel, options: ImageOptions): OptionProblem[] {
  if (sizing.kind === 'pixels') {
    const { min, max, divisor } = sizing;
    return (['width', 'height'] as const).flatMap((field): OptionProblem[] => {
      const value = options[field];
      const outside = rangeProblem(field, value, { min, max });
      if (outside.length > 0 || value === undefined || value % divisor === 0) return outside;
      return [{ field, code: 'not-multiple', divisor }];
    });
  }
  return [
    ...choiceProblem('aspectRatio', options.aspectRatio, sizing.ratios),
    ...(sizing.kind === 'tier'
      ? choiceProblem('resolution', options.resolution, sizing.resolutions)
      : []),
  ];
}

function numberProblems(
  model: ImageModel,
  { steps, cfgScale, seed }: ImageOptions,
): OptionProblem[] {
  return [
    ...(model.steps ? wholeProblem('steps', steps, { min: 1, max: model.steps.max }) : []),
    ...(model.takesGuidance
      ? rangeProblem('cfgScale', cfgScale, { min: 0, max: maxCfgScale, above: true })
      : []),
    ...wholeProblem('seed', seed, { min: -maxSeed, max: maxSeed }),
  ];
}

interface Range {
  readonly min: number;
  readonly max: number;
  readonly above?: boolean;
}

type NumberField = 'width' | 'height' | 'steps' | 'cfgScale' | 'seed';

function rangeProblem(
  field: NumberField,
  value: number | undefined,
  { min, max, above = false }: Range,
): OptionProblem[] {
  if (value === undefined) return [];
  if (value <= max && (above ? value > min : value >= min)) return [];
  return [{ field, code: 'out-of-range', min, max, above }];
}

function wholeProblem(
  field: 'steps' | 'seed',
  value: number | undefined,
  range: Range,
): OptionProblem[] {
  const outside = rangeProblem(field, value, range);
  if (outside.length > 0 || value === undefined || Number.isInteger(value)) return outside;
  return [{ field, code: 'not-whole' }];
}

/** A model that offers nothing takes nothing, so there is nothing to be wrong. */
const choiceProblem = (
  field: 'aspectRatio' | 'resolution' | 'quality',
  value: string | undefined,
  choices: readonly string[],
): OptionProblem[] =>
  value === undefined || choices.length === 0 || choices.includes(value)
    ? []
    : [{ field, code: 'not-offered', choices }];
