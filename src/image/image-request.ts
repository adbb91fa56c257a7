import { omitUndefined } from '../base/json.ts';
import type { EditModel, ImageModel } from './image-model.ts';
import { type ImageOptions, maxCfgScale, maxSeed } from './image-options.ts';
import { fitSize } from './image-size.ts';
import type { ImageEditRequest, ImageFormat, ImageRequest } from '../service/images/image-types.ts';

/**
 * Builds a request with only the options that the user chose and the model supports, each within its range. Omits
 * defaults, because not every deployment accepts every field. Does not validate prompts: see `optionProblems`.
 */
export function imageRequest(
  model: ImageModel,
  prompt: string,
  options: ImageOptions,
): ImageRequest {
  if (model.hasBasicOptionsOnly) return basicRequest(model, prompt, options);
  return omitUndefined({
    model: model.id,
    prompt,
    ...sizingFields(model, options),
    ...guidanceFields(options),
    quality: model.qualities.find((quality) => quality === options.quality),
    steps: model.steps && clampedInteger(options.steps, { min: 1, max: model.steps.max }),
    seed: clampedInteger(options.seed, { min: -maxSeed, max: maxSeed }),
    format: options.format,
    safeMode: falseOrAbsent(options.safeMode),
    hideWatermark: trueOrAbsent(options.hideWatermark),
    embedExifMetadata: trueOrAbsent(options.embedExifMetadata),
    enableWebSearch: model.takesWebSearch ? trueOrAbsent(options.webSearch) : undefined,
    enhancePrompt: trueOrAbsent(options.enhancePrompt),
  });
}

/** Builds a request for the OpenAI-compatible route (spec §4.7). */
const basicRequest = (model: ImageModel, prompt: string, options: ImageOptions): ImageRequest =>
  omitUndefined({
    model: model.id,
    prompt,
    ...sizingFields(model, options),
    quality: model.qualities.find((quality) => quality === options.quality),
    format: options.format,
    safeMode: falseOrAbsent(options.safeMode),
  });

/** Omits a disabled option, because this is the default. */
const trueOrAbsent = (value: boolean | undefined): true | undefined => value || undefined;

/** Omits an enabled safe mode, because this is the default (spec §4.5). */
const falseOrAbsent = (value: boolean | undefined): false | undefined =>
  value === false ? value : undefined;

type Sizing = Pick<ImageRequest, 'width' | 'height' | 'aspectRatio' | 'resolution'>;

function sizingFields(model: ImageModel, options: ImageOptions): Sizing {
  const { sizing } = model;
  const { width, height, aspectRatio, resolution } = options;
  const hasSize = width !== undefined || height !== undefined;
  if (sizing.kind === 'pixels') return hasSize ? fitSize(sizing, options) : {};
  const shape: Sizing = omitUndefined({
    aspectRatio: sizing.ratios.find((ratio) => ratio === aspectRatio),
    resolution:
      sizing.kind === 'ratio' ? undefined : sizing.resolutions.find((tier) => tier === resolution),
  });
  const hasShape = Object.keys(shape).length > 0;
  if (sizing.kind !== 'unknown' || sizing.pixels === undefined || hasShape || !hasSize)
    return shape;
  return fitSize(sizing.pixels, options);
}

function guidanceFields(options: ImageOptions): Partial<ImageRequest> {
  const { stylePreset, cfgScale = Number.NaN } = options;
  const negativePrompt = options.negativePrompt?.trim() === '' ? undefined : options.negativePrompt;
  return omitUndefined({
    negativePrompt,
    stylePreset: stylePreset === '' ? undefined : stylePreset,
    cfgScale: cfgScale > 0 ? Math.min(cfgScale, maxCfgScale) : undefined,
  });
}

interface Range {
  readonly min: number;
  readonly max: number;
}

/** Returns the nearest integer within the range; `undefined` for NaN. */
function clampedInteger(value: number | undefined, { min, max }: Range): number | undefined {
  if (value === undefined || Number.isNaN(value)) return undefined;
  // Adding 0 converts -0 to 0.
  return Math.min(max, Math.max(min, Math.round(value))) + 0;
}

/** The user's options for an edit, stored independently of the model. An absent option uses the model's default. */
export interface EditOptions {
  readonly aspectRatio?: string;
  readonly resolution?: string;
  readonly quality?: string;
  readonly format?: ImageFormat;
  readonly safeMode?: boolean;
  readonly enhancePrompt?: boolean;
}

/** Edit request without image data, which is added just before sending. */
export type EditRequest = Omit<ImageEditRequest, 'image' | 'model'> & { readonly model: string };

/**
 * Builds an edit request. Omits choices that the model does not offer, because the service rejects them. Does not
 * validate prompts.
 * @param images Number of input images.
 */
export function editRequest(
  model: EditModel,
  prompt: string,
  { images, ...options }: EditOptions & { readonly images: number },
): EditRequest {
  const ratios = images > 1 || model.takesSingleImageRatio ? model.ratios : [];
  return omitUndefined({
    model: model.id,
    prompt,
    aspectRatio: ratios.find((ratio) => ratio === options.aspectRatio),
    resolution: model.resolutions.find((resolution) => resolution === options.resolution),
    quality: model.qualities.find((quality) => quality === options.quality),
    format: options.format,
    safeMode: falseOrAbsent(options.safeMode),
    enhancePrompt: trueOrAbsent(options.enhancePrompt),
  });
}
