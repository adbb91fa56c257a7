import { splitModelId } from '../service/model-suffix.ts';
import type { Model } from '../service/model-types.ts';

/** Lists chat models: the service's default first, then by name, offline models last. */
export const chatModels = (models: readonly Model[]): readonly Model[] =>
  models.filter(({ type }) => type === 'text' || type === 'code').sort(compareModels);

/**
 * Finds a model by id, else by trait, such as `default_code`. If the name has a suffix, the id of the result includes
 * it.
 */
export const findByIdOrTrait = (models: readonly Model[], name: string): Model | undefined =>
  findNamed(models, name, (name) => models.find(({ traits }) => traits.includes(name)));

/** Finds a model by id. If the id has a suffix, the id of the result includes it. */
export const findById = (models: readonly Model[], name: string): Model | undefined =>
  findNamed(models, name, () => undefined);

function findNamed(
  models: readonly Model[],
  nameOrId: string,
  fallback: (name: string) => Model | undefined,
): Model | undefined {
  const find = (name: string): Model | undefined =>
    models.find(({ id }) => id === name) ?? fallback(name);
  const exactMatch = find(nameOrId);
  const { base, suffix } = splitModelId(nameOrId);
  if (exactMatch !== undefined || suffix === '') return exactMatch;
  const model = find(base);
  return model && { ...model, id: `${model.id}${suffix}` };
}

/**
 * Returns the service's default chat model, else the first online one, else the first. `undefined`
 * without models.
 */
export function defaultChatModel(models: readonly Model[]): Model | undefined {
  const candidates = chatModels(models);
  return candidates.find(({ offline }) => !offline) ?? candidates[0];
}

/** Orders models: online before offline, the service's default first, then by name. */
export function compareModels(a: Model, b: Model): number {
  return (
    Number(a.offline) - Number(b.offline) ||
    Number(isDefault(b)) - Number(isDefault(a)) ||
    a.name.localeCompare(b.name) ||
    a.id.localeCompare(b.id)
  );
}

const isDefault = ({ traits }: Model): boolean => traits.includes('default');

/**
 * Checks whether the model keeps requests private: the service promises it (`privacy`), or the model runs in an enclave
 * that supports attestation or message encryption.
 */
export const isPrivate = ({ privacy, capabilities }: Model): boolean =>
  privacy === 'private' || capabilities.supportsTeeAttestation || capabilities.supportsE2EE;

/** Returns the models that the private-only setting permits. */
export const permittedModels = (models: readonly Model[], privateOnly: boolean): readonly Model[] =>
  privateOnly ? models.filter(isPrivate) : models;

/**
 * Finds all models to which a model name in a request can refer: the model with this id, else all models with this
 * trait. A suffix of the name is ignored (service facts §1.4). Returns none for an alias, which only the service can
 * resolve.
 */
export function findModelsByName(models: readonly Model[], name: string): readonly Model[] {
  const names = [name, splitModelId(name).base];
  const byId = models.filter(({ id }) => names.includes(id));
  return byId.length > 0
    ? byId
    : models.filter(({ traits }) => traits.some((trait) => names.includes(trait)));
}

/** Finds a chat model by id or trait, as {@link findModelsByName} does. */
export const findChatModelByName = (models: readonly Model[], name: string): Model | undefined =>
  findModelsByName(models, name).find(({ type }) => type === 'text' || type === 'code');

/** Checks whether the private-only setting permits a request. Unknown models are not permitted. */
export function isRequestPermitted(
  models: readonly Model[],
  { model, path }: { readonly model?: string; readonly path: string },
): boolean {
  const candidates =
    model === undefined ? findRouteModels(models, path) : findModelsByName(models, model);
  return candidates.length > 0 && candidates.every(isPrivate);
}

/** Returns the models that a request without a model name can use. */
const findRouteModels = (models: readonly Model[], path: string): readonly Model[] =>
  path === '/image/upscale' ? models.filter(({ type }) => type === 'upscale') : [];
