import type { Model } from '../service/model-types.ts';
import { splitModelId } from '../service/model-suffix.ts';

/** Models that can hold a chat, best first: the service's default, then the others by name, offline ones last. */
export const chatModels = (models: readonly Model[]): readonly Model[] =>
  models.filter(({ type }) => type === 'text' || type === 'code').sort(byPromise);

/** The model that `wanted` names by id, else by trait (`default_code`). A suffix of the name stays with the id. */
export const findByIdOrTrait = (models: readonly Model[], wanted: string): Model | undefined =>
  findNamed(models, wanted, (name) => models.find(({ traits }) => traits.includes(name)));

/** The model of that id. What its suffix switches on or off makes no other model of it. */
export const findById = (models: readonly Model[], wanted: string): Model | undefined =>
  findNamed(models, wanted, () => undefined);

function findNamed(
  models: readonly Model[],
  wanted: string,
  otherwise: (name: string) => Model | undefined,
): Model | undefined {
  const find = (name: string): Model | undefined =>
    models.find(({ id }) => id === name) ?? otherwise(name);
  const whole = find(wanted);
  const { base, suffix } = splitModelId(wanted);
  if (whole !== undefined || suffix === '') return whole;
  const model = find(base);
  return model && { ...model, id: `${model.id}${suffix}` };
}

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
