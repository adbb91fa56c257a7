import type { Model } from '../service/model-types.ts';
import { splitModelId } from '../service/model-suffix.ts';

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
export function modelsNamed(models: readonly Model[], name: string): readonly Model[] {
  const names = [name, splitModelId(name).base];
  const byId = models.filter(({ id }) => names.includes(id));
  return byId.length > 0
    ? byId
    : models.filter(({ traits }) => traits.some((trait) => names.includes(trait)));
}

/** The one of them that a chat can mean. */
export const chatModelNamed = (models: readonly Model[], name: string): Model | undefined =>
  modelsNamed(models, name).find(({ type }) => type === 'text' || type === 'code');

/** Whether the lock lets a request through. What is not known to be private is not. */
export function isPermitted(
  models: readonly Model[],
  { model, path }: { readonly model?: string; readonly path: string },
): boolean {
  const meant = model === undefined ? modelsOfRoute(models, path) : modelsNamed(models, model);
  return meant.length > 0 && meant.every(isPrivate);
}

/** Of a request that names none. */
const modelsOfRoute = (models: readonly Model[], path: string): readonly Model[] =>
  path === '/image/upscale' ? models.filter(({ type }) => type === 'upscale') : [];
