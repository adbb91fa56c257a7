import { byPromise } from '../models/choice.ts';
import type { Model } from '../service/model-types.ts';
import type { EditModel, ImageModel } from './image-model.ts';
import { readEditModel, readImageModel } from './model-reading.ts';

/** Models that make pictures, best first: the service's default, then the others by name, offline ones last. */
export const imageModels = (models: readonly Model[]): readonly ImageModel[] =>
  readSorted(models, readImageModel);

/** Models that change pictures, in the order of {@link imageModels}. */
export const editModels = (models: readonly Model[]): readonly EditModel[] =>
  readSorted(models, readEditModel);

const readSorted = <T>(
  models: readonly Model[],
  read: (model: Model) => T | undefined,
): readonly T[] =>
  [...models]
    .sort(byPromise)
    .map(read)
    .filter((model) => model !== undefined);
