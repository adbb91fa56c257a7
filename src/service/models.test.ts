import { expect, test } from 'vitest';
import { createScriptedService } from '../../test/support/scripted-transport.ts';
import { listModels, isModelList } from './models.ts';

const signal = new AbortController().signal;

const createListResponse = (...data: readonly unknown[]) => ({
  body: [JSON.stringify({ object: 'list', type: 'all', data })],
});

test('listModels reads a complete model record', async () => {
  const record = {
    id: 'm-1',
    type: 'text',
    created: 1_700_000_000,
    owned_by: 'owner',
    context_length: 1,
    model_spec: {
      name: 'Model One',
      description: 'd',
      availableContextTokens: 128_000,
      maxCompletionTokens: 4_096,
      modelSource: 'https://source.test',
      offline: true,
      betaModel: true,
      privacy: 'private',
      traits: ['default', 7],
      capabilities: { supportsVision: true, supportsReasoning: 'yes', quantization: 'fp8' },
      constraints: { temperature: { default: 0.7 }, top_p: { default: 0.9 } },
      pricing: { input: { usd: 0.15, diem: 0.15 }, output: { usd: 0.6 }, cache_input: {} },
      deprecation: { date: '2026-12-01T00:00:00Z', removesAt: 'x', replacementModelId: 'm-2' },
    },
  };
  const service = createScriptedService(createListResponse(record));
  const { models, type } = await listModels(service.context, { type: 'all', signal });
  expect(service.requests[0]?.url.search).toBe('?type=all');
  expect(type).toBe('all');
  const [model] = models;
  expect(model).toMatchObject({
    id: 'm-1',
    name: 'Model One',
    ownedBy: 'owner',
    contextTokens: 128_000,
    maxCompletionTokens: 4_096,
    offline: true,
    beta: true,
    privacy: 'private',
    traits: ['default'],
    temperature: 0.7,
    topP: 0.9,
    pricing: { input: { usd: 0.15, diem: 0.15 }, output: { usd: 0.6 } },
    deprecation: { date: '2026-12-01T00:00:00Z', removesAt: 'x', replacementModelId: 'm-2' },
    capabilities: { supportsVision: true, quantization: 'fp8' },
    constraints: record.model_spec.constraints,
  });
  // A flag that is not a boolean is unknown.
  expect(model?.capabilities).not.toHaveProperty('supportsReasoning');
  expect(model?.pricing.cacheInput).toBeUndefined();
});

test('listModels skips invalid model records and omits invalid fields', async () => {
  const service = createScriptedService(
    createListResponse(
      null,
      7,
      {},
      { id: '' },
      { id: 7 },
      { id: 'bare' },
      { id: 'wrong', type: 7, context_length: 8, model_spec: [] },
      {
        id: 'odd',
        type: 'hologram',
        model_spec: {
          name: 7,
          traits: 'x',
          capabilities: 'all',
          pricing: { input: { usd: 'free' }, output: { usd: -1 } },
          supportsWebSearch: true,
          supportsStyleReferences: true,
        },
      },
    ),
  );
  const { models } = await listModels(service.context, { signal });
  expect(models.map(({ id, type, name }) => [id, type, name])).toEqual([
    ['bare', 'text', 'bare'],
    ['wrong', 'text', 'wrong'],
    ['odd', 'hologram', 'odd'],
  ]);
  expect(models[0]).not.toHaveProperty('contextTokens');
  expect(models[0]?.capabilities).not.toHaveProperty('supportsVision');
  expect(models[1]?.contextTokens).toBe(8);
  expect(models[2]?.pricing).toEqual({});
  expect(models[1]?.capabilities).not.toHaveProperty('supportsStyleReferences');
  expect(models[2]?.capabilities.supportsWebSearch).toBe(true);
  expect(models[2]?.capabilities.supportsStyleReferences).toBe(true);
});

test('listModels omits context sizes and prices that are not finite', async () => {
  const spec =
    '{"availableContextTokens":1e999,"pricing":{"input":{"usd":1e999},"output":{"usd":1}}}';
  const { context } = createScriptedService({
    body: [`{"data":[{"id":"m","model_spec":${spec}}]}`],
  });
  const [model] = (await listModels(context, { signal })).models;
  expect(model).not.toHaveProperty('contextTokens');
  expect(model?.pricing).toEqual({ output: { usd: 1 } });
});

test.each([
  ['no models', 0],
  ['one model', 1],
  ['5,000 models', 5_000],
])('listModels reads a list of %s', async (_description, count) => {
  const records = Array.from({ length: count }, (_, index) => ({
    id: `m-${index}`,
    model_spec: {},
  }));
  const { models } = await listModels(
    createScriptedService(createListResponse(...records)).context,
    {
      signal,
    },
  );
  expect(models).toHaveLength(count);
});

test.each(['<html>Sign in</html>', '', '7', '[]', '{"data":7}', '{'])(
  'listModels rejects %j as a model list',
  async (text) => {
    const { context } = createScriptedService({ body: [text] });
    await expect(listModels(context, { signal })).rejects.toMatchObject({
      failure: { code: 'unexpected-response' },
    });
  },
);

test.each<[record: object, capabilities: object]>([
  [
    { supported_parameters: ['tools'], reasoning: { mandatory: true } },
    { supportsReasoning: true, supportsFunctionCalling: true },
  ],
  [
    { reasoning: { mandatory: false, supported_efforts: ['high', 'low', 7] } },
    {
      supportsReasoning: true,
      supportsReasoningEffort: true,
      reasoningEffortOptions: ['high', 'low'],
    },
  ],
  [{ reasoning: { supported_efforts: null } }, { supportsReasoning: true }],
  [{ reasoning: null }, {}],
])(
  'listModels reads the reasoning capabilities of the OpenRouter record %j',
  async (record, capabilities) => {
    const service = createScriptedService(createListResponse({ id: 'm', ...record }));
    const { models } = await listModels(service.context, { type: 'all', signal });
    expect(models[0]?.capabilities).toMatchObject(capabilities);
    expect(models[0]?.capabilities.supportsReasoning).toBe(
      'supportsReasoning' in capabilities ? true : undefined,
    );
    expect(models[0]?.capabilities.supportsReasoningEffort).not.toBe(false);
  },
);

test.each<[string, string, string, unknown, boolean | undefined]>([
  ['available', 'llamacpp', 'with the capability "multimodal"', ['completion', 'multimodal'], true],
  ['unavailable', 'llamacpp', 'without the capability "multimodal"', ['completion'], false],
  ['unknown', 'llamacpp', 'without a capability list', undefined, undefined],
  [
    'unknown',
    'library',
    'with the capability "multimodal"',
    ['completion', 'multimodal'],
    undefined,
  ],
])(
  'listModels reports image support as %s for a model of the owner "%s" %s',
  async (_result, owner, _description, listedCapabilities, hasVision) => {
    const body = {
      models: [{ name: 'm.gguf', model: 'm.gguf', capabilities: listedCapabilities }],
      object: 'list',
      data: [{ id: 'm.gguf', owned_by: owner, meta: null }],
    };
    const service = createScriptedService({ body: [JSON.stringify(body)] });
    const { models } = await listModels(service.context, { type: 'all', signal });
    expect(models[0]?.capabilities.supportsVision).toBe(hasVision);
  },
);

test.each([
  { object: 'list', data: [] },
  { data: [] },
  // Ollama without a model.
  { object: 'list', data: null },
])('isModelList returns true for the reply %j', (reply) => {
  expect(isModelList(reply)).toBe(true);
});

test.each<[reply: unknown]>([
  [{ data: null }],
  [{ object: 'list' }],
  [{ error: 'Unexpected endpoint or method. (GET /models)' }],
  [[]],
])('isModelList returns false for the reply %j', (reply) => {
  expect(isModelList(reply)).toBe(false);
});
