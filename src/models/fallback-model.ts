import { asRecord } from '../base/json.ts';
import { splitModelId } from '../service/model-suffix.ts';
import type { FailureCode, ServiceFailure } from '../service/http/failure.ts';
import type { Model, ModelPricing, Price, TokenPrices } from '../service/model-types.ts';
import { comparePrices } from '../service/pricing.ts';
import { decodeCachedModel } from './cache-record.ts';
import { type Capability, hasAllCapabilities } from './capability.ts';
import { selectChatModels } from './model-selection.ts';

/** Subset of `vscode.Memento` that this file uses. */
interface KeyValueStore {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

interface UsedModel {
  readonly baseUrl: string;
  readonly model: Model;
}

const usedModelsKey = 'chat.usedModels';
const maxUsedModels = 50;

/**
 * Stores the records of models that the user requested. After a model fails, its record determines suitable
 * replacements, even if the service no longer lists the failed model.
 */
export class UsedModels {
  readonly #store: KeyValueStore;

  constructor(store: KeyValueStore) {
    this.#store = store;
  }

  find(baseUrl: string, id: string): Model | undefined {
    return this.#readUsedModels().find(
      (usedModel) => usedModel.baseUrl === baseUrl && usedModel.model.id === id,
    )?.model;
  }

  /**
   * Stores the record of a requested model. If there are too many records, removes those of the models that were not
   * requested for the longest time.
   */
  async add(baseUrl: string, model: Model): Promise<void> {
    const usedModels = this.#readUsedModels();
    const isOtherModel = (usedModel: UsedModel): boolean =>
      usedModel.baseUrl !== baseUrl || usedModel.model.id !== model.id;
    const usedModel = { baseUrl, model: decodeCachedModel(model) ?? model };
    const changedModels = [...usedModels.filter(isOtherModel), usedModel].slice(-maxUsedModels);
    if (JSON.stringify(changedModels) !== JSON.stringify(usedModels))
      await this.#store.update(usedModelsKey, changedModels);
  }

  #readUsedModels(): readonly UsedModel[] {
    const storedValue = this.#store.get(usedModelsKey);
    return (Array.isArray(storedValue) ? storedValue : []).flatMap((value) => {
      const { baseUrl, model: record } = asRecord(value);
      const model = decodeCachedModel(record);
      return typeof baseUrl === 'string' && model !== undefined ? [{ baseUrl, model }] : [];
    });
  }
}

/** Codes of failures that concern only the requested model, so that another model of the same service may succeed. */
const modelFailureCodes: ReadonlySet<FailureCode> = new Set([
  'overloaded',
  'rate-limited',
  'model-not-found',
  'context-overflow',
]);

export interface FallbackOptions {
  /** Model of the failed request. */
  readonly failedModel: Model;
  readonly failure: Pick<ServiceFailure, 'code' | 'contextTokens'>;
  /** Capabilities that the replacement model must have. */
  readonly requiredCapabilities: ReadonlySet<Capability>;
  /** Number of tokens in the conversation. The context of the replacement model must be at least as large. */
  readonly usedTokens: number;
  /** Maximum price per million tokens, in US dollars or DIEM. If 0, the prices of `failedModel` are the maximum. */
  readonly maxPrice: number;
  /** Ids of the models that have already failed to answer the same question. */
  readonly excludedModels: ReadonlySet<string>;
  /**
   * Checks whether the chat can continue with a model, and whether the model protects the privacy of the chat as well
   * as the failed model does.
   */
  readonly isSuitable: (model: Model, failedModel: Model) => boolean;
}

export interface Fallback {
  readonly model: Model;
  /**
   * True if all prices of the model are known and at most the maximum. The extension may then use the model without
   * asking the user to confirm.
   */
  readonly isPriceWithinMax: boolean;
}

/**
 * Returns the model with which a chat can continue after its model failed. Prefers, in this order: prices within the
 * maximum, traits (such as `default_code`) shared with the failed model, traits that suit most chats, models that are
 * not in beta, higher prices. Returns `undefined` if no model is suitable, or if the failure would occur with every
 * model.
 */
export function findFallback(
  models: readonly Model[],
  options: FallbackOptions,
): Fallback | undefined {
  const { failedModel, failure, isSuitable } = options;
  if (!modelFailureCodes.has(failure.code)) return undefined;
  const [bestFallback] = selectChatModels(models)
    .filter(
      (model) =>
        canAnswer(model, options) && isAffordable(model, options) && isSuitable(model, failedModel),
    )
    .map((model) => ({
      model,
      isPriceWithinMax: comparePrice(model.pricing, options) === 'within',
    }))
    .toSorted(
      (a, b) =>
        Number(b.isPriceWithinMax) - Number(a.isPriceWithinMax) ||
        countSharedTraits(b.model, failedModel) - countSharedTraits(a.model, failedModel) ||
        getTraitRank(a.model) - getTraitRank(b.model) ||
        Number(a.model.beta) - Number(b.model.beta) ||
        (a.isPriceWithinMax ? comparePrices(b.model.pricing.output, a.model.pricing.output) : 0),
    );
  return bestFallback;
}

/** Checks whether a model is online, and supports the size, tools and images of the conversation. */
function canAnswer(
  model: Model,
  { failedModel, failure, requiredCapabilities, usedTokens, excludedModels }: FallbackOptions,
): boolean {
  const { id, offline, deprecation, contextTokens } = model;
  const hasFailed = id === splitModelId(failedModel.id).base || excludedModels.has(id);
  if (hasFailed || offline || deprecation !== undefined) return false;
  if (!hasAllCapabilities(model, requiredCapabilities)) return false;
  if (failure.code !== 'context-overflow') return (contextTokens ?? Infinity) >= usedTokens;
  const exceededContextTokens = Math.max(
    failedModel.contextTokens ?? 0,
    failure.contextTokens ?? 0,
    usedTokens,
  );
  return contextTokens !== undefined && contextTokens > exceededContextTokens;
}

/** Checks that no known price of a model exceeds the maximum. Unknown prices count as affordable. */
export const isAffordable = (
  { pricing }: Model,
  options: Pick<FallbackOptions, 'failedModel' | 'maxPrice'>,
): boolean => comparePrice(pricing, options) !== 'above';

/**
 * Compares the prices of a model with the maximum, including the extended prices for long prompts. Returns `above` if a
 * known price exceeds the maximum. Returns `unknown` if a price is unknown. Also returns `unknown` if only a price of
 * cached tokens exceeds the maximum, because the number of cached tokens is unknown.
 */
function comparePrice(
  { extended, ...prices }: ModelPricing,
  { failedModel: { pricing }, maxPrice }: Pick<FallbackOptions, 'failedModel' | 'maxPrice'>,
): 'within' | 'above' | 'unknown' {
  const priceTiers: readonly TokenPrices[] = [prices, { ...prices, ...extended }];
  const getMaxPrice = (price: Price | undefined): Price | undefined =>
    maxPrice > 0 ? { usd: maxPrice } : price;
  const [maxInputPrice, maxOutputPrice] = [getMaxPrice(pricing.input), getMaxPrice(pricing.output)];
  if (
    priceTiers.some(
      ({ input, output }) => exceedsMax(input, maxInputPrice) || exceedsMax(output, maxOutputPrice),
    )
  )
    return 'above';
  const areAllPricesKnown = [prices.input, prices.output, maxInputPrice, maxOutputPrice].every(
    (price) => price !== undefined,
  );
  const isCachePriceAboveMax = priceTiers.some(
    ({ input, cacheInput = input, cacheWrite = input }) =>
      exceedsMax(cacheInput, getMaxPrice(pricing.cacheInput ?? pricing.input)) ||
      exceedsMax(cacheWrite, getMaxPrice(pricing.cacheWrite ?? pricing.input)),
  );
  return areAllPricesKnown && !isCachePriceAboveMax ? 'within' : 'unknown';
}

/**
 * Checks whether a price exceeds the maximum in US dollars or in DIEM. If the maximum is set in only one currency, it
 * also applies to the other currency, because one DIEM has the value of one dollar.
 */
const exceedsMax = ({ usd = 0, diem = 0 }: Price = {}, maxPrice: Price = {}): boolean =>
  usd > (maxPrice.usd ?? maxPrice.diem ?? Infinity) ||
  diem > (maxPrice.diem ?? maxPrice.usd ?? Infinity);

/** Traits of models that suit most chats, best first. */
const traitOrder: readonly string[] = [
  'default',
  'function_calling_default',
  'default_code',
  'most_intelligent',
  'default_reasoning',
  'default_vision',
  'fastest',
];

/**
 * Returns the index in {@link traitOrder} of the model's best trait. Returns the length of the list if the model has
 * none of these traits.
 */
const getTraitRank = ({ traits }: Model): number =>
  Math.min(
    ...traits.map((trait) => traitOrder.indexOf(trait)).filter((index) => index >= 0),
    traitOrder.length,
  );

const countSharedTraits = ({ traits }: Model, currentModel: Model): number =>
  traits.filter((trait) => currentModel.traits.includes(trait)).length;
