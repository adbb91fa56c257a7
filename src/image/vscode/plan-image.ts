import { stripHiddenCharacters } from '../../base/hidden-characters.ts';
import { defined } from '../../base/json.ts';
import type { ImageModel } from '../image-model.ts';
import { type ImageOptions, optionProblems } from '../image-options.ts';
import { formatPrice, imagePrice } from '../image-price.ts';
import type { ImageOrigin, ImageSourceReference } from '../image-record.ts';
import { imageRequest } from '../image-request.ts';
import { optionsForShape } from '../image-size.ts';
import type { ImageChoice } from './image-choice.ts';
import { generationSummary, type GenerationInput } from './prompt-input.ts';
import type { ImageFormat, ImageRequest, VariantCount } from '../../service/images/image-types.ts';
import type { Price } from '../../service/model-types.ts';

/** A call of the image API that a person decided on. */
export interface ImageTask {
  readonly operation: ImageOperation;
  readonly modelName?: string;
  /** Of all the pictures together, by the model's prices. */
  readonly price?: Price;
}

export type ImageOperation =
  | { readonly kind: 'generate'; readonly request: ImageRequest; readonly variants: VariantCount }
  | {
      /** Of one picture, or of several that become one. */
      readonly kind: 'edit' | 'combine';
      readonly model?: string;
      readonly prompt: string;
      readonly aspectRatio?: string;
      readonly resolution?: string;
      readonly format?: ImageFormat;
      readonly safeMode?: boolean;
      readonly enhancePrompt?: boolean;
      readonly sources: readonly ImageSourceReference[];
    }
  | {
      readonly kind: 'upscale';
      readonly scale: 2 | 4;
      readonly sources: readonly ImageSourceReference[];
    }
  | { readonly kind: 'remove-background'; readonly sources: readonly ImageSourceReference[] };

export function originOf(ask: ImageOperation, variant: number): ImageOrigin {
  switch (ask.kind) {
    case 'generate':
      return { ...ask, variant };
    default:
      return ask;
  }
}

/** The words that a picture was made by; empty when none were needed. */
export function promptOf(origin: ImageOrigin | ImageOperation): string {
  switch (origin.kind) {
    case 'generate':
      return origin.request.prompt;
    case 'edit':
    case 'combine':
      return origin.prompt;
    default:
      return '';
  }
}

/** What a model asks for that wants a picture. */
export interface ImageToolRequest {
  readonly prompt: string;
  readonly negativePrompt?: string;
  /** Id or name; the person's own model when absent. */
  readonly model?: string;
  readonly aspectRatio?: string;
  readonly size?: string;
}

/** A picture that can be made, and what it costs. Nothing was sent yet. */
export interface PlannedGeneration {
  readonly model: ImageModel;
  readonly request: ImageRequest;
  readonly task: ImageTask;
  /** `Painter Turbo · 1024 × 1024 · $0.01` */
  readonly description: string;
  /** `$0.01`; empty when the service does not say. */
  readonly price: string;
}

/** Why an order cannot be carried out, in words for the model that gave it. */
export class ImageToolRequestError extends Error {}

interface Planner {
  readonly choice: ImageChoice;
  randomSeed(): number;
}

/**
 * The request for an order: with the person's own model and size where the order names none, and their own choices
 * about safety and format in any case.
 * @throws ImageOrderError
 */
export function planToolRequest(planner: Planner, order: ImageToolRequest): PlannedGeneration {
  const { choice } = planner;
  const prompt = clean(order.prompt);
  const model = modelOf(choice, order.model);
  const options: ImageOptions = defined({
    ...choice.options,
    ...(isShaped(order) ? optionsForShape(model, order) : {}),
    negativePrompt: order.negativePrompt && clean(order.negativePrompt),
    seed: planner.randomSeed(),
  });
  for (const problem of optionProblems(model, prompt, options)) {
    const name = problem.field === 'prompt' ? 'prompt' : 'negative prompt';
    if (problem.code === 'empty') throw new ImageToolRequestError(`The ${name} is empty.`);
    if (problem.code === 'too-long') {
      throw new ImageToolRequestError(
        `The ${name} has ${problem.length} characters; ${model.name} takes ${problem.limit}. Shorten it.`,
      );
    }
  }
  return planGeneration({ model, prompt, options });
}

/** The one picture that a person wishes for; `options` name its seed. */
export function planGeneration({ model, prompt, options }: GenerationInput): PlannedGeneration {
  const one = { ...options, variants: 1 } as const;
  const request = imageRequest(model, prompt, one);
  const price = imagePrice(model, one);
  return {
    model,
    request,
    task: defined({
      operation: { kind: 'generate' as const, request, variants: 1 as const },
      modelName: model.name,
      price,
    }),
    description: generationSummary(model, one),
    price: formatPrice(price),
  };
}

/** The order in what a model sent; anything that is no text counts as absent. */
export function readToolRequest(input: Readonly<Record<string, unknown>>): ImageToolRequest {
  const text = (name: string): string | undefined => {
    const value = input[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  return defined({
    prompt: text('prompt') ?? '',
    negativePrompt: text('negativePrompt'),
    aspectRatio: text('aspectRatio'),
    size: text('size'),
    model: text('model'),
  });
}

/** Beyond these a model cannot choose from the list anyway. */
const mostNamed = 12;

/** The model reads it. */
const englishPrice = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 4,
});

function modelOf(choice: ImageChoice, wanted = ''): ImageModel {
  const { models } = choice;
  if (wanted === '') {
    if (choice.model !== undefined) return choice.model;
    throw new ImageToolRequestError('The service has no model that makes pictures.');
  }
  const isWanted = ({ id, name }: ImageModel): boolean =>
    [id, name].some((each) => each.toLowerCase() === wanted.toLowerCase());
  const model = models.find(isWanted);
  if (model !== undefined) return model;
  const names = models.slice(0, mostNamed).map((each) => {
    const usd = imagePrice(each, {})?.usd;
    return usd === undefined ? each.id : `${each.id} (${englishPrice.format(usd)})`;
  });
  throw new ImageToolRequestError(
    `There is no image model called ${JSON.stringify(wanted.slice(0, 100))}. There are: ${names.join(', ')}. Leave it out for the person's own choice.`,
  );
}

const isShaped = ({ aspectRatio, size }: ImageToolRequest): boolean =>
  aspectRatio !== undefined || size !== undefined;

/** What is shown is what is sent. */
const clean = (text: string): string => stripHiddenCharacters(text).text.trim();
