import { completionModelFor, suggestionPrice } from '../model-choice.ts';
import type { Model } from '../../service/model-types.ts';
import type { Host } from '../../host.ts';
import { completionModelName } from './completion-settings.ts';

/** The model that makes suggestions; undefined while no models are known, and when the chosen one is gone. */
export const chosenModel = ({ models }: Pick<Host, 'models'>): Model | undefined =>
  completionModelFor(models.models, completionModelName());

/** About what a suggestion of it costs in USD; undefined while that is not known. */
export function chosenPrice(host: Pick<Host, 'models'>): number | undefined {
  const model = chosenModel(host);
  return model && suggestionPrice(model);
}
