import { formatAmount, formatUsd } from '../base/amounts.ts';
import { omitUndefined } from '../base/json.ts';
import { type EditModel, type ImageModel, readUpscalePrices } from './image-model.ts';
import type { ImageOptions } from './image-options.ts';
import { resolveResolution } from './image-size.ts';
import type { FailureCode } from '../service/http/failure.ts';
import type { Model, Price } from '../service/model-types.ts';

/**
 * Returns the price of all images of a request, as far as the model's prices are known. Extras
 * count once per request.
 */
export function imagePrice(model: ImageModel, options: ImageOptions): Price | undefined {
  const basePrice = generationPrice(model, options);
  if (basePrice === undefined) return undefined;
  const searched = model.takesWebSearch && options.webSearch === true ? webSearchPrice : 0;
  const enhanced = options.enhancePrompt === true ? enhancePrice : 0;
  return plus(times(basePrice, options.variants ?? 1), searched + enhanced);
}

interface EditChoices {
  readonly resolution?: string;
  /** Quality, when several images are combined. */
  readonly quality?: string;
  /** Number of input images; 1 unless several are combined. */
  readonly images?: number;
  readonly enhancePrompt?: boolean;
}

/**
 * Returns the price of editing an image or combining several. Without choices, the service's
 * defaults apply.
 */
export function editPrice(model: EditModel, choices: EditChoices = {}): Price | undefined {
  const { resolution = '1K', quality = 'high', images = 1, enhancePrompt = false } = choices;
  const basePrice =
    ownValue(ownValue(model.qualityPrices, resolution), quality) ??
    ownValue(model.resolutionPrices, resolution) ??
    model.price;
  if (basePrice === undefined) return undefined;
  const extraImages = Math.max(0, images - (model.includedImages ?? images));
  const additional = times(model.additionalImagePrice ?? {}, extraImages);
  return plus(sum(basePrice, additional), enhancePrompt ? enhancePrice : 0);
}

/** Returns the upscale price: that of the upscale model, else that of any image model. */
export function upscalePrice(models: readonly Model[], scale: 2 | 4): Price | undefined {
  const field = scale === 2 ? 'upscale2' : 'upscale4';
  const priceFor = (type: string): Price | undefined =>
    models
      .filter((model) => model.type === type)
      .map(({ rawPricing }) => readUpscalePrices(rawPricing)[field])
      .find((price) => price !== undefined);
  return priceFor('upscale') ?? priceFor('image');
}

/**
 * Returns one image's part of the request's price. The parts add up to the price. Images beyond the
 * requested number cost nothing.
 * @param position Index of the image, from 0, and the number of requested images.
 */
export function splitPrice(price: Price, { at, of }: { at: number; of: number }): Price {
  if (at >= of) return mapPrice(price, () => 0);
  return mapPrice(price, (value) => {
    const usual = Math.floor((value / of) * smallest) / smallest;
    return at === 0 ? value - usual * (of - 1) : usual;
  });
}

/**
 * Formats a price as `$0.04`, or as `0.04 DIEM` for a service without prices in dollars. Empty
 * without a price.
 */
export function formatPrice(price: Price | undefined): string {
  if (price?.usd !== undefined) return formatUsd(price.usd);
  return price?.diem === undefined ? '' : `${formatAmount(price.diem)} DIEM`;
}

/** Price per image in dollars. One DIEM counts as one dollar (the public price list). */
const [webSearchPrice, enhancePrice] = [0.01, 0.04];

function generationPrice(model: ImageModel, options: ImageOptions): Price | undefined {
  const { generation, resolutions, qualities } = model.prices;
  const resolution = resolveResolution(model.sizing, options);
  const quality =
    model.qualities.find((quality) => quality === options.quality) ??
    model.defaultQuality ??
    'high';
  return (
    ownValue(ownValue(qualities, resolution ?? '1K'), quality) ??
    ownValue(resolutions, resolution ?? '1K') ??
    generation
  );
}

/** Reads an own property only, since the service chooses the names. */
const ownValue = <T>(table: Readonly<Record<string, T>> | undefined, name: string): T | undefined =>
  table !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;

const plus = (price: Price, amount: number): Price => mapPrice(price, (value) => value + amount);

const times = (price: Price, factor: number): Price => mapPrice(price, (value) => value * factor);

/** Adds prices in the units of the first. A unit that is missing in the second adds nothing. */
const sum = ({ usd, diem }: Price, added: Price): Price =>
  omitUndefined({
    usd: usd === undefined ? undefined : exact(usd + (added.usd ?? 0)),
    diem: diem === undefined ? undefined : exact(diem + (added.diem ?? 0)),
  });

const mapPrice = ({ usd, diem }: Price, change: (value: number) => number): Price =>
  omitUndefined({
    usd: usd === undefined ? undefined : exact(change(usd)),
    diem: diem === undefined ? undefined : exact(change(diem)),
  });

/** Parts are rounded down to a millionth. */
const smallest = 1e6;

/** Removes binary rounding errors: 0.1 + 0.2 is 0.3. */
const exact = (value: number): number => Number(value.toFixed(9));

/**
 * Checks whether a failed call may have been charged. Returns false only for failures that are
 * certain to occur before generation.
 * @param code Code of the `ImageFailure`. Undefined without a failure.
 */
export const mayBeCharged = (code: string | undefined): boolean =>
  code === undefined || !unchargedCodes.has(code);

const unchargedServiceCodes: readonly FailureCode[] = [
  'no-address',
  'invalid-address',
  'no-key',
  'invalid-key',
  'unauthorized',
  'forbidden',
  'model-access',
  'out-of-funds',
  'wallet-out-of-funds',
  'no-wallet',
  'sign-in-refused',
  'sign-in-stale',
  'over-budget',
  'spend-limit',
  'model-not-found',
  'not-found',
  'invalid-request',
  'unsupported-feature',
  'payload-too-large',
  'unsupported-media-type',
  'content-policy',
  'rate-limited',
  'offline',
  'tls',
  'proxy',
  'redirected',
];

/** Codes without a charge. An unreadable source is never sent. */
const unchargedCodes: ReadonlySet<string> = new Set([...unchargedServiceCodes, 'source']);
