import { omitUndefined } from '../base/json.ts';
import type { EditModel, ImageModel } from './image-model.ts';
import { type ImageOptions, maxCfgScale, maxSeed } from './image-options.ts';
import { fitSize } from './image-size.ts';
import { removeFieldOptions } from '../service/images/image-fields.ts';
import type { ImageEditRequest, ImageFormat, ImageRequest } from '../service/images/image-types.ts';

/**
 * Builds a request. Contains an option only if the user chose the option and the model supports it, and adjusts the
 * value to the model's limits. Omits default values, because some services reject unknown fields. Does not check the
 * prompt: `findOptionProblems` does.
 */
export const buildImageRequest = (
  model: ImageModel,
  prompt: string,
  options: ImageOptions,
): ImageRequest =>
  removeFieldOptions(
    model.hasBasicOptionsOnly
      ? buildBasicRequest(model, prompt, options)
      : buildNativeRequest(model, prompt, options),
    model.omittedFields ?? [],
  );

/** Builds the request for `POST /image/generate` (spec §4.5). */
const buildNativeRequest = (
  model: ImageModel,
  prompt: string,
  options: ImageOptions,
): ImageRequest =>
  omitUndefined({
    model: model.id,
    prompt,
    ...createSizingFields(model, options),
    ...createGuidanceFields(options),
    quality: model.qualities.find((quality) => quality === options.quality),
    steps: model.steps && clampInteger(options.steps, { min: 1, max: model.steps.max }),
    seed: clampInteger(options.seed, { min: -maxSeed, max: maxSeed }),
    format: options.format,
    safeMode: omitUnlessFalse(options.safeMode),
    hideWatermark: omitUnlessTrue(options.hideWatermark),
    embedExifMetadata: omitUnlessTrue(options.embedExifMetadata),
    enableWebSearch: model.supportsWebSearch ? omitUnlessTrue(options.webSearch) : undefined,
    enhancePrompt: omitUnlessTrue(options.enhancePrompt),
  });

/** Builds the request for `POST /images/generations` (spec §4.7). */
const buildBasicRequest = (
  model: ImageModel,
  prompt: string,
  options: ImageOptions,
): ImageRequest =>
  omitUndefined({
    model: model.id,
    prompt,
    ...createSizingFields(model, options),
    quality: model.qualities.find((quality) => quality === options.quality),
    format: options.format,
    safeMode: omitUnlessFalse(options.safeMode),
  });

/**
 * Properties with which a copy of a model accepts every option. If only the request for this copy contains an option,
 * the original model does not accept the option.
 */
const unrestrictedFields = {
  hasBasicOptionsOnly: false,
  omittedFields: [],
  supportsWebSearch: true,
  steps: { default: 1, max: 1_000 },
} as const;

/**
 * Returns the options that the user chose but that the request omits: the model or the endpoint does not support them,
 * or the user agreed to omit them. Excludes a size or quality that the model does not offer, because the form reports
 * this problem separately.
 */
export function listUnsentOptions(
  model: ImageModel,
  options: ImageOptions,
): readonly (keyof ImageRequest | 'variants')[] {
  const { quality } = options;
  const hasQualities = model.qualities.length > 0 || quality === undefined;
  const qualities = hasQualities ? model.qualities : [quality];
  const sentRequest = buildImageRequest(model, '', options);
  const unrestrictedRequest = buildImageRequest(
    { ...model, ...unrestrictedFields, qualities },
    '',
    options,
  );
  const names = Object.keys(unrestrictedRequest) as (keyof ImageRequest)[];
  const hasUnsentVariants = model.hasBasicOptionsOnly && (options.variants ?? 1) > 1;
  return [
    ...names.filter((name) => sentRequest[name] === undefined),
    ...(hasUnsentVariants ? (['variants'] as const) : []),
  ];
}

/** Returns true or undefined. A request omits an option that is off, because off is the default. */
const omitUnlessTrue = (value: boolean | undefined): true | undefined => value || undefined;

/** Returns false or undefined. A request omits the safe mode if it is on, because on is the default (spec §4.5). */
const omitUnlessFalse = (value: boolean | undefined): false | undefined =>
  value === false ? value : undefined;

type SizeFields = Pick<ImageRequest, 'width' | 'height' | 'aspectRatio' | 'resolution'>;

function createSizingFields(model: ImageModel, options: ImageOptions): SizeFields {
  const { sizing } = model;
  const { width, height, aspectRatio, resolution } = options;
  const hasSize = width !== undefined || height !== undefined;
  if (sizing.kind === 'pixels') return hasSize ? fitSize(sizing, options) : {};
  const shape: SizeFields = omitUndefined({
    aspectRatio: sizing.ratios.find((ratio) => ratio === aspectRatio),
    resolution:
      sizing.kind === 'ratio' ? undefined : sizing.resolutions.find((tier) => tier === resolution),
  });
  const hasShape = Object.keys(shape).length > 0;
  if (sizing.kind !== 'unknown' || sizing.pixels === undefined || hasShape || !hasSize)
    return shape;
  return fitSize(sizing.pixels, options);
}

function createGuidanceFields(options: ImageOptions): Partial<ImageRequest> {
  const { stylePreset, cfgScale = Number.NaN } = options;
  const negativePrompt = options.negativePrompt?.trim() === '' ? undefined : options.negativePrompt;
  return omitUndefined({
    negativePrompt,
    stylePreset: stylePreset === '' ? undefined : stylePreset,
    cfgScale: cfgScale > 0 ? Math.min(cfgScale, maxCfgScale) : undefined,
  });
}

interface NumberRange {
  readonly min: number;
  readonly max: number;
}

/** Returns the integer within the range that is nearest to the value. Returns `undefined` for NaN. */
function clampInteger(value: number | undefined, { min, max }: NumberRange): number | undefined {
  if (value === undefined || Number.isNaN(value)) return undefined;
  // Adding 0 converts -0 to 0.
  return Math.min(max, Math.max(min, Math.round(value))) + 0;
}

/** The user's options for an edit, independent of the selected model. An absent option means the model's default. */
export interface EditOptions {
  readonly aspectRatio?: string;
  readonly resolution?: string;
  readonly quality?: string;
  readonly format?: ImageFormat;
  readonly safeMode?: boolean;
  readonly enhancePrompt?: boolean;
}

/** Edit request without its image data, which is added directly before the request is sent. */
export type EditRequest = Omit<ImageEditRequest, 'image' | 'model'> & { readonly model: string };

/**
 * Builds an edit request. Omits choices that the model does not offer, because the service would reject them. Does not
 * check the prompt.
 * @param imageCount number of input images
 */
export function buildEditRequest(
  model: EditModel,
  prompt: string,
  { imageCount, ...options }: EditOptions & { readonly imageCount: number },
): EditRequest {
  const ratios = listEditRatios(model, imageCount);
  const request = omitUndefined({
    model: model.id,
    prompt,
    aspectRatio: ratios.find((ratio) => ratio === options.aspectRatio),
    resolution: model.resolutions.find((resolution) => resolution === options.resolution),
    quality: model.qualities.find((quality) => quality === options.quality),
    format: options.format,
    // The default of a request with several images is not documented, so the safe mode is always sent.
    safeMode: imageCount > 1 ? options.safeMode : omitUnlessFalse(options.safeMode),
    enhancePrompt: omitUnlessTrue(options.enhancePrompt),
  });
  return removeFieldOptions(request, model.omittedFields ?? []);
}

/** Returns the aspect ratios that the user can select for an edit of the given number of input images. */
const listEditRatios = (model: EditModel, imageCount: number): readonly string[] =>
  imageCount > 1 || model.takesSingleImageRatio ? model.ratios : [];

/** Returns the chosen options that an edit request omits, with the same rules as {@link listUnsentOptions}. */
export function listUnsentEditOptions(
  model: EditModel,
  { imageCount, ...options }: EditOptions & { readonly imageCount: number },
): readonly (keyof EditOptions)[] {
  const sentRequest = buildEditRequest(model, '', { ...options, imageCount });
  const offeredValues: Partial<Record<keyof EditOptions, readonly string[]>> = {
    aspectRatio: listEditRatios(model, imageCount),
    resolution: model.resolutions,
    quality: model.qualities,
  };
  return (['aspectRatio', 'resolution', 'quality', 'enhancePrompt'] as const).filter((name) => {
    const value = options[name];
    const choices = offeredValues[name] ?? [];
    // Excludes a value that the model does not offer, because the form shows it as a problem.
    const isReplaced = choices.length > 0 && !choices.includes(String(value));
    return Boolean(value) && sentRequest[name] === undefined && !isReplaced;
  });
}
