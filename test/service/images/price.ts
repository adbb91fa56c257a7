import type { EditModel } from '../catalogue/edit-models.ts';
import { type ImageModel, upscalePricing } from '../catalogue/image-models.ts';
import type { Money } from '../catalogue/media-record.ts';
import { type Micro, micro } from '../money/amounts.ts';
import type { EditBody } from './edit-body.ts';
import type { GenerateBody } from './generate-body.ts';

const enhancing = micro(0.04);
const searching = micro(0.01);

/** Of the whole request: every variant costs, what comes on top costs once. */
export function generatePrice(model: ImageModel, body: GenerateBody): Micro {
  const { constraints } = model;
  const each = tablePrice(model.pricing, {
    resolution: body.resolution ?? constraints.defaultResolution,
    quality: body.quality ?? constraints.defaultQuality,
  });
  const extras = enhancingPrice(body) + (body.enable_web_search ? searching : 0);
  return micro((each ?? model.pricing.generation)?.usd ?? 0) * (body.variants ?? 1) + extras;
}

/** Of one call with so many pictures. */
export function editPrice({ pricing }: EditModel, body: EditBody, pictures: number): Micro {
  const { resolution, quality = 'high' } = body;
  const { inpaint, inputImages } = pricing;
  const { usd } = tablePrice(pricing, { resolution, quality }) ?? inpaint;
  const { included = pictures, additional } = inputImages ?? {};
  const more = Math.max(0, pictures - included) * micro(additional?.usd ?? 0);
  return micro(usd) + more + enhancingPrice(body);
}

export const upscalePrice = (scale: 2 | 4): Micro => micro(upscalePricing[`${scale}x`].usd);

const enhancingPrice = ({ enhance_prompt }: { enhance_prompt: boolean }): Micro =>
  enhance_prompt ? enhancing : 0;

interface Tables {
  readonly resolutions?: Readonly<Record<string, Money>>;
  readonly quality?: Readonly<Record<string, Readonly<Record<string, Money>>>>;
}

/** The price by resolution and quality, else by resolution, if there are such tables. */
function tablePrice(
  { resolutions, quality: qualities }: Tables,
  {
    resolution = '1K',
    quality = '',
  }: { resolution: string | undefined; quality: string | undefined },
): Money | undefined {
  return qualities?.[resolution]?.[quality] ?? resolutions?.[resolution];
}
