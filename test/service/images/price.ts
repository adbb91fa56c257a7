import type { EditModel } from '../catalog/edit-models.ts';
import { type ImageModel, upscalePricing } from '../catalog/image-models.ts';
import type { Price } from '../catalog/media-record.ts';
import { type Micro, toMicro } from '../money/amounts.ts';
import type { EditBody } from './edit-body.ts';
import type { GenerateBody } from './generate-body.ts';

const enhancementPrice = toMicro(0.04);
const searchPrice = toMicro(0.01);

/**
 * Returns the price of a request: the price of one image times the number of images, plus extras such as web search.
 */
export function computeGenerationPrice(model: ImageModel, body: GenerateBody): Micro {
  const { constraints } = model;
  const unitPrice = findPrice(model.pricing, {
    resolution: body.resolution ?? constraints.defaultResolution,
    quality: body.quality ?? constraints.defaultQuality,
  });
  const extraCost = computeEnhancementCost(body) + (body.enable_web_search ? searchPrice : 0);
  return (
    toMicro((unitPrice ?? model.pricing.generation)?.usd ?? 0) * (body.variants ?? 1) + extraCost
  );
}

/** Returns the price of an edit of the given number of input images. */
export function computeEditPrice(
  { pricing }: EditModel,
  body: EditBody,
  imageCount: number,
): Micro {
  const { resolution, quality = 'high' } = body;
  const { inpaint, inputImages } = pricing;
  const { usd } = findPrice(pricing, { resolution, quality }) ?? inpaint;
  const { included: includedCount = imageCount, additional: additionalPrice } = inputImages ?? {};
  const additionalCost =
    Math.max(0, imageCount - includedCount) * toMicro(additionalPrice?.usd ?? 0);
  return toMicro(usd) + additionalCost + computeEnhancementCost(body);
}

export const getUpscalePrice = (scale: 2 | 4): Micro => toMicro(upscalePricing[`${scale}x`].usd);

const computeEnhancementCost = ({ enhance_prompt }: { enhance_prompt: boolean }): Micro =>
  enhance_prompt ? enhancementPrice : 0;

interface PriceTables {
  readonly resolutions?: Readonly<Record<string, Price>>;
  readonly quality?: Readonly<Record<string, Readonly<Record<string, Price>>>>;
}

/**
 * Returns the price for the resolution and quality, otherwise for the resolution alone. Returns undefined if the model
 * has neither price.
 */
function findPrice(
  { resolutions, quality: qualities }: PriceTables,
  {
    resolution = '1K',
    quality = '',
  }: { resolution: string | undefined; quality: string | undefined },
): Price | undefined {
  return qualities?.[resolution]?.[quality] ?? resolutions?.[resolution];
}
