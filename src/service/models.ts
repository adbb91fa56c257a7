import { isRecord, omitUndefined, readStringOr, type JsonRecord } from '../base/json.ts';
import { createUnrecognizedResponseError, readJson } from './http/response.ts';
import type { ServiceContext } from './http/client.ts';
import type { Model, ModelType } from './model-types.ts';
import { readModel } from './read-model.ts';
import { listSecrets, sendCall } from './http/request.ts';
import { addServerModelDetails } from './server-model-details.ts';

interface ListOptions {
  /** Model type, or `all`. If absent, the service lists text models. */
  readonly type?: string;
  /** Base URL to which the request must be sent. The request fails if the active service has another base URL. */
  readonly baseUrl?: string;
  readonly signal: AbortSignal;
}

/** Lists the models of the service (spec §4.1). Omits invalid records. */
export async function listModels(
  context: ServiceContext,
  options: ListOptions,
): Promise<{
  readonly models: readonly Model[];
  readonly type: ModelType;
  readonly isPlain: boolean;
}> {
  const { reply, data: sentData } = await fetchModelList(context, '/models', options);
  // Ollama sends null instead of an empty list.
  const data = sentData === null ? [] : sentData;
  if (!Array.isArray(data)) throw createUnrecognizedResponseError(JSON.stringify(reply), []);
  const listedModels = indexRecords(reply['models'], 'model');
  const parents = indexRecords(data, 'id');
  const models = data
    .map((record) => addListedCapabilities(record, listedModels))
    .map((record) => readModel(addParentContextSize(record, parents)))
    .filter((model) => model !== undefined);
  const isPlain = !data.some((record) => isRecord(record) && 'model_spec' in record);
  return { models, type: readStringOr(reply['type'], options.type ?? 'text'), isPlain };
}

/**
 * Lists all models of the service. Model servers such as Ollama, whose model records have no `model_spec`, provide
 * more details on other routes: for such a server, adds these details and returns true as `isPlain`.
 */
export async function listModelsWithDetails(
  context: ServiceContext,
  signal: AbortSignal,
): Promise<{ readonly models: readonly Model[]; readonly isPlain: boolean }> {
  const { models, isPlain } = await listModels(context, { type: 'all', signal });
  return {
    models: isPlain ? await addServerModelDetails(context, models, signal) : models,
    isPlain,
  };
}

/** Checks whether a reply is a list of models. Ollama sends null instead of an empty list. */
export const isModelList = (reply: unknown): boolean =>
  isRecord(reply) &&
  (Array.isArray(reply['data']) || (reply['data'] === null && reply['object'] === 'list'));

/**
 * Adds the capabilities to a model record of llama.cpp. llama.cpp lists each model a second time in Ollama's format,
 * and only that record contains the capabilities.
 */
function addListedCapabilities(record: unknown, listedRecords: RecordIndex | undefined): unknown {
  if (!isRecord(record) || listedRecords === undefined || 'capabilities' in record) return record;
  return { ...record, capabilities: listedRecords.get(record['id'])?.['capabilities'] };
}

/**
 * Copies the context size from the record of the base model to the record of an adapter, because vLLM lists adapters
 * without a context size.
 */
function addParentContextSize(record: unknown, parents: RecordIndex | undefined): unknown {
  if (!isRecord(record) || record['max_model_len'] !== null) return record;
  return { ...record, max_model_len: parents?.get(record['parent'])?.['max_model_len'] };
}

type RecordIndex = ReadonlyMap<unknown, JsonRecord>;

/**
 * Indexes the records of a list by the value of a field. Keeps the first of several records with the same value.
 * Returns `undefined` if the value is not a list.
 */
function indexRecords(list: unknown, field: string): RecordIndex | undefined {
  if (!Array.isArray(list)) return undefined;
  return new Map(
    list
      .filter(isRecord)
      .toReversed()
      .map((record) => [record[field], record]),
  );
}

async function fetchModelList(
  context: ServiceContext,
  path: string,
  { type, baseUrl, signal }: ListOptions,
): Promise<{ reply: JsonRecord; data: unknown }> {
  const query = type === undefined ? {} : { type };
  const call = { method: 'GET', path, query, ...omitUndefined({ baseUrl }) } as const;
  const response = await sendCall(context, call, signal);
  const secrets = listSecrets(response.endpoint);
  const reply = await readJson(response.body, { secrets });
  if (!isRecord(reply)) throw createUnrecognizedResponseError(JSON.stringify(reply), secrets);
  return { reply, data: reply['data'] };
}
