import { splitModelId } from '../service/model-suffix.ts';
import type { Model } from '../service/model-types.ts';

/** Models that can hold a chat, best first: the service's default, then the others by name, offline ones last. */
export const chatModels = (models: readonly Model[]): readonly Model[] =>
  models.filter(({ type }) => type === 'text' || type === 'code').sort(compareModels);

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
 * Whether what is sent to the model stays private by what the service promises of it (`privacy`), or by where it runs:
 * in an enclave that can be attested, or to which messages are encrypted.
 */
export const isPrivate = ({ privacy, capabilities }: Model): boolean =>
  privacy === 'private' || capabilities.supportsTeeAttestation || capabilities.supportsE2EE;

/** The models that may be used. `privateOnly` is the person's or the workspace's lock. */
export const permittedModels = (models: readonly Model[], privateOnly: boolean): readonly Model[] =>
  privateOnly ? models.filter(isPrivate) : models;

/**
 * Every model that a request can mean by `name`: the one with this id, else all with this trait, which models of several
 * types can share; with a suffix of settings (service facts §1.4) or without. None for an alias, which only the
 * service can resolve.
 */
export function findModelsByName(models: readonly Model[], name: string): readonly Model[] {
  const names = [name, splitModelId(name).base];
  const byId = models.filter(({ id }) => names.includes(id));
  return byId.length > 0
    ? byId
    : models.filter(({ traits }) => traits.some((trait) => names.includes(trait)));
}

/** The one of them that a chat can mean. */
export const findChatModelByName = (models: readonly Model[], name: string): Model | undefined =>
  findModelsByName(models, name).find(({ type }) => type === 'text' || type === 'code');

/** Whether the lock lets a request through. What is not known to be private is not. */
export function isRequestPermitted(
  models: readonly Model[],
  { model, path }: { readonly model?: string; readonly path: string },
): boolean {
  const meant = model === undefined ? modelsOfRoute(models, path) : findModelsByName(models, model);
  return meant.length > 0 && meant.every(isPrivate);
}

/** Of a request that names none. */
const modelsOfRoute = (models: readonly Model[], path: string): readonly Model[] =>
  path === '/image/upscale' ? models.filter(({ type }) => type === 'upscale') : [];
