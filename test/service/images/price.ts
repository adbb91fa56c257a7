import type { EditModel } from '../catalogue/edit-models.ts';
import { type ImageModel, upscalePricing } from '../catalogue/image-models.ts';
import type { Price } from '../catalogue/media-record.ts';
import { type Micro, toMicro } from '../money/amounts.ts';
import type { EditBody } from './edit-body.ts';
import type { GenerateBody } from './generate-body.ts';

const enhancing = toMicro(0.04);
const searching = toMicro(0.01);

/** Of the whole request: every variant costs, what comes on top costs once. */
export function generatePrice(model: ImageModel, body: GenerateBody): Micro {
  const { constraints } = model;
  const each = tablePrice(model.pricing, {
    resolution: body.resolution ?? constraints.defaultResolution,
    quality: body.quality ?? constraints.defaultQuality,
  });
  const extras = enhancingPrice(body) + (body.enable_web_search ? searching : 0);
  return toMicro((each ?? model.pricing.generation)?.usd ?? 0) * (body.variants ?? 1) + extras;
}

/** Of one call with so many pictures. */
export function editPrice({ pricing }: EditModel, body: EditBody, pictures: number): Micro {
  const { resolution, quality = 'high' } = body;
  const { inpaint, inputImages } = pricing;
  const { usd } = tablePrice(pricing, { resolution, quality }) ?? inpaint;
  const { included = pictures, additional } = inputImages ?? {};
  const more = Math.max(0, pictures - included) * toMicro(additional?.usd ?? 0);
  return toMicro(usd) + more + enhancingPrice(body);
}

export const upscalePrice = (scale: 2 | 4): Micro => toMicro(upscalePricing[`${scale}x`].usd);

const enhancingPrice = ({ enhance_prompt }: { enhance_prompt: boolean }): Micro =>
  enhance_prompt ? enhancing : 0;

interface Tables {
  readonly resolutions?: Readonly<Record<string, Price>>;
  readonly quality?: Readonly<Record<string, Readonly<Record<string, Price>>>>;
}

/** The price by resolution and quality, else by resolution, if there are such tables. */
function tablePrice(
  { resolutions, quality: qualities }: Tables,
  {
    resolution = '1K',
    quality = '',
  }: { resolution: string | undefined; quality: string | undefined },
): Price | undefined {
  return qualities?.[resolution]?.[quality] ?? resolutions?.[resolution];
}
