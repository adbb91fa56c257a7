import { stripHiddenCharacters } from '../../base/hidden-characters.ts';
import { omitUndefined } from '../../base/json.ts';
import type { ImageModel } from '../image-model.ts';
import { type ImageOptions, findOptionProblems } from '../image-options.ts';
import { estimateImagePrice } from '../image-price.ts';
import { formatPrice } from '../../service/pricing.ts';
import { ToolError } from '../../workspace/tool-error.ts';
import type { ImageOrigin, ImageSourceReference } from '../image-record.ts';
import { buildImageRequest } from '../image-request.ts';
import { chooseOptionsForShape } from '../image-size.ts';
import type { ImageChoice } from './image-choice.ts';
import { summarizeGeneration, type GenerationInput } from './prompt-input.ts';
import type { ImageFormat, ImageRequest, VariantCount } from '../../service/images/image-types.ts';
import type { Price } from '../../service/model-types.ts';

/** Image call to run. */
export interface ImageTask {
  readonly operation: ImageOperation;
  readonly modelName?: string;
  /** Price of all images of the call, computed from the model's prices. */
  readonly price?: Price;
  /**
   * True if the user entered the seed, false if the extension generated it. If the model supports no seed, the
   * extension asks the user before it omits an entered seed, but not before it omits a generated one.
   */
  readonly isSeedChosen?: boolean;
}

export type ImageOperation =
  | { readonly kind: 'generate'; readonly request: ImageRequest; readonly variants: VariantCount }
  | {
      /** `edit` changes one image; `combine` merges several images. */
      readonly kind: 'edit' | 'combine';
      readonly model?: string;
      readonly prompt: string;
      readonly aspectRatio?: string;
      readonly resolution?: string;
      readonly quality?: string;
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

export function createOrigin(operation: ImageOperation, variant: number): ImageOrigin {
  switch (operation.kind) {
    case 'generate':
      return { ...operation, variant };
    default:
      return operation;
  }
}

/** Returns the prompt of an operation. Empty for an operation without a prompt. */
export function getPrompt(origin: ImageOrigin | ImageOperation): string {
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

/** Arguments with which a model calls an image tool. */
export interface ImageToolRequest {
  readonly prompt: string;
  readonly negativePrompt?: string;
  /** Id or name of the image model. Default: the most recently used model of the user. */
  readonly model?: string;
  readonly aspectRatio?: string;
  readonly size?: string;
}

/** Validated request and its price. The request has not been sent. */
export interface PlannedGeneration {
  readonly model: ImageModel;
  readonly request: ImageRequest;
  readonly task: ImageTask;
  /** Summary such as `Painter Turbo · 1024 × 1024 · $0.01`. */
  readonly description: string;
  /** Price such as `$0.01`. Empty if the price is unknown. */
  readonly price: string;
}

/** Thrown if the arguments of a tool call are invalid. The message is for the model. */
export class ImageToolRequestError extends ToolError {
  constructor(message: string) {
    super('bad-arguments', message);
  }
}

interface Planner {
  readonly choice: ImageChoice;
  generateSeed(): number;
}

/**
 * Plans a tool call. The call can select the model and the size. The safety options and the format are always those of
 * the user.
 * @throws ImageToolRequestError if the arguments are invalid
 */
export function planToolRequest(
  planner: Planner,
  toolRequest: ImageToolRequest,
): PlannedGeneration {
  const { choice } = planner;
  const prompt = toVisibleText(toolRequest.prompt);
  const model = findRequestedModel(choice, toolRequest.model);
  const options: ImageOptions = omitUndefined({
    ...choice.options,
    ...(hasShape(toolRequest) ? chooseOptionsForShape(model, toolRequest) : {}),
    negativePrompt: toolRequest.negativePrompt && toVisibleText(toolRequest.negativePrompt),
    seed: planner.generateSeed(),
  });
  for (const problem of findOptionProblems(model, prompt, options)) {
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

/** Plans the generation of one image. `options` must contain a seed. */
export function planGeneration({ model, prompt, options }: GenerationInput): PlannedGeneration {
  const singleOptions = { ...options, variants: 1 } as const;
  const request = buildImageRequest(model, prompt, singleOptions);
  const price = estimateImagePrice(model, singleOptions);
  return {
    model,
    request,
    task: omitUndefined({
      operation: { kind: 'generate' as const, request, variants: 1 as const },
      modelName: model.name,
      price,
    }),
    description: summarizeGeneration(model, singleOptions),
    price: formatPrice(price),
  };
}

/** Reads a request from tool arguments. Ignores arguments that are not strings. */
export function readToolRequest(input: Readonly<Record<string, unknown>>): ImageToolRequest {
  const readText = (name: string): string | undefined => {
    const value = input[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  return omitUndefined({
    prompt: readText('prompt') ?? '',
    negativePrompt: readText('negativePrompt'),
    aspectRatio: readText('aspectRatio'),
    size: readText('size'),
    model: readText('model'),
  });
}

/** Maximum number of models that an error message lists. */
const maxListedModels = 12;

/** English number format for prices in texts that a model receives. */
const englishPrice = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 4,
});

function findRequestedModel(choice: ImageChoice, requestedName = ''): ImageModel {
  const { models } = choice;
  if (requestedName === '') {
    if (choice.model !== undefined) return choice.model;
    throw new ImageToolRequestError('The service has no model that makes images.');
  }
  const isRequestedModel = ({ id, name }: ImageModel): boolean =>
    [id, name].some((text) => text.toLowerCase() === requestedName.toLowerCase());
  const model = models.find(isRequestedModel);
  if (model !== undefined) return model;
  const names = models.slice(0, maxListedModels).map((model) => {
    const usd = estimateImagePrice(model, {})?.usd;
    return usd === undefined ? model.id : `${model.id} (${englishPrice.format(usd)})`;
  });
  throw new ImageToolRequestError(
    `There is no image model called ${JSON.stringify(requestedName.slice(0, 100))}. There are: ${names.join(', ')}. Omit it for the user's choice.`,
  );
}

const hasShape = ({ aspectRatio, size }: ImageToolRequest): boolean =>
  aspectRatio !== undefined || size !== undefined;

/** Removes hidden characters, so that the user sees the whole prompt that is sent. */
const toVisibleText = (text: string): string => stripHiddenCharacters(text).text.trim();
