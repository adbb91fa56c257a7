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
