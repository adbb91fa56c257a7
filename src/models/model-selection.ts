import { splitModelId } from '../service/model-suffix.ts';
import type { Model } from '../service/model-types.ts';

/**
 * Returns the chat models in display order: the service's default model, other online models by name, and then the
 * offline models.
 */
export const selectChatModels = (models: readonly Model[]): readonly Model[] =>
  models.filter(isChatModel).sort(compareModels);

export const isChatModel = ({ type }: Model): boolean => type === 'text' || type === 'code';

/**
 * Finds a model by id, otherwise by a trait such as `default_code`. Ignores a suffix of `name`, such as `:web`, if
 * nothing matches the complete name. The id of the returned model then includes the suffix.
 */
export const findModelByIdOrTrait = (models: readonly Model[], name: string): Model | undefined =>
  findModelOrFallback(models, name, (name) => models.find(({ traits }) => traits.includes(name)));

/**
 * Finds a model by id. Ignores a suffix of `name`, such as `:web`, if no id equals the complete name. The id of the
 * returned model then includes the suffix.
 */
export const findModelById = (models: readonly Model[], name: string): Model | undefined =>
  findModelOrFallback(models, name, () => undefined);

function findModelOrFallback(
  models: readonly Model[],
  nameOrId: string,
  findFallback: (name: string) => Model | undefined,
): Model | undefined {
  const find = (name: string): Model | undefined =>
    models.find(({ id }) => id === name) ?? findFallback(name);
  const exactMatch = find(nameOrId);
  const { base, suffix } = splitModelId(nameOrId);
  if (exactMatch !== undefined || suffix === '') return exactMatch;
  const model = find(base);
  return model && { ...model, id: `${model.id}${suffix}` };
}

/**
 * Returns the service's default chat model. If there is none, returns the first online chat model, preferably one that
 * may support tools. If all are offline, returns the first chat model. Returns `undefined` if there are no chat models.
 */
export function getDefaultChatModel(models: readonly Model[]): Model | undefined {
  const candidates = selectChatModels(models);
  const onlineModels = candidates.filter(({ offline }) => !offline);
  return (
    onlineModels.find(isDefaultModel) ??
    onlineModels.find(({ capabilities }) => capabilities.supportsFunctionCalling !== false) ??
    onlineModels[0] ??
    candidates[0]
  );
}

/** Groups of the model picker, in display order. */
export const modelGroups = ['pinned', 'recent', 'recommended', 'all'] as const;
export type ModelGroup = (typeof modelGroups)[number];

/** Ids of the models that the user pinned, and of those that the user recently used, most recent first. */
export interface ModelChoices {
  readonly pinnedIds: readonly string[];
  readonly recentIds: readonly string[];
}

/**
 * Groups models for the model picker: pinned models, up to three recent models, models that the service recommends for
 * a purpose, and all other models. Models that the service will soon remove come last, unless they are pinned or
 * recent.
 */
export function groupModels(
  models: readonly Model[],
  { pinnedIds, recentIds }: ModelChoices = { pinnedIds: [], recentIds: [] },
): readonly { readonly model: Model; readonly group: ModelGroup }[] {
  const listedIds = new Set(models.map(({ id }) => id));
  const lastUsedIds = recentIds
    .filter((id) => listedIds.has(id) && !pinnedIds.includes(id))
    .slice(0, 3);
  const getGroup = ({ id, traits, offline, deprecation }: Model): ModelGroup => {
    if (pinnedIds.includes(id)) return 'pinned';
    if (lastUsedIds.includes(id)) return 'recent';
    return traits.length > 0 && !offline && deprecation === undefined ? 'recommended' : 'all';
  };
  const groupedModels = models.map((model) => ({ model, group: getGroup(model) }));
  return groupedModels.toSorted(
    (a, b) =>
      modelGroups.indexOf(a.group) - modelGroups.indexOf(b.group) ||
      (a.group === 'recent'
        ? lastUsedIds.indexOf(a.model.id) - lastUsedIds.indexOf(b.model.id)
        : 0) ||
      Number(a.model.deprecation !== undefined) - Number(b.model.deprecation !== undefined) ||
      compareModels(a.model, b.model),
  );
}

/**
 * Compares two models for sorting: online before offline, the service's default first, then by
 * name.
 */
export function compareModels(a: Model, b: Model): number {
  return (
    Number(a.offline) - Number(b.offline) ||
    Number(isDefaultModel(b)) - Number(isDefaultModel(a)) ||
    a.name.localeCompare(b.name) ||
    a.id.localeCompare(b.id)
  );
}

const isDefaultModel = ({ traits }: Model): boolean => traits.includes('default');

/**
 * Checks whether requests to the model stay private: the service promises it (`privacy`), or the model runs in an
 * enclave that supports attestation or encryption.
 */
export const isPrivate = ({ privacy, capabilities }: Model): boolean =>
  privacy === 'private' ||
  capabilities.supportsTeeAttestation === true ||
  capabilities.supportsE2EE === true;

/**
 * Returns the models that the user's settings permit: only private models if `isPrivateOnly` is true, otherwise all.
 */
export const selectPermittedModels = (
  models: readonly Model[],
  isPrivateOnly: boolean,
): readonly Model[] => (isPrivateOnly ? models.filter(isPrivate) : models);

/**
 * Returns all models to which a model name can refer: models with this id, otherwise models with this trait. Ignores a
 * suffix of the name, such as `:web`. Returns an empty array for an alias, because only the service can resolve
 * aliases.
 */
export function findModelsByName(models: readonly Model[], name: string): readonly Model[] {
  const names = [name, splitModelId(name).base];
  const idMatches = models.filter(({ id }) => names.includes(id));
  return idMatches.length > 0
    ? idMatches
    : models.filter(({ traits }) => traits.some((trait) => names.includes(trait)));
}

/** Returns the first chat model to which a model name can refer, as in {@link findModelsByName}. */
export const findChatModelByName = (models: readonly Model[], name: string): Model | undefined =>
  findModelsByName(models, name).find(({ type }) => type === 'text' || type === 'code');

/**
 * Checks whether a request is permitted by settings that allow only private models. Requires that all models to which
 * the request can refer are private, and that there is at least one.
 */
export function isRequestPermitted(
  models: readonly Model[],
  { model, path }: { readonly model?: string; readonly path: string },
): boolean {
  const candidates =
    model === undefined ? findRouteModels(models, path) : findModelsByName(models, model);
  return candidates.length > 0 && candidates.every(isPrivate);
}

/**
 * Returns the models from which the service selects one for a request without a model. Empty for all values of `path`
 * except the route for upscaling images.
 */
const findRouteModels = (models: readonly Model[], path: string): readonly Model[] =>
  path === '/image/upscale' ? models.filter(({ type }) => type === 'upscale') : [];
