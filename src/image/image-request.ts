import { defined } from '../base/json.ts';
import type { EditModel, ImageModel } from './image-model.ts';
import { type ImageOptions, maxCfgScale, maxSeed } from './image-options.ts';
import { resolveAspectRatio, resolveResolution, resolveImageSize } from './image-size.ts';
import type { ImageEditRequest, ImageFormat, ImageRequest } from '../service/images/image-types.ts';

/**
 * What the service is asked for. It holds only what the model takes, each value within the model's range; a choice the
 * model does not offer becomes its default. Size, ratio and resolution are always named, so that the same request
 * makes the same picture when the defaults have changed. Prompts go as they are: see optionProblems.
 */
export function imageRequest(
  model: ImageModel,
  prompt: string,
  options: ImageOptions,
): ImageRequest {
  return defined({
    model: model.id,
    prompt,
    ...sizing(model, options),
    ...guidance(model, options),
    quality: model.qualities.find((quality) => quality === options.quality),
    steps: model.steps && whole(options.steps, { min: 1, max: model.steps.max }),
    seed: whole(options.seed, { min: -maxSeed, max: maxSeed }),
    format: options.format,
    safeMode: options.safeMode,
    hideWatermark: options.hideWatermark,
    embedExifMetadata: options.embedExifMetadata,
    enableWebSearch: model.takesWebSearch ? options.webSearch : undefined,
    enhancePrompt: options.enhancePrompt,
  });
}

type Sizing = Pick<ImageRequest, 'width' | 'height' | 'aspectRatio' | 'resolution'>;

function sizing(model: ImageModel, options: ImageOptions): Sizing {
  if (model.sizing.kind === 'pixels') return resolveImageSize(model, options);
  return defined({
    aspectRatio: resolveAspectRatio(model.sizing, options),
    resolution: resolveResolution(model.sizing, options),
  });
}

function guidance(model: ImageModel, options: ImageOptions): Partial<ImageRequest> {
  if (!model.takesGuidance) return {};
  const { negativePrompt, stylePreset, cfgScale = Number.NaN } = options;
  return defined({
    negativePrompt: negativePrompt?.trim() === '' ? undefined : negativePrompt,
    stylePreset: stylePreset === '' ? undefined : stylePreset,
    cfgScale: cfgScale > 0 ? Math.min(cfgScale, maxCfgScale) : undefined,
  });
}

interface Range {
  readonly min: number;
  readonly max: number;
}

/** The nearest whole number of the range; `undefined` for what is no number. */
function whole(value: number | undefined, { min, max }: Range): number | undefined {
  if (value === undefined || Number.isNaN(value)) return undefined;
  // Adding nothing makes a plain zero of a negative one.
  return Math.min(max, Math.max(min, Math.round(value))) + 0;
}

/** What a person chose for a picture that is changed, whatever the model. Absent means the model's own default. */
export interface EditOptions {
  readonly aspectRatio?: string;
  readonly resolution?: string;
  readonly format?: ImageFormat;
  readonly safeMode?: boolean;
  readonly enhancePrompt?: boolean;
}

/** An {@link ImageEditRequest} for one picture or several, which come with the call. */
export type EditRequest = Omit<ImageEditRequest, 'image' | 'model'> & { readonly model: string };

/**
 * What the service is asked for. It holds only what the model offers: choices outlive the model that they were made
 * for, and the service refuses a ratio or a resolution that a model does not have. Prompts go as they are.
 */
export function editRequest(model: EditModel, prompt: string, options: EditOptions): EditRequest {
  return defined({
    model: model.id,
    prompt,
    aspectRatio: model.ratios.find((ratio) => ratio === options.aspectRatio),
    resolution: model.resolutions.find((resolution) => resolution === options.resolution),
    format: options.format,
    safeMode: options.safeMode,
    enhancePrompt: options.enhancePrompt,
  });
}
