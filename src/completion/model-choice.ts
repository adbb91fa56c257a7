import { findByIdOrTrait } from '../models/model-selection.ts';
import type { Model, Price } from '../service/model-types.ts';

/**
 * Models that can complete code, the best for it first. A suggestion is short, asked for all day and worth nothing when
 * it is late, so a small model made for code comes before a clever one. Online models are first, then those that stay,
 * then those with a price; among these the cheapest, since price follows size, and size the time to the first word.
 * What else a model is counts as a factor of its price: see {@link factors}.
 */
export function completionModels(models: readonly Model[]): readonly Model[] {
  const known = sorted.get(models);
  if (known !== undefined) return known;
  const best = models.filter(({ type }) => type === 'text' || type === 'code').sort(byUse);
  sorted.set(models, best);
  return best;
}

/** By the list they are from: the status asks for the best one with every change. */
const sorted = new WeakMap<readonly Model[], readonly Model[]>();

/** The best of them; `undefined` when there are none. */
export const defaultCompletionModel = (models: readonly Model[]): Model | undefined =>
  completionModels(models)[0];

/**
 * The model a setting names by id, else by trait (`default_code`); the default when it is empty. `undefined` when there
 * is no such model: another one might cost more than the person chose to pay.
 */
export const completionModelFor = (models: readonly Model[], wanted: string): Model | undefined =>
  wanted === ''
    ? defaultCompletionModel(models)
    : findByIdOrTrait(completionModels(models), wanted);

/**
 * About what one suggestion costs in that unit, for 900 tokens that are sent and 20 that come back, as measured;
 * `undefined` when the service names no price.
 */
export function suggestionPrice({ pricing }: Model, unit: keyof Price = 'usd'): number | undefined {
  const input = pricing.input?.[unit];
  const output = pricing.output?.[unit] ?? input;
  if (input === undefined || output === undefined) return undefined;
  return (input * 900 + output * 20) / 1_000_000;
}

/**
 * Whether suggestions cost more than twice what the person agreed to. A price that is not known is no reason to say so.
 */
export const isMuchMoreExpensive = (
  price: number | undefined,
  agreed: number | undefined,
): boolean => price !== undefined && agreed !== undefined && price > 2 * agreed;

/**
 * What a model may cost more, or must cost less, to come before one that is nothing of this. The service's default for
 * code is chosen for chats: it is worth double, not ten times as much.
 */
const factors: readonly (readonly [factor: number, isSo: (model: Model) => boolean])[] = [
  [8, (model) => !isForCode(model)],
  // Where thinking cannot be switched off after all, the first word comes too late.
  [4, ({ capabilities }) => capabilities.supportsReasoning],
  [1 / 2, ({ traits }) => traits.includes('default_code')],
  [1 / 2, ({ traits }) => traits.includes('fastest')],
];

const isForCode = ({ capabilities, traits, type }: Model): boolean =>
  capabilities.optimizedForCode || traits.includes('default_code') || type === 'code';

function byUse(a: Model, b: Model): number {
  return (
    Number(a.offline) - Number(b.offline) ||
    Number(isGoing(a)) - Number(isGoing(b)) ||
    Number(isUnpriced(a)) - Number(isUnpriced(b)) ||
    weight(a) - weight(b) ||
    a.name.localeCompare(b.name) ||
    a.id.localeCompare(b.id)
  );
}

const isGoing = ({ deprecation }: Model): boolean => deprecation !== undefined;
const isUnpriced = (model: Model): boolean => suggestionPrice(model) === undefined;

/** Free models differ in their factors, too. */
const leastPrice = 1e-9;

const weight = (model: Model): number =>
  factors.reduce(
    (weight, [factor, isSo]) => (isSo(model) ? weight * factor : weight),
    Math.max(leastPrice, suggestionPrice(model) ?? 0),
  );
