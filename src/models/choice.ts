import type { Model } from '../service/model-types.ts';

/** Models that can hold a chat, best first: the service's default, then the others by name, offline ones last. */
export const chatModels = (models: readonly Model[]): readonly Model[] =>
  models.filter(({ type }) => type === 'text' || type === 'code').sort(byPromise);

/** The model that `wanted` names by id, else by trait (`default_code`). */
export const findByIdOrTrait = (models: readonly Model[], wanted: string): Model | undefined =>
  models.find(({ id }) => id === wanted) ?? models.find(({ traits }) => traits.includes(wanted));

/** The service's own default, else the first that is online, else the first; `undefined` when there are none. */
export function defaultChatModel(models: readonly Model[]): Model | undefined {
  const candidates = chatModels(models);
  return candidates.find(({ offline }) => !offline) ?? candidates[0];
}

/** Orders models: online before offline, the service's default first, then by name. */
export function byPromise(a: Model, b: Model): number {
  return (
    Number(a.offline) - Number(b.offline) ||
    Number(isDefault(b)) - Number(isDefault(a)) ||
    a.name.localeCompare(b.name) ||
    a.id.localeCompare(b.id)
  );
}

const isDefault = ({ traits }: Model): boolean => traits.includes('default');
