import { findModelByIdOrTrait } from '../models/model-selection.ts';
import type { Model, Price } from '../service/model-types.ts';

/**
 * Returns the models that can complete code, best first. Prefers online models, models that are not deprecated, and
 * models with a known price. Sorts models that are equal in these criteria by price, multiplied by {@link
 * priceFactors}, because a low price usually means a small and fast model.
 */
export function listCompletionModels(models: readonly Model[]): readonly Model[] {
  const cachedModels = sortedModels.get(models);
  if (cachedModels !== undefined) return cachedModels;
  const rankedModels = models
    .filter(({ type }) => type === 'text' || type === 'code')
    .sort(compareModels);
  sortedModels.set(models, rankedModels);
  return rankedModels;
}

/**
 * Results of {@link listCompletionModels} by model list. Cached, because the status bar requests the best model on
 * every change.
 */
const sortedModels = new WeakMap<readonly Model[], readonly Model[]>();

/** Returns the best model; `undefined` if no model can complete code. */
export const chooseDefaultCompletionModel = (models: readonly Model[]): Model | undefined =>
  listCompletionModels(models)[0];

/**
 * Returns the model with the configured id or trait, such as `default_code`. An empty setting selects the best model.
 * Returns `undefined` if no model matches, because another model might cost more than the user expects.
 */
export const chooseCompletionModel = (
  models: readonly Model[],
  idOrTrait: string,
): Model | undefined =>
  idOrTrait === ''
    ? chooseDefaultCompletionModel(models)
    : findModelByIdOrTrait(listCompletionModels(models), idOrTrait);

/** Average numbers of input tokens and output tokens of a request. */
export interface RequestTokens {
  readonly input: number;
  readonly output: number;
}

/** Measured average numbers of tokens of a request for an inline suggestion. */
const suggestionTokens: RequestTokens = { input: 900, output: 20 };

/**
 * Estimates the price of one request in `unit`. Returns `undefined` if the price is unknown.
 * @param tokens by default, the averages of an inline suggestion
 */
export function estimateSuggestionPrice(
  { pricing }: Model,
  unit: keyof Price = 'usd',
  tokens: RequestTokens = suggestionTokens,
): number | undefined {
  const input = pricing.input?.[unit];
  const output = pricing.output?.[unit] ?? input;
  if (input === undefined || output === undefined) return undefined;
  return (input * tokens.input + output * tokens.output) / 1_000_000;
}

/**
 * Checks whether a suggestion costs more than twice the price that the user consented to. Returns false if a price is
 * unknown.
 */
export const isMuchMoreExpensive = (
  price: number | undefined,
  consentedPrice: number | undefined,
): boolean => price !== undefined && consentedPrice !== undefined && price > 2 * consentedPrice;

/**
 * Price factors. A matching model is ranked as if its price were multiplied by the factor. The trait `default_code`
 * only halves the price, because the service selects its default code model for chats, not for inline suggestions.
 */
const priceFactors: readonly (readonly [factor: number, applies: (model: Model) => boolean])[] = [
  [8, (model) => !isCodeModel(model)],
  // A model whose reasoning cannot be turned off sends the first text too late.
  [4, ({ capabilities }) => capabilities.supportsReasoning === true],
  [1 / 2, ({ traits }) => traits.includes('default_code')],
  [1 / 2, ({ traits }) => traits.includes('fastest')],
];

const isCodeModel = ({ capabilities, traits, type }: Model): boolean =>
  capabilities.optimizedForCode || traits.includes('default_code') || type === 'code';

function compareModels(a: Model, b: Model): number {
  return (
    Number(a.offline) - Number(b.offline) ||
    Number(isDeprecated(a)) - Number(isDeprecated(b)) ||
    Number(isUnpriced(a)) - Number(isUnpriced(b)) ||
    computeWeightedPrice(a) - computeWeightedPrice(b) ||
    a.name.localeCompare(b.name) ||
    a.id.localeCompare(b.id)
  );
}

const isDeprecated = ({ deprecation }: Model): boolean => deprecation !== undefined;
const isUnpriced = (model: Model): boolean => estimateSuggestionPrice(model) === undefined;

/**
 * Lower limit for the prices by which models are ranked. Without the limit, the factors would have no effect on free
 * models.
 */
const minPrice = 1e-9;

const computeWeightedPrice = (model: Model): number =>
  priceFactors.reduce(
    (weight, [weightFactor, applies]) => (applies(model) ? weight * weightFactor : weight),
    Math.max(minPrice, estimateSuggestionPrice(model) ?? 0),
  );
