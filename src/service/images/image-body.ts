import { omitUndefined } from '../../base/json.ts';
import type {
  ImageCombineRequest,
  ImageEditRequest,
  ImageRequest,
  ImageUpscaleRequest,
  VariantCount,
} from './image-types.ts';

/**
 * Builds the body of `POST /image/generate` (spec §4.5). Requests a binary response for one image, and JSON for several
 * images.
 */
export const generateBody = (request: ImageRequest, variants: VariantCount): object =>
  omitUndefined({
    model: request.model,
    prompt: request.prompt,
    negative_prompt: request.negativePrompt,
    width: request.width,
    height: request.height,
    aspect_ratio: request.aspectRatio,
    resolution: request.resolution,
    quality: request.quality,
    format: request.format,
    safe_mode: request.safeMode,
    seed: request.seed,
    cfg_scale: request.cfgScale,
    steps: request.steps,
    style_preset: request.stylePreset,
    lora_strength: request.loraStrength,
    hide_watermark: request.hideWatermark,
    embed_exif_metadata: request.embedExifMetadata,
    enable_web_search: request.enableWebSearch,
    enhance_prompt: request.enhancePrompt,
    disable_prompt_optimization_thinking: request.disablePromptOptimizationThinking,
    style_references: request.styleReferences?.map(({ image, strength }) =>
      omitUndefined({ image, strength }),
    ),
    ...(variants === 1 ? { return_binary: true } : { variants }),
  });

/** Builds the body of `POST /image/edit`. */
export const editBody = (request: ImageEditRequest): object =>
  omitUndefined({
    model: request.model,
    ...instructions(request),
    image: base64(request.image),
  });

/** Builds the body of `POST /image/multi-edit`. The model is in the field `modelId`. */
export const combineBody = (request: ImageCombineRequest): object =>
  omitUndefined({
    modelId: request.model,
    ...instructions(request),
    images: request.images.map(base64),
  });

/** Builds the body of `POST /image/upscale`. */
export const upscaleBody = ({ image, scale, creativity }: ImageUpscaleRequest): object =>
  omitUndefined({ scale, creativity, image: base64(image) });

/** Builds the body of `POST /image/background-remove`. */
export const backgroundBody = (image: Uint8Array): object => ({ image: base64(image) });

const instructions = (request: Omit<ImageEditRequest, 'image'>): object => ({
  prompt: request.prompt,
  aspect_ratio: request.aspectRatio,
  resolution: request.resolution,
  quality: request.quality,
  output_format: request.format,
  safe_mode: request.safeMode,
  enhance_prompt: request.enhancePrompt,
});

const base64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
