import { expect, test } from 'vitest';
import type { PlainServerSettings } from '../../test/foreign/plain-server.mjs';
import { startStrictDeployment } from '../../test/support/deployment-context.ts';
import { connectToPlainServer } from '../../test/support/plain-server-context.ts';
import type { ManualClock } from '../../test/support/manual-clock.ts';
import { createScriptedService } from '../../test/support/scripted-transport.ts';
import type { Transport, TransportRequest } from './http/client.ts';
import { formatPricing } from './pricing.ts';
import type { Model } from './model-types.ts';
import { listModels, listModelsWithDetails } from './models.ts';

const { signal } = new AbortController();
const apiKey = 'any-key-at-all';

async function listServerModels(settings: PlainServerSettings) {
  await using connection = await connectToPlainServer({ apiKey, ...settings });
  const { models } = await listModelsWithDetails(connection.context, signal);
  const findModel = (id: string): Model => {
    const model = models.find((candidate) => candidate.id === id);
    if (model === undefined) throw new Error(id);
    return model;
  };
  const paths = connection.server.requests.map(({ method, path }) => `${method} ${path}`);
  return { find: findModel, paths, models };
}

/** Returns the details of a model: context size, tools, images and reasoning. Unknown details are undefined. */
const getDetails = ({ contextTokens, capabilities, type }: Model) => ({
  type,
  context: contextTokens,
  tools: capabilities.supportsFunctionCalling,
  images: capabilities.supportsVision,
  reasoning: capabilities.supportsReasoning,
});
const unknownDetails = {
  context: undefined,
  tools: undefined,
  images: undefined,
  reasoning: undefined,
};

test('listModelsWithDetails reads the context size of a slot and the support for tools and images from llama.cpp', async () => {
  const { find, paths } = await listServerModels({ kind: 'llamacpp', context: 8_000 });
  const model = find('Qwen3-VL-8B-Q4_K_M.gguf');
  expect(getDetails(model)).toEqual({
    ...unknownDetails,
    type: 'text',
    context: 8_000,
    tools: true,
    images: true,
  });
  expect(model.origins).toEqual({ context: '/props', tools: '/props', images: '/props' });
  expect(paths).toEqual(['GET /v1/models?type=all', 'GET /props']);
});

test('listModelsWithDetails infers the capabilities of an older llama.cpp server, which lists none, and ignores the trained context size', async () => {
  const { find } = await listServerModels({
    kind: 'llamacpp',
    tools: false,
    vision: false,
    legacy: true,
  });
  expect(getDetails(find('Qwen3-VL-8B-Q4_K_M.gguf'))).toMatchObject({
    tools: false,
    images: false,
  });
});

test('listModelsWithDetails does not load a model of a llama.cpp router', async () => {
  const { find, paths } = await listServerModels({ kind: 'llamacpp', router: true });
  expect(getDetails(find('Qwen3-VL-8B-Q4_K_M.gguf'))).toMatchObject({
    context: 40_960,
    images: true,
  });
  // For a model that is not loaded, the model list states the image support.
  expect(getDetails(find('phi-4-Q4_K_M'))).toEqual({
    ...unknownDetails,
    type: 'text',
    images: false,
  });
  const requestedPaths = paths.filter((path) => path.includes('/props?'));
  expect(requestedPaths).toHaveLength(2);
  expect(requestedPaths.every((path) => path.includes('autoload=false'))).toBe(true);
});

test('listModelsWithDetails reads capabilities and the allocated context size from Ollama, not the trained context size', async () => {
  const { find } = await listServerModels({ kind: 'ollama' });
  const runningModel = find('qwen3:8b');
  expect(getDetails(runningModel)).toEqual({
    type: 'text',
    context: 4_096,
    tools: true,
    images: false,
    reasoning: true,
  });
  expect(runningModel.origins).toMatchObject({ context: '/api/ps', tools: '/api/show' });
  expect(getDetails(find('gemma3:270m'))).toEqual({
    type: 'text',
    context: undefined,
    tools: false,
    images: false,
    reasoning: false,
  });
  expect(find('qwen2.5-coder:1.5b-base').capabilities.supportsInsert).toBe(true);
  expect(find('nomic-embed-text:latest').type).toBe('embedding');
});

test('listModelsWithDetails reads the context size of vLLM models, and of the base model for an adapter', async () => {
  const { find, paths } = await listServerModels({ kind: 'vllm' });
  expect(getDetails(find('sql-adapter'))).toEqual({
    ...unknownDetails,
    type: 'text',
    context: 32_768,
  });
  expect(paths).toHaveLength(1);
});

test.each([
  ['a current', false],
  ['an older', true],
])(
  'listModelsWithDetails reads the model details of %s release of LM Studio',
  async (_release, isLegacy) => {
    const { find } = await listServerModels({ kind: 'lmstudio', legacy: isLegacy });
    expect(getDetails(find('qwen/qwen3-4b'))).toEqual({
      type: 'text',
      context: 4_096,
      tools: true,
      images: false,
      reasoning: isLegacy ? undefined : true,
    });
    expect(getDetails(find('qwen2-vl-7b-instruct'))).toMatchObject({
      images: true,
      context: undefined,
    });
    expect(find('text-embedding-nomic-embed-text-v1.5').type).toBe('embedding');
  },
);

test('listModelsWithDetails reads capabilities and prices of OpenRouter from its list', async () => {
  const { find, paths } = await listServerModels({ kind: 'openrouter' });
  expect(getDetails(find('openai/gpt-4o-mini'))).toEqual({
    type: 'text',
    context: 128_000,
    tools: true,
    images: true,
    reasoning: false,
  });
  expect(getDetails(find('deepseek/deepseek-r1'))).toMatchObject({
    tools: false,
    reasoning: true,
  });
  expect(find('openai/gpt-4o-mini').pricing).toEqual({
    input: { usd: 0.15 },
    output: { usd: 0.6 },
  });
  expect(formatPricing(find('openai/gpt-4o-mini').pricing)).toBe('$0.15 in · $0.60 out / 1M');
  expect(find('qwen/qwen3-coder:free').pricing).toEqual({ input: { usd: 0 }, output: { usd: 0 } });
  // A price of -1 means that it varies.
  expect(find('openrouter/auto').pricing).toEqual({});
  expect(paths).toHaveLength(1);
});

test('listModelsWithDetails reads capabilities and prices of LiteLLM, where null is unknown', async () => {
  const { find } = await listServerModels({ kind: 'litellm' });
  expect(getDetails(find('gpt-4o'))).toEqual({
    type: 'text',
    context: 128_000,
    tools: true,
    images: true,
    reasoning: false,
  });
  expect(find('gpt-4o').pricing).toEqual({ input: { usd: 2.5 }, output: { usd: 10 } });
  expect(getDetails(find('local-qwen'))).toEqual({ ...unknownDetails, type: 'text' });
  expect(find('local-qwen').pricing).toEqual({});
  expect(getDetails(find('llama2'))).toMatchObject({ tools: false });
  expect(find('text-embedding-3-small').type).toBe('embedding');
});

test('listModelsWithDetails requests only the model list if the list does not identify the server', async () => {
  const record = { id: 'm', object: 'model', owned_by: 'someone' };
  const service = createScriptedService({ body: [JSON.stringify({ data: [record] })] });
  const [model] = (await listModelsWithDetails(service.context, signal)).models;
  expect(model && getDetails(model)).toEqual({ ...unknownDetails, type: 'text' });
  expect(service.requests).toHaveLength(1);
});

test('listModelsWithDetails returns the models without details if the requests for details fail', async () => {
  const record = { id: 'm', object: 'model', owned_by: 'llamacpp', meta: null };
  const service = createScriptedService(
    { body: [JSON.stringify({ data: [record] })] },
    { status: 503, body: ['{"error":{"message":"Loading model"}}'] },
  );
  const { models } = await listModelsWithDetails(service.context, signal);
  expect(models.map(({ id }) => id)).toEqual(['m']);
  expect(service.requests).toHaveLength(2);
});

test.each([
  ['null', null],
  ['a text', 'x'],
  ['wrong types', { default_generation_settings: 7, modalities: [], chat_template_caps: 'all' }],
  ['a size of zero', { default_generation_settings: { n_ctx: 0 } }],
])('listModelsWithDetails leaves details unknown if the server sends %s', async (_name, reply) => {
  const service = createScriptedService(
    { body: [JSON.stringify({ data: [{ id: 'm', owned_by: 'llamacpp' }] })] },
    { body: [JSON.stringify(reply)] },
  );
  const [model] = (await listModelsWithDetails(service.context, signal)).models;
  expect(model && getDetails(model)).toEqual({ ...unknownDetails, type: 'text' });
});

const modelNames = Array.from({ length: 12 }, (_, index) => `model-${index}`);

type AnswerShowRequest = (
  id: string,
  signal: AbortSignal,
) => Promise<[status: number, body: object]>;

/** Lists the models of an Ollama server whose `/api/show` route responds with `answerShow`. */
async function listOllamaModels(
  answerShow: AnswerShowRequest,
  onRequest = (_clock: ManualClock) => {},
) {
  let [activeCount, maxActiveCount] = [0, 0];
  const requests: string[] = [];
  const answerRequest: (request: TransportRequest) => ReturnType<AnswerShowRequest> = async (
    request,
  ) => {
    if (request.url.pathname.endsWith('/models'))
      return [200, { data: modelNames.map((id) => ({ id, owned_by: 'library' })) }];
    if (!request.url.pathname.endsWith('/api/show')) return [200, {}];
    const { model } = JSON.parse(String(request.body)) as { model: string };
    requests.push(model);
    onRequest(clock);
    maxActiveCount = Math.max(maxActiveCount, (activeCount += 1));
    return await answerShow(model, request.signal).finally(() => (activeCount -= 1));
  };
  const send: Transport['send'] = async (request) => {
    const [status, body] = await answerRequest(request);
    const generateBytes = async function* () {
      yield new TextEncoder().encode(JSON.stringify(body));
    };
    return { status, headers: {}, body: generateBytes() };
  };
  const { context, clock } = createScriptedService();
  const getTransport = async () => ({ send, close: () => Promise.resolve() });
  const { models } = await listModelsWithDetails({ ...context, getTransport }, signal);
  const reportedIds = models
    .filter((model) => getDetails(model).tools === true)
    .map(({ id }) => id);
  return { requests, reportedIds, maxActiveCount };
}

test('listModelsWithDetails sends at most four requests for Ollama details at a time, and reads the other details if one request fails', async () => {
  const { reportedIds, maxActiveCount } = await listOllamaModels(async (id) => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    if (id === 'model-0') return [500, { error: 'unable to read the manifest' }];
    if (id === 'model-1') return [404, { error: "model 'model-1' not found" }];
    return [200, { capabilities: ['completion', 'tools'] }];
  });
  expect(reportedIds).toEqual(modelNames.slice(2));
  expect(maxActiveCount).toBe(4);
});

test('listModelsWithDetails lists all models of an Ollama server if requests for details time out', async () => {
  const answerFirstModelOnly: AnswerShowRequest = (id, requestSignal) =>
    id === 'model-0'
      ? Promise.resolve([200, { capabilities: ['tools'] }])
      : new Promise((_resolve, reject) => {
          requestSignal.addEventListener('abort', () => reject(requestSignal.reason));
        });
  let isExpiring = false;
  const { reportedIds, requests } = await listOllamaModels(answerFirstModelOnly, (clock) => {
    if (isExpiring) return;
    isExpiring = true;
    // All requests together have one limit.
    setTimeout(() => void clock.advance(10_000), 50);
  });
  expect(reportedIds).toEqual(['model-0']);
  expect(requests.length).toBeLessThanOrEqual(5);
});

test('listModelsWithDetails stops requesting Ollama details if the server lacks the route', async () => {
  const { requests, reportedIds } = await listOllamaModels(async () => [
    404,
    { error: '404 page not found' },
  ]);
  expect(reportedIds).toEqual([]);
  expect(requests.length).toBeLessThanOrEqual(4);
});

test.each(['llamacpp', 'ollama', 'vllm'] as const)(
  'listModelsWithDetails marks the models of %s as unable to search the web, because the server ignores vendor parameters',
  async (kind) => {
    const { models } = await listServerModels({ kind });
    for (const { capabilities } of models)
      expect(capabilities).toMatchObject({ supportsWebSearch: false, supportsXSearch: false });
  },
);

test('listModelsWithDetails leaves the web search support of other servers unknown', async () => {
  for (const kind of ['lmstudio', 'openrouter', 'litellm'] as const) {
    const { models } = await listServerModels({ kind });
    for (const { capabilities } of models)
      expect(capabilities).not.toHaveProperty('supportsWebSearch');
  }
});

test('listModelsWithDetails does not change the model records of a deployment, even if the records name "vllm" as the owner', async () => {
  // The records of this deployment name its vendor prefix as the owner.
  await using server = await startStrictDeployment({ word: 'vllm', shape: 'full' });
  const { models: listedModels } = await listModels(server.context, { type: 'all', signal });
  expect(listedModels.some(({ capabilities }) => capabilities.supportsWebSearch === true)).toBe(
    true,
  );
  const { models, isPlain } = await listModelsWithDetails(server.context, signal);
  expect(isPlain).toBe(false);
  expect(models).toEqual(listedModels);
});

test('listModelsWithDetails leaves the tool support of an LM Studio model unknown if the model has no trained tool use, because LM Studio accepts tools anyway', async () => {
  const models = { data: [{ id: 'm', object: 'model', owned_by: 'organization_owner' }] };
  const detailsReply = { data: [{ id: 'm', type: 'llm', capabilities: ['other'] }] };
  const { context } = createScriptedService(
    { body: [JSON.stringify(models)] },
    { body: [JSON.stringify(detailsReply)] },
    { body: ['{"error":"Unexpected endpoint or method. (GET /api/v1/models)"}'] },
  );
  const { models: listedModels } = await listModelsWithDetails(context, signal);
  expect(listedModels.map(getDetails)).toEqual([
    { ...unknownDetails, type: 'text', images: false },
  ]);
});

/** Reads the context size of a model from its record in the model list. */
async function readContextTokens(fields: object): Promise<(number | undefined)[]> {
  const list = { object: 'list', data: [{ id: 'm', object: 'model', ...fields }] };
  const { context } = createScriptedService({ body: [JSON.stringify(list)] });
  const { models } = await listModels(context, { type: 'all', signal });
  return models.map(({ contextTokens }) => contextTokens);
}

test.each([
  ['one slot of llama.cpp', { meta: { n_ctx: 4_096, n_ctx_train: 32_768 } }, 4_096],
  [
    'the provider of OpenRouter',
    { context_length: 128_000, top_provider: { context_length: 8_000 } },
    8_000,
  ],
  [
    'an OpenRouter model whose provider has no size',
    { context_length: 128_000, top_provider: { context_length: null } },
    128_000,
  ],
])(
  'listModels reads the context size of %s from the model list',
  async (_name, fields, expected) => {
    expect(await readContextTokens(fields)).toEqual([expected]);
  },
);

test.each([
  ['with only a trained context size', { meta: { n_ctx_train: 32_768 } }],
  ['that is still loading', { meta: null }],
])('listModels leaves the context size unknown for a llama.cpp model %s', async (_name, fields) => {
  expect(await readContextTokens(fields)).toEqual([undefined]);
});
