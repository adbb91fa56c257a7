import { omitUndefined } from '../base/json.ts';
import type { EditModel, ImageModel } from './image-model.ts';
import { type ImageOptions, maxCfgScale, maxSeed } from './image-options.ts';
import { resolveAspectRatio, resolveResolution, resolveImageSize } from './image-size.ts';
import type { ImageEditRequest, ImageFormat, ImageRequest } from '../service/images/image-types.ts';

/**
 * Builds a request with only the options that the model supports, each within its range. An unsupported choice becomes
 * the default. Always contains the size, ratio and resolution, so that the request has the same result after the
 * model's defaults change. Does not validate prompts: see `optionProblems`.
 */
export function imageRequest(
  model: ImageModel,
  prompt: string,
  options: ImageOptions,
): ImageRequest {
  return omitUndefined({
    model: model.id,
    prompt,
    ...sizingFields(model, options),
    ...guidanceFields(model, options),
    quality: model.qualities.find((quality) => quality === options.quality),
    steps: model.steps && clampedInteger(options.steps, { min: 1, max: model.steps.max }),
    seed: clampedInteger(options.seed, { min: -maxSeed, max: maxSeed }),
    format: options.format,
    safeMode: options.safeMode,
    hideWatermark: options.hideWatermark,
    embedExifMetadata: options.embedExifMetadata,
    enableWebSearch: model.takesWebSearch ? options.webSearch : undefined,
    enhancePrompt: options.enhancePrompt,
  });
}

type Sizing = Pick<ImageRequest, 'width' | 'height' | 'aspectRatio' | 'resolution'>;

function sizingFields(model: ImageModel, options: ImageOptions): Sizing {
  if (model.sizing.kind === 'pixels') return resolveImageSize(model, options);
  return omitUndefined({
    aspectRatio: resolveAspectRatio(model.sizing, options),
    resolution: resolveResolution(model.sizing, options),
  });
}

function guidanceFields(model: ImageModel, options: ImageOptions): Partial<ImageRequest> {
  if (!model.takesGuidance) return {};
  const { negativePrompt, stylePreset, cfgScale = Number.NaN } = options;
  return omitUndefined({
    negativePrompt: negativePrompt?.trim() === '' ? undefined : negativePrompt,
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
  readonly format?: ImageFormat;
  readonly safeMode?: boolean;
  readonly enhancePrompt?: boolean;
}

/** Edit request without image data, which is added just before sending. */
export type EditRequest = Omit<ImageEditRequest, 'image' | 'model'> & { readonly model: string };

/**
 * Builds an edit request. Omits choices that the model does not offer, because the service rejects them. Does not
 * validate prompts.
 */
export function editRequest(model: EditModel, prompt: string, options: EditOptions): EditRequest {
  return omitUndefined({
    model: model.id,
    prompt,
    aspectRatio: model.ratios.find((ratio) => ratio === options.aspectRatio),
    resolution: model.resolutions.find((resolution) => resolution === options.resolution),
    format: options.format,
    safeMode: options.safeMode,
    enhancePrompt: options.enhancePrompt,
  });
}
