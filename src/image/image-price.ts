import { omitUndefined } from '../base/json.ts';
import { type EditModel, type ImageModel, readUpscalePrices } from './image-model.ts';
import type { ImageOptions } from './image-options.ts';
import { resolveResolution } from './image-size.ts';
import type { Model, Price } from '../service/model-types.ts';

/**
 * Returns the total price of a request for all its images. Extras, such as web search, are charged once per request.
 * Returns undefined if the model has no prices.
 */
export function estimateImagePrice(model: ImageModel, options: ImageOptions): Price | undefined {
  const basePrice = estimateGenerationPrice(model, options);
  if (basePrice === undefined) return undefined;
  if (model.hasBasicOptionsOnly) return basePrice;
  const omittedFields = model.omittedFields ?? [];
  const isOptionSent = (field: string, isSelected = false): boolean =>
    isSelected && !omittedFields.includes(field);
  const hasSearch = model.supportsWebSearch && isOptionSent('enable_web_search', options.webSearch);
  const searchPrice = hasSearch ? webSearchPrice : 0;
  const enhancementPrice = isOptionSent('enhance_prompt', options.enhancePrompt) ? enhancePrice : 0;
  return addAmount(multiplyPrice(basePrice, options.variants ?? 1), searchPrice + enhancementPrice);
}

interface EditChoices {
  readonly resolution?: string;
  /** Quality of the result. Changes the price only if several input images are combined. */
  readonly quality?: string;
  /** Number of input images. Default: 1. */
  readonly imageCount?: number;
  readonly enhancePrompt?: boolean;
}

/**
 * Returns the price of editing an image or combining several images. An absent choice means the default of the service.
 */
export function estimateEditPrice(model: EditModel, choices: EditChoices = {}): Price | undefined {
  const { resolution = '1K', quality = 'high', imageCount = 1, enhancePrompt = false } = choices;
  const basePrice =
    findOwnEntry(findOwnEntry(model.qualityPrices, resolution), quality) ??
    findOwnEntry(model.resolutionPrices, resolution) ??
    model.price;
  if (basePrice === undefined) return undefined;
  const extraImageCount = Math.max(0, imageCount - (model.includedImages ?? imageCount));
  const additionalPrice = multiplyPrice(model.additionalImagePrice ?? {}, extraImageCount);
  return addAmount(addPrices(basePrice, additionalPrice), enhancePrompt ? enhancePrice : 0);
}

/**
 * Returns the price of upscaling an image by the factor `scale`. Uses the price of the service's upscale model, or that
 * of an image model if the service has no upscale model with a price.
 */
export function findUpscalePrice(models: readonly Model[], scale: 2 | 4): Price | undefined {
  const field = scale === 2 ? 'upscale2' : 'upscale4';
  const getPrice = (type: string): Price | undefined =>
    models
      .filter((model) => model.type === type)
      .map(({ rawPricing }) => readUpscalePrices(rawPricing)[field])
      .find((price) => price !== undefined);
  return getPrice('upscale') ?? getPrice('image');
}

/**
 * Returns the part of a request's price that applies to one of its images. The parts of all requested images add up to
 * the price. An image that the service returns in excess of the requested number costs nothing.
 * @param position `index` of the image, from 0, and `count`, the number of requested images
 */
export function allocatePrice(
  price: Price,
  { index, count }: { index: number; count: number },
): Price {
  if (index >= count) return mapPrice(price, () => 0);
  return mapPrice(price, (value) => {
    const share = Math.floor((value / count) * stepsPerUnit) / stepsPerUnit;
    return index === 0 ? value - share * (count - 1) : share;
  });
}

/**
 * Extra price per request of web search and of prompt enhancement, in dollars. The price in DIEM is the same number.
 */
const [webSearchPrice, enhancePrice] = [0.01, 0.04];

function estimateGenerationPrice(model: ImageModel, options: ImageOptions): Price | undefined {
  const { generation, resolutions, qualities } = model.prices;
  const resolution = resolveResolution(model.sizing, options);
  const quality =
    model.qualities.find((quality) => quality === options.quality) ??
    model.defaultQuality ??
    'high';
  return (
    findOwnEntry(findOwnEntry(qualities, resolution ?? '1K'), quality) ??
    findOwnEntry(resolutions, resolution ?? '1K') ??
    generation
  );
}

/** Returns the entry `name` of the table. Ignores inherited properties, because the name comes from the service. */
const findOwnEntry = <T>(
  table: Readonly<Record<string, T>> | undefined,
  name: string,
): T | undefined => (table !== undefined && Object.hasOwn(table, name) ? table[name] : undefined);

const addAmount = (price: Price, amount: number): Price =>
  mapPrice(price, (value) => value + amount);

const multiplyPrice = (price: Price, factor: number): Price =>
  mapPrice(price, (value) => value * factor);

/** Adds `addend` to each currency of the first price. A currency that `addend` lacks stays unchanged. */
const addPrices = ({ usd, diem }: Price, addend: Price): Price =>
  omitUndefined({
    usd: usd === undefined ? undefined : removeRoundingError(usd + (addend.usd ?? 0)),
    diem: diem === undefined ? undefined : removeRoundingError(diem + (addend.diem ?? 0)),
  });

const mapPrice = ({ usd, diem }: Price, transform: (value: number) => number): Price =>
  omitUndefined({
    usd: usd === undefined ? undefined : removeRoundingError(transform(usd)),
    diem: diem === undefined ? undefined : removeRoundingError(transform(diem)),
  });

/**
 * Number of rounding steps per dollar or DIEM. {@link allocatePrice} rounds the price of each image except the first
 * down to a whole step.
 */
const stepsPerUnit = 1e6;

/** Removes binary rounding errors, such as the one in 0.1 + 0.2. */
const removeRoundingError = (value: number): number => Number(value.toFixed(9));
