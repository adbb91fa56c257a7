import { defined } from '../../../src/base/json.ts';
import type { ImageModel } from '../catalogue/image-models.ts';
import { hashText } from '../random.ts';
import type { GenerateBody } from './generate-body.ts';
import { blackImage, blur, encodeImage, type Size } from './pixels.ts';
import { isBlurred, type ModerationVerdict } from './moderation.ts';
import { paint } from './paint.ts';
import type { Scene, ColorOverlay } from './scene.ts';
import { longSidePx, sizeOfRatio } from './sizes.ts';

export interface GenerationJob {
  readonly model: ImageModel;
  readonly body: GenerateBody;
  /** The body's, or one that the service chose. */
  readonly seed: number;
  readonly verdict: ModerationVerdict;
  readonly references: readonly ColorOverlay[];
}

/** The files of all variants, first to last. */
export async function generateImages(order: GenerationJob): Promise<Buffer[]> {
  const files: Buffer[] = [];
  const count = order.body.variants ?? 1;
  // One after the other: several large pictures at once need much memory.
  for (let index = 0; index < count; index++) files.push(await variant(order, index));
  return files;
}

async function variant(order: GenerationJob, index: number): Promise<Buffer> {
  const { model, body, verdict } = order;
  const size = sizeOf(model, body);
  const description = body.embed_exif_metadata ? body.prompt : undefined;
  if (verdict.violation) return encodeImage(blackImage(size), body.format);
  const picture = await paint(sceneOf(order, index), size);
  const shown = isBlurred(verdict, body.safe_mode) ? await blur(picture) : picture;
  return encodeImage(shown, body.format, description);
}

function sizeOf({ constraints }: ImageModel, body: GenerateBody): Size {
  const { aspectRatios, defaultAspectRatio = '1:1', resolutions, defaultResolution } = constraints;
  if (aspectRatios === undefined) return { width: body.width ?? 1024, height: body.height ?? 1024 };
  const asked = body.aspect_ratio ?? defaultAspectRatio;
  const ratio = aspectRatios.includes(asked) ? asked : defaultAspectRatio;
  const tier = resolutions === undefined ? undefined : (body.resolution ?? defaultResolution);
  return sizeOfRatio(ratio, longSidePx(tier));
}

function sceneOf({ model, body, seed, references }: GenerationJob, index: number): Scene {
  const common = {
    model: model.record.id,
    prompt: body.prompt,
    // Only the first variant uses the seed as it is.
    seed: index === 0 ? seed : hashText(`${seed}#${index}`),
    guidance: 7,
    detail: detailOf(model, body),
    references,
    watermark: !body.hide_watermark,
  };
  if (!model.stepwise) return common;
  return {
    ...common,
    guidance: body.cfg_scale ?? common.guidance,
    ...defined({ negativePrompt: body.negative_prompt || undefined, style: body.style_preset }),
  };
}

const details = { low: 2, medium: 5, high: 9 };

/** By steps, else by quality. */
function detailOf({ constraints, stepwise, usesSteps }: ImageModel, body: GenerateBody): number {
  const steps = (usesSteps ? body.steps : undefined) ?? constraints.steps.default;
  if (stepwise) return 1 + Math.ceil(steps / 3);
  const { qualities, defaultQuality = 'high' } = constraints;
  const quality = qualities === undefined ? 'high' : (body.quality ?? defaultQuality);
  return details[quality as keyof typeof details] ?? details.high;
}
