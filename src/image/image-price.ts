import { formatAmount, formatUsd } from '../base/amounts.ts';
import { defined } from '../base/json.ts';
import { type EditModel, type ImageModel, readUpscalePrices } from './image-model.ts';
import type { ImageOptions } from './image-options.ts';
import { resolveResolution } from './image-size.ts';
import type { FailureCode } from '../service/http/failure.ts';
import type { Model, Price } from '../service/model-types.ts';

/** What all the pictures of one request cost, as far as the model's prices say it. Extras count once per request. */
export function imagePrice(model: ImageModel, options: ImageOptions): Price | undefined {
  const one = generationPrice(model, options);
  if (one === undefined) return undefined;
  const searched = model.takesWebSearch && options.webSearch === true ? webSearchPrice : 0;
  const enhanced = options.enhancePrompt === true ? enhancePrice : 0;
  return plus(times(one, options.variants ?? 1), searched + enhanced);
}

interface EditChoices {
  readonly resolution?: string;
  /** Of a picture that is made of several. */
  readonly quality?: string;
  /** How many pictures go in; 1 unless several are combined. */
  readonly images?: number;
  readonly enhancePrompt?: boolean;
}

/** What changing a picture, or making one of several, costs; without choices as the service makes it by itself. */
export function editPrice(model: EditModel, choices: EditChoices = {}): Price | undefined {
  const { resolution = '1K', quality = 'high', images = 1, enhancePrompt = false } = choices;
  const one =
    own(own(model.qualityPrices, resolution), quality) ??
    own(model.resolutionPrices, resolution) ??
    model.price;
  if (one === undefined) return undefined;
  const more = Math.max(0, images - (model.includedImages ?? images));
  const additional = times(model.additionalImagePrice ?? {}, more);
  return plus(sum(one, additional), enhancePrompt ? enhancePrice : 0);
}

/** What making a picture larger costs: the price of the model for it, else what any image model says. */
export function upscalePrice(models: readonly Model[], scale: 2 | 4): Price | undefined {
  const wanted = scale === 2 ? 'upscale2' : 'upscale4';
  const priceFor = (type: string): Price | undefined =>
    models
      .filter((model) => model.type === type)
      .map(({ rawPricing }) => readUpscalePrices(rawPricing)[wanted])
      .find((price) => price !== undefined);
  return priceFor('upscale') ?? priceFor('image');
}

/**
 * What one of the pictures of a request cost: the shares of all of them are together what the request cost. A picture
 * beyond those that were asked for costs nothing.
 * @param picture which of how many, from 0
 */
export function splitPrice(price: Price, { at, of }: { at: number; of: number }): Price {
  if (at >= of) return each(price, () => 0);
  return each(price, (value) => {
    const usual = Math.floor((value / of) * smallest) / smallest;
    return at === 0 ? value - usual * (of - 1) : usual;
  });
}

/** `$0.04`, or `0.04 DIEM` for a service that has no prices in dollars; empty without a price. */
export function formatPrice(price: Price | undefined): string {
  if (price?.usd !== undefined) return formatUsd(price.usd);
  return price?.diem === undefined ? '' : `${formatAmount(price.diem)} DIEM`;
}

/** Of one picture, in dollars; a DIEM is worth one (the public price list). */
const [webSearchPrice, enhancePrice] = [0.01, 0.04];

function generationPrice(model: ImageModel, options: ImageOptions): Price | undefined {
  const { generation, resolutions, qualities } = model.prices;
  const resolution = resolveResolution(model.sizing, options);
  const quality =
    model.qualities.find((each) => each === options.quality) ?? model.defaultQuality ?? 'high';
  return (
    own(own(qualities, resolution ?? '1K'), quality) ??
    own(resolutions, resolution ?? '1K') ??
    generation
  );
}

/** Names come from the service: what every object has is not in the table. */
const own = <T>(table: Readonly<Record<string, T>> | undefined, name: string): T | undefined =>
  table !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;

const plus = (price: Price, amount: number): Price => each(price, (value) => value + amount);

const times = (price: Price, factor: number): Price => each(price, (value) => value * factor);

/** In the units that both are given in; nothing more is added where the second is silent. */
const sum = ({ usd, diem }: Price, more: Price): Price =>
  defined({
    usd: usd === undefined ? undefined : exact(usd + (more.usd ?? 0)),
    diem: diem === undefined ? undefined : exact(diem + (more.diem ?? 0)),
  });

const each = ({ usd, diem }: Price, change: (value: number) => number): Price =>
  defined({
    usd: usd === undefined ? undefined : exact(change(usd)),
    diem: diem === undefined ? undefined : exact(change(diem)),
  });

/** Prices are counted to a millionth. */
const smallest = 1e6;

/** Prices are decimal: 0.1 + 0.2 is 0.3. */
const exact = (value: number): number => Number(value.toFixed(9));

/**
 * Whether the service may have made a picture, and charged for it, in a call that failed. Only what certainly came
 * before that says no: what is unknown counts as charged.
 * @param code Of an `ImageFailure`; undefined when there is no failure and no picture either.
 */
export const mayBeCharged = (code: string | undefined): boolean =>
  code === undefined || !free.has(code);

const refused: readonly FailureCode[] = [
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

/** A source that cannot be read is never sent. */
const free: ReadonlySet<string> = new Set([...refused, 'source']);
