import type { Sharp } from 'sharp';
import { omitUndefined } from '../../../src/base/json.ts';
import type { ImageModel } from '../catalog/image-models.ts';
import { hashText } from '../random.ts';
import type { GenerateBody } from './generate-body.ts';
import {
  createBlackImage,
  blurPixels,
  encodeImage,
  openImage,
  type Pixels,
  type Size,
  toPixels,
} from './pixels.ts';
import { isBlurred, type ModerationVerdict } from './moderation.ts';
import { type ColorOverlay, type Scene, renderScene } from './scene.ts';
import { getStyleEffect } from './styles.ts';
import { getLongSidePx, computeRatioSize } from './sizes.ts';

export interface GenerationJob {
  readonly model: ImageModel;
  readonly body: GenerateBody;
  /** The requested seed, or the seed that the service selected. */
  readonly seed: number;
  readonly verdict: ModerationVerdict;
  readonly references: readonly ColorOverlay[];
}

/** Generates all variants, and returns the image files in order. */
export async function generateImages(job: GenerationJob): Promise<Buffer[]> {
  const files: Buffer[] = [];
  const count = job.body.variants ?? 1;
  // Generates one image at a time, because several large images need too much memory.
  for (let index = 0; index < count; index++) files.push(await generateVariant(job, index));
  return files;
}

async function generateVariant(job: GenerationJob, index: number): Promise<Buffer> {
  const { model, body, verdict } = job;
  const size = resolveSize(model, body);
  const description = body.embed_exif_metadata ? body.prompt : undefined;
  if (verdict.isViolation) return encodeImage(createBlackImage(size), body.format);
  const image = await paintScene(createScene(job, index), size);
  const output = isBlurred(verdict, body.safe_mode) ? await blurPixels(image) : image;
  return encodeImage(output, body.format, description);
}

function resolveSize({ constraints }: ImageModel, body: GenerateBody): Size {
  const { aspectRatios, defaultAspectRatio = '1:1', resolutions, defaultResolution } = constraints;
  if (aspectRatios === undefined) return { width: body.width ?? 1024, height: body.height ?? 1024 };
  const requestedRatio = body.aspect_ratio ?? defaultAspectRatio;
  const ratio = aspectRatios.includes(requestedRatio) ? requestedRatio : defaultAspectRatio;
  const resolution = resolutions === undefined ? undefined : (body.resolution ?? defaultResolution);
  return computeRatioSize(ratio, getLongSidePx(resolution));
}

function createScene({ model, body, seed, references }: GenerationJob, index: number): Scene {
  const commonFields = {
    modelId: model.record.id,
    prompt: body.prompt,
    // The first variant uses the given seed, the other variants use derived seeds.
    seed: index === 0 ? seed : hashText(`${seed}#${index}`),
    guidance: 7,
    detail: resolveDetail(model, body),
    references,
    hasWatermark: !body.hide_watermark,
  };
  if (!model.isPixelDiffusionModel) return commonFields;
  return {
    ...commonFields,
    guidance: body.cfg_scale ?? commonFields.guidance,
    ...omitUndefined({
      negativePrompt: body.negative_prompt || undefined,
      styleName: body.style_preset,
    }),
  };
}

const detailByQuality = { low: 2, medium: 5, high: 9 };

/**
 * Returns the level of detail. Depends on the number of steps if the model has adjustable steps, otherwise on the
 * quality.
 */
function resolveDetail(
  { constraints, isPixelDiffusionModel, hasAdjustableSteps }: ImageModel,
  body: GenerateBody,
): number {
  const stepCount = (hasAdjustableSteps ? body.steps : undefined) ?? constraints.steps.default;
  if (isPixelDiffusionModel) return 1 + Math.ceil(stepCount / 3);
  const { qualities, defaultQuality = 'high' } = constraints;
  const quality = qualities === undefined ? 'high' : (body.quality ?? defaultQuality);
  return detailByQuality[quality as keyof typeof detailByQuality] ?? detailByQuality.high;
}

/**
 * Maximum width and height in pixels at which an image is painted. Larger images are painted at a smaller size and then
 * enlarged, because painting takes too long at full size.
 */
const maxPaintedSide = 1280;

/** Paints a scene at the given size. */
async function paintScene(scene: Scene, size: Size): Promise<Pixels> {
  const { width, height } = size;
  const scale = Math.min(1, maxPaintedSide / Math.max(width, height));
  const paintedSize = { width: scaleLength(width, scale), height: scaleLength(height, scale) };
  const sceneImage = await openImage(Buffer.from(renderScene(scene, paintedSize)));
  const pixels = await applyStyleEffect(await toPixels(sceneImage.removeAlpha()), scene.styleName);
  if (scale === 1) return pixels;
  return toPixels(
    (await openImage(pixels)).resize(width, height, { fit: 'fill', kernel: 'linear' }),
  );
}

const scaleLength = (length: number, factor: number): number =>
  Math.max(1, Math.round(length * factor));

async function applyStyleEffect(pixels: Pixels, style: string | undefined): Promise<Pixels> {
  const image = await openImage(pixels);
  switch (getStyleEffect(style)) {
    case 'gray':
      return toPixels(image.modulate({ saturation: 0 }));
    case 'blocks':
      return pixelateImage(image, pixels);
    case 'soft':
      return toPixels(image.blur(4));
    case 'night':
    case 'plain':
      return pixels;
  }
}

async function pixelateImage(image: Sharp, { width, height }: Size): Promise<Pixels> {
  const size = { width: Math.ceil(width / 16), height: Math.ceil(height / 16) };
  const blockImage = await toPixels(image.resize({ ...size, fit: 'fill', kernel: 'nearest' }));
  return toPixels(
    (await openImage(blockImage)).resize(width, height, { fit: 'fill', kernel: 'nearest' }),
  );
}
