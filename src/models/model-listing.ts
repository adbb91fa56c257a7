import { comparePrices } from '../service/pricing.ts';
import type { Model } from '../service/model-types.ts';
import { type Capability, hasAllCapabilities } from './capability.ts';
import { chatModels, compareModels } from './model-selection.ts';

/** Options of the model list. */
export interface ModelListing {
  readonly requiredCapabilities: ReadonlySet<Capability>;
  /** True to list models of all types, not only chat models. */
  readonly hasAllTypes: boolean;
  /** True to sort by the input price, then by the output price. Models without a price come last. */
  readonly isByPrice: boolean;
}

/** Returns the models of a list in display order. */
export function listedModels(
  models: readonly Model[],
  { requiredCapabilities, hasAllTypes, isByPrice }: ModelListing,
): readonly Model[] {
  const ofType = hasAllTypes ? [...models].sort(compareModels) : chatModels(models);
  const matching = ofType.filter((model) => hasAllCapabilities(model, requiredCapabilities));
  if (!isByPrice) return matching;
  return matching.toSorted(
    ({ pricing: a }, { pricing: b }) =>
      comparePrices(a.input, b.input) || comparePrices(a.output, b.output),
  );
}
