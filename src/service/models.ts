import { isRecord, stringOr, type JsonRecord } from '../base/json.ts';
import { unrecognizedResponse, readJson } from './http/response.ts';
import type { ServiceContext } from './http/client.ts';
import type { Model, ModelType } from './model-types.ts';
import { readModel } from './read-model.ts';
import { secretsOf, send } from './http/request.ts';

interface ListOptions {
  /** Model type, or `all`. If absent, the service lists text models. */
  readonly type?: string;
  readonly signal: AbortSignal;
}

/** Lists the models of the service (spec §4.1). Omits invalid records. */
export async function listModels(
  context: ServiceContext,
  options: ListOptions,
): Promise<{ readonly models: readonly Model[]; readonly type: ModelType }> {
  const { list, data } = await getList(context, '/models', options);
  if (!Array.isArray(data)) throw unrecognizedResponse(JSON.stringify(list), []);
  const models = data.map(readModel).filter((model) => model !== undefined);
  return { models, type: stringOr(list['type'], options.type ?? 'text') };
}

async function getList(
  context: ServiceContext,
  path: string,
  { type, signal }: ListOptions,
): Promise<{ list: JsonRecord; data: unknown }> {
  const query = type === undefined ? {} : { type };
  const response = await send(context, { method: 'GET', path, query }, signal);
  const secrets = secretsOf(response.endpoint);
  const list = await readJson(response.body, { secrets });
  if (!isRecord(list)) throw unrecognizedResponse(JSON.stringify(list), secrets);
  return { list, data: list['data'] };
}
