import { isRecord, stringOr, type JsonRecord } from '../base/json.ts';
import { notUnderstood, readJson } from './http/reply.ts';
import type { ServiceContext } from './http/client.ts';
import type { Model, ModelType } from './model-types.ts';
import { readModel } from './model-reading.ts';
import { secretsOf, send } from './http/request.ts';

interface ListOptions {
  /** A model type, or `all`; the service lists text models when absent. */
  readonly type?: string;
  readonly signal: AbortSignal;
}

/** The catalogue (spec §4.1). Records that are no models are left out. */
export async function listModels(
  context: ServiceContext,
  options: ListOptions,
): Promise<{ readonly models: readonly Model[]; readonly type: ModelType }> {
  const { list, data } = await getList(context, '/models', options);
  if (!Array.isArray(data)) throw notUnderstood(JSON.stringify(list), []);
  const models = data.map(readModel).filter((model) => model !== undefined);
  return { models, type: stringOr(list['type'], options.type ?? 'text') };
}

/** Which model carries each trait, such as `default` or `default_code`. */
export const listModelTraits = (
  context: ServiceContext,
  options: ListOptions,
): Promise<Readonly<Record<string, string>>> => getMapping(context, '/models/traits', options);

/** Which model answers for each foreign model name. */
export const getCompatibilityMapping = (
  context: ServiceContext,
  options: ListOptions,
): Promise<Readonly<Record<string, string>>> =>
  getMapping(context, '/models/compatibility_mapping', options);

async function getMapping(
  context: ServiceContext,
  path: string,
  options: ListOptions,
): Promise<Readonly<Record<string, string>>> {
  const { list, data } = await getList(context, path, options);
  if (!isRecord(data)) throw notUnderstood(JSON.stringify(list), []);
  const entries = Object.entries(data).filter((entry): entry is [string, string] => {
    return typeof entry[1] === 'string';
  });
  return Object.fromEntries(entries);
}

async function getList(
  context: ServiceContext,
  path: string,
  { type, signal }: ListOptions,
): Promise<{ list: JsonRecord; data: unknown }> {
  const query = type === undefined ? {} : { type };
  const reply = await send(context, { method: 'GET', path, query }, signal);
  const secrets = secretsOf(reply.endpoint);
  const list = await readJson(reply.body, { secrets });
  if (!isRecord(list)) throw notUnderstood(JSON.stringify(list), secrets);
  return { list, data: list['data'] };
}
