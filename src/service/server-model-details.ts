import { asRecord, isRecord, type JsonRecord, omitUndefined } from '../base/json.ts';
import { CircuitBreakers } from './http/circuit-breaker.ts';
import type { Endpoint, ServiceContext } from './http/client.ts';
import { getServerRoot } from './http/endpoint.ts';
import { ServiceError } from './http/failure.ts';
import { type ServiceCall, listSecrets, sendCall } from './http/request.ts';
import { readJson } from './http/response.ts';
import { type FactOrigin, type Model, type ServerKind, getServerKind } from './model-types.ts';
import { type ServerModelDetails, readTokenCount, createTokenPricing } from './record-details.ts';
import { addServerDetails } from './read-model.ts';

/**
 * Adds the model details that servers such as Ollama provide on routes other than the model list. Sends requests only
 * if the model list shows which kind of server it is. Never throws: details stay unknown if a request fails.
 */
export async function addServerModelDetails(
  context: ServiceContext,
  models: readonly Model[],
  signal: AbortSignal,
): Promise<readonly Model[]> {
  const kind = getServerKind(models);
  if (kind === undefined) return models;
  const searchlessModels = serverKindsWithoutSearch.has(kind)
    ? models.map(markSearchUnsupported)
    : models;
  if (kind === 'vllm') return searchlessModels;
  using requests = new DetailsRequests(context, signal);
  try {
    return await detailsReaders[kind](requests, searchlessModels);
  } catch {
    return searchlessModels;
  }
}

/**
 * Servers without web search: they ignore unknown request fields, including the vendor parameters of spec §2.3 that
 * enable web search. Excludes LiteLLM, which may forward the fields, and LM Studio, whose behavior is undocumented.
 */
const serverKindsWithoutSearch: ReadonlySet<ServerKind> = new Set(['llamacpp', 'ollama', 'vllm']);

/** Marks a model as unable to search the web, unless its record states that the model can search. */
const markSearchUnsupported = (model: Model): Model => ({
  ...model,
  capabilities: { supportsWebSearch: false, supportsXSearch: false, ...model.capabilities },
});

type DetailsReader = (
  requests: DetailsRequests,
  models: readonly Model[],
) => Promise<readonly Model[]>;

const detailsReaders: Readonly<Record<Exclude<ServerKind, 'vllm'>, DetailsReader>> = {
  llamacpp: addLlamacppDetails,
  ollama: addOllamaDetails,
  lmstudio: addLmStudioDetails,
  litellm: addLitellmDetails,
};

/** Timeouts in milliseconds. Short, because the model list waits for the details. */
const timeouts = { connectMs: 2_000, headersMs: 5_000, idleMs: 5_000 };
/** Maximum number of models whose details are requested with one request per model. */
const maxSingleRequests = 40;
const maxParallelRequests = 4;
/** Time limit for all details in milliseconds. Details that arrive later stay unknown. */
const totalLimitMs = 10_000;

/**
 * Sends requests for model details. Has a separate circuit breaker, so failures of these requests do not block other
 * requests.
 */
class DetailsRequests implements Disposable {
  readonly #context: ServiceContext;
  readonly #signal: AbortSignal;
  readonly #cancelLimit: () => void;

  constructor(context: ServiceContext, signal: AbortSignal) {
    // No content is sent, so the model gate does not apply.
    const { gate: _, ...rest } = context;
    this.#context = { ...rest, breakers: new CircuitBreakers(context.clock) };
    const limitController = new AbortController();
    this.#cancelLimit = context.clock.after(totalLimitMs, () => limitController.abort());
    this.#signal = AbortSignal.any([signal, limitController.signal]);
  }

  [Symbol.dispose](): void {
    this.#cancelLimit();
  }

  /** Requests a route whose path does not begin with `/v1`. */
  readonly requestFromRoot = (call: RootCall): Promise<JsonRecord> =>
    this.#requestJson({ ...this.#context, getEndpoint: () => this.#getRootEndpoint() }, call);

  /** Requests a route below the base URL, which ends in `/v1`. */
  readonly requestFromBase = (call: RootCall): Promise<JsonRecord> =>
    this.#requestJson(this.#context, call);

  async #getRootEndpoint(): Promise<Endpoint> {
    const endpoint = await this.#context.getEndpoint();
    return { ...endpoint, baseUrl: getServerRoot(endpoint.baseUrl) };
  }

  async #requestJson(context: ServiceContext, call: RootCall): Promise<JsonRecord> {
    const method = call.body === undefined ? 'GET' : 'POST';
    const request: ServiceCall = { method, timeouts, canRetry: () => false, ...call };
    const response = await sendCall(context, request, this.#signal);
    const secrets = listSecrets(response.endpoint);
    return asRecord(await readJson(response.body, { maxBytes: 8 * 1024 * 1024, secrets }));
  }
}

type RootCall = Pick<ServiceCall, 'path' | 'query' | 'body'>;

const ignoreFailure = (request: Promise<JsonRecord>): Promise<JsonRecord> =>
  request.catch(() => ({}));

/**
 * Reads the details of each model with one request per model, four requests at a time. A failed request does not affect
 * other models, unless it shows that the server does not have the route.
 */
async function readDetailsById(
  models: readonly Model[],
  read: (id: string) => Promise<ServerModelDetails>,
): Promise<ReadonlyMap<string, ServerModelDetails>> {
  const detailsById = new Map<string, ServerModelDetails>();
  const remainingIds = models.slice(0, maxSingleRequests).map(({ id }) => id);
  const readRemainingModels = async (): Promise<void> => {
    for (let id = remainingIds.shift(); id !== undefined; id = remainingIds.shift()) {
      try {
        detailsById.set(id, await read(id));
      } catch (error) {
        const isRouteMissing = error instanceof ServiceError && error.failure.code === 'not-found';
        if (isRouteMissing) remainingIds.length = 0;
      }
    }
  };
  await Promise.all(Array.from({ length: maxParallelRequests }, readRemainingModels));
  return detailsById;
}

const readRecords = (value: unknown): readonly JsonRecord[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];

/** Returns the value if it is a boolean. Servers send null for unknown values. */
const readFlag = (value: unknown): boolean | undefined =>
  typeof value === 'boolean' ? value : undefined;

/** Checks whether a list contains an entry. Returns `undefined` if the value is not a list. */
const isListed = (list: unknown, entry: string): boolean | undefined =>
  Array.isArray(list) ? list.includes(entry) : undefined;

/** Adds details to each model for which details exist. Preserves the order of the models. */
const addDetails = (
  models: readonly Model[],
  origin: FactOrigin,
  detailsById: ReadonlyMap<string, ServerModelDetails>,
): readonly Model[] =>
  models.map((model) => {
    const details = detailsById.get(model.id);
    return details === undefined ? model : addServerDetails(model, details, origin);
  });

async function addLlamacppDetails(
  { requestFromRoot }: DetailsRequests,
  models: readonly Model[],
): Promise<readonly Model[]> {
  const props = await requestFromRoot({ path: '/props' });
  const isRouter = props['role'] === 'router';
  const detailsById = await readDetailsById(models, async (id) => {
    // A router would load the model without `autoload=false`.
    const query = { model: id, autoload: 'false' };
    return readPropsReply(isRouter ? await requestFromRoot({ path: '/props', query }) : props);
  });
  return addDetails(models, '/props', detailsById);
}

const readPropsReply = (props: JsonRecord): ServerModelDetails =>
  omitUndefined({
    contextTokens: readTokenCount(asRecord(props['default_generation_settings'])['n_ctx']),
    supportsFunctionCalling: readFlag(asRecord(props['chat_template_caps'])['supports_tools']),
    supportsVision: readFlag(asRecord(props['modalities'])['vision']),
  });

async function addOllamaDetails(
  { requestFromRoot }: DetailsRequests,
  models: readonly Model[],
): Promise<readonly Model[]> {
  const runningReply = await ignoreFailure(requestFromRoot({ path: '/api/ps' }));
  const detailsById = await readDetailsById(models, async (id) =>
    readOllamaShowReply(await requestFromRoot({ path: '/api/show', body: { model: id } })),
  );
  const sizesById = new Map<string, ServerModelDetails>();
  for (const record of readRecords(runningReply['models'])) {
    const contextTokens = readTokenCount(record['context_length']);
    const id = record['model'] ?? record['name'];
    if (typeof id === 'string' && contextTokens !== undefined) sizesById.set(id, { contextTokens });
  }
  return addDetails(addDetails(models, '/api/show', detailsById), '/api/ps', sizesById);
}

/**
 * Reads the reply of `/api/show`. Ignores the context size in the reply, because Ollama allocates less context than the
 * size for which the model was trained.
 */
function readOllamaShowReply({ capabilities, parameters }: JsonRecord): ServerModelDetails {
  const match = /^\s*num_ctx\s+(\d+)/m.exec(typeof parameters === 'string' ? parameters : '');
  return omitUndefined({
    type: isListed(capabilities, 'embedding') === true ? 'embedding' : undefined,
    contextTokens: readTokenCount(Number(match?.[1])),
    supportsFunctionCalling: isListed(capabilities, 'tools'),
    supportsVision: isListed(capabilities, 'vision'),
    supportsReasoning: isListed(capabilities, 'thinking'),
    supportsReasoningEffort: isListed(capabilities, 'thinking'),
    supportsInsert: isListed(capabilities, 'insert'),
  });
}

async function addLmStudioDetails(
  { requestFromRoot }: DetailsRequests,
  models: readonly Model[],
): Promise<readonly Model[]> {
  const [reply, detailedReply] = await Promise.all([
    ignoreFailure(requestFromRoot({ path: '/api/v0/models' })),
    // Exists since 0.4.0. Older releases send an error with the status 200.
    ignoreFailure(requestFromRoot({ path: '/api/v1/models' })),
  ]);
  const detailsById = new Map<string, ServerModelDetails>();
  for (const record of readRecords(reply['data'])) {
    if (typeof record['id'] === 'string') detailsById.set(record['id'], readLmStudioRecord(record));
  }
  const reasoningById = new Map<string, ServerModelDetails>();
  for (const { key, capabilities } of readRecords(detailedReply['models'])) {
    if (typeof key !== 'string' || !isRecord(capabilities)) continue;
    reasoningById.set(key, { supportsReasoning: isRecord(capabilities['reasoning']) });
  }
  return addDetails(
    addDetails(models, '/api/v0/models', detailsById),
    '/api/v1/models',
    reasoningById,
  );
}

/**
 * Reads a model of LM Studio. Tool support is true or unknown, because LM Studio accepts tools even for models without
 * trained tool use.
 */
const readLmStudioRecord = ({ type, capabilities, ...record }: JsonRecord): ServerModelDetails =>
  omitUndefined({
    type: type === 'embeddings' ? 'embedding' : undefined,
    contextTokens: readTokenCount(record['loaded_context_length']),
    supportsFunctionCalling: isListed(capabilities, 'tool_use') === true ? true : undefined,
    supportsVision: type === 'vlm' ? true : type === 'llm' ? false : undefined,
  });

const litellmTypes: Readonly<Record<string, Model['type']>> = {
  embedding: 'embedding',
  image_generation: 'image',
  audio_transcription: 'asr',
  audio_speech: 'tts',
};

async function addLitellmDetails(
  { requestFromBase }: DetailsRequests,
  models: readonly Model[],
): Promise<readonly Model[]> {
  const { data } = await requestFromBase({ path: '/model/info' });
  const deployments = Map.groupBy(readRecords(data), ({ model_name: name }) => String(name));
  const detailsById = new Map(
    [...deployments].map(([name, entries]) => [
      name,
      {
        ...combineDeploymentDetails(entries.map((entry) => asRecord(entry['model_info']))),
        ...omitUndefined({ supportsInsert: readSharedSuffixSupport(entries) }),
      },
    ]),
  );
  return addDetails(models, '/model/info', detailsById);
}

/**
 * Combines the details of all LiteLLM deployments with one model name. Any of the deployments may answer a request, so
 * a detail counts only if it applies to all of them.
 */
function combineDeploymentDetails(deployments: readonly JsonRecord[]): ServerModelDetails {
  const readSharedFlag = (name: string): boolean | undefined => {
    const flags = deployments.map((info) => readFlag(info[name]));
    if (flags.includes(false)) return false;
    return flags.includes(undefined) ? undefined : true;
  };
  const readMinTokenCount = (name: string): number | undefined => {
    const sizes = deployments.map((info) => readTokenCount(info[name]));
    return sizes.includes(undefined) ? undefined : Math.min(...(sizes as number[]));
  };
  const [firstDeployment = {}] = deployments;
  const mode = deployments.every((info) => info['mode'] === firstDeployment['mode'])
    ? firstDeployment['mode']
    : '';
  return omitUndefined({
    type: litellmTypes[String(mode)],
    contextTokens: readMinTokenCount('max_input_tokens'),
    maxCompletionTokens: readMinTokenCount('max_output_tokens'),
    supportsFunctionCalling: readSharedFlag('supports_function_calling'),
    supportsVision: readSharedFlag('supports_vision'),
    supportsReasoning: readSharedFlag('supports_reasoning'),
    pricing: readSharedPricing(deployments),
  });
}

/**
 * LiteLLM backends that receive the suffix of a text completion. Other backends receive the prompt as a chat, without
 * the suffix.
 */
const backendsSupportingSuffix: ReadonlySet<unknown> = new Set([
  'ollama',
  'text-completion-openai',
  'text-completion-codestral',
]);

/**
 * Checks whether all LiteLLM deployments with one model name support a suffix. Returns `undefined` if this depends on
 * the model behind a deployment.
 */
function readSharedSuffixSupport(deployments: readonly JsonRecord[]): boolean | undefined {
  const isTextCompletion = ({ model_info: info }: JsonRecord): boolean =>
    asRecord(info)['mode'] === 'completion';
  if (deployments.every(isTextCompletion)) return true;
  const backends = deployments.map(({ litellm_params: params }) => asRecord(params)['model']);
  const isPassedOn = backends.every(
    (backend) => typeof backend !== 'string' || backendsSupportingSuffix.has(backend.split('/')[0]),
  );
  return isPassedOn ? undefined : false;
}

/**
 * Reads the price per token if all LiteLLM deployments with one model name have the same price. A price of 0 counts as
 * unknown, because LiteLLM sends 0 for self-hosted models.
 */
function readSharedPricing(deployments: readonly JsonRecord[]): ServerModelDetails['pricing'] {
  const prices = deployments.map((info) => ({
    input: info['input_cost_per_token'],
    output: info['output_cost_per_token'],
    cacheInput: info['cache_read_input_token_cost'],
    cacheWrite: info['cache_creation_input_token_cost'],
  }));
  const [firstPrices] = prices;
  const isSame = prices.every((price) => JSON.stringify(price) === JSON.stringify(firstPrices));
  const isPriced = prices.some(({ input, output }) => Number(input) > 0 || Number(output) > 0);
  return firstPrices !== undefined && isSame && isPriced
    ? createTokenPricing(firstPrices)
    : undefined;
}
