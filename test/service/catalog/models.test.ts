import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { capabilityFlags, type ModelRecord, modelTypes } from './model.ts';
import { createChatRequest, postChat, startTestService } from '../test-service.ts';

interface ModelList {
  readonly object: string;
  readonly type: string;
  readonly data: ModelRecord[];
}

async function fetchList(url: string): Promise<ModelList> {
  const reply = await fetch(url);
  expect(reply.status).toBe(200);
  expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
  return (await reply.json()) as ModelList;
}

describe('GET /models', () => {
  test('lists only text models by default, and the openai package can read the list', async () => {
    const { baseUrl, apiKey } = await startTestService();
    const modelPage = await new OpenAI({ baseURL: baseUrl, apiKey }).models.list();
    const { type, object, data } = await fetchList(`${baseUrl}/models`);
    expect({ type, object }).toEqual({ type: 'text', object: 'list' });
    expect(data.map(({ id }) => id)).toEqual(modelPage.data.map(({ id }) => id));
    expect(new Set(data.map((model) => model.type))).toEqual(new Set(['text']));
  });

  test('lists the models of each requested type, and names that type in the reply', async () => {
    const { baseUrl } = await startTestService();
    for (const type of modelTypes) {
      const reply = await fetchList(`${baseUrl}/models?type=${type}`);
      expect(reply.type).toBe(type);
      expect(reply.data.length).toBeGreaterThan(0);
      expect(new Set(reply.data.map((model) => model.type))).toEqual(new Set([type]));
    }
  });

  test('lists the models of every type with `type=all`, and only coding models with `type=code`', async () => {
    const { baseUrl } = await startTestService();
    const fullModelList = await fetchList(`${baseUrl}/models?type=all`);
    expect(new Set(fullModelList.data.map(({ type }) => type))).toEqual(new Set(modelTypes));
    expect(new Set(fullModelList.data.map(({ id }) => id)).size).toBe(fullModelList.data.length);
    const codeModelList = await fetchList(`${baseUrl}/models?type=code`);
    expect(
      codeModelList.data.every((model) => model.model_spec.capabilities?.optimizedForCode),
    ).toBe(true);
  });

  test('returns text models with all fields that the extension reads', async () => {
    const { baseUrl } = await startTestService();
    const { data } = await fetchList(`${baseUrl}/models`);
    for (const { model_spec, context_length } of data) {
      expect(Object.keys(model_spec.capabilities ?? {})).toEqual(
        expect.arrayContaining([...capabilityFlags, 'quantization']),
      );
      expect(model_spec.availableContextTokens).toBe(context_length);
      expect(model_spec.constraints).toMatchObject({
        temperature: { default: expect.any(Number) },
      });
      const price = { usd: expect.any(Number), diem: expect.any(Number) };
      expect(model_spec.pricing).toMatchObject({ input: price, output: price });
    }
  });

  test('rejects an unknown type', async () => {
    const { baseUrl } = await startTestService();
    const reply = await fetch(`${baseUrl}/models?type=poem`);
    expect(reply.status).toBe(400);
    expect(await reply.json()).toMatchObject({
      error: 'Invalid request parameters',
      issues: [{ code: 'invalid_union', path: ['type'] }],
    });
  });

  test('rejects an invalid key, even though a request without a key is accepted', async () => {
    const { baseUrl } = await startTestService();
    const headers = { authorization: 'Bearer wrong' };
    const reply = await fetch(`${baseUrl}/models`, { headers });
    expect(reply.status).toBe(401);
    expect(await reply.json()).toEqual({ error: 'Authentication failed' });
  });
});

describe('a model name', () => {
  const requestModel = async (model: string) => {
    const service = await startTestService({ vendorPrefix: 'acme' });
    const reply = await postChat(service, createChatRequest('Hi', { model }));
    return (await reply.json()) as { model?: string };
  };

  test.each([
    ['acme/tools-swift-24b', 'tools-swift-24b'],
    ['acme-tools-swift-24b', 'tools-swift-24b'],
    ['acme_Tools_Swift_24B', 'tools-swift-24b'],
    ['acme:tools-swift-24b', 'tools-swift-24b'],
    ['acme/default_code', 'coder-inline-7b'],
    ['openai/gpt-4o', 'assistant-large-480b'],
    ['acme/tools-swift-24b:enable_web_search=off', 'tools-swift-24b'],
  ])('in the form %s selects the model %s', async (name, id) => {
    expect(await requestModel(name)).toMatchObject({ model: id });
  });

  test.each(['acme/', 'acme-', 'acme/nothing', 'nothing-tools-swift-24b'])(
    'in the form %s is rejected as an unknown model',
    async (name) => {
      expect(await requestModel(name)).toMatchObject({
        error: expect.stringContaining('Specified model not found'),
      });
    },
  );

  test('that is well known from another service selects a model with function calling', async () => {
    const { baseUrl } = await startTestService();
    const mappingReply = await fetch(`${baseUrl}/models/compatibility_mapping`);
    const { data: idsByName } = (await mappingReply.json()) as { data: Record<string, string> };
    const { data: models } = await fetchList(`${baseUrl}/models`);
    expect(Object.keys(idsByName)).toEqual(expect.arrayContaining(['gpt-4o', 'gpt-4o-mini']));
    for (const id of Object.values(idsByName)) {
      const model = models.find((candidate) => candidate.id === id);
      expect(model?.model_spec.capabilities?.supportsFunctionCalling).toBe(true);
    }
  });
});

test('the service maps traits and compatible names to models of the requested type', async () => {
  const { baseUrl } = await startTestService();
  for (const path of ['traits', 'compatibility_mapping']) {
    for (const type of ['text', 'embedding']) {
      const reply = await fetch(`${baseUrl}/models/${path}?type=${type}`);
      const body = (await reply.json()) as { data: Record<string, string>; type: string };
      const ids = (await fetchList(`${baseUrl}/models?type=${type}`)).data.map(({ id }) => id);
      expect(body.type).toBe(type);
      expect(Object.keys(body.data).length).toBeGreaterThan(0);
      expect(ids).toEqual(expect.arrayContaining(Object.values(body.data)));
    }
  }
  const reply = await fetch(`${baseUrl}/models/traits?type=all`);
  expect(reply.status).toBe(400);
});
