import { describe, expect, test } from 'vitest';
import type { PlainServerKind, PlainServerSettings } from '../../../test/foreign/plain-server.mjs';
import { flattenBatches } from '../../../test/support/batches.ts';
import {
  connectToPlainServer,
  listSentBodies,
} from '../../../test/support/plain-server-context.ts';
import { createScriptedService } from '../../../test/support/scripted-transport.ts';
import { ToolCallAssembly } from '../../conversation/tool-call-assembly.ts';
import { omitUndefined } from '../../base/json.ts';
import type { ServiceContext } from '../http/client.ts';
import { listModels, listModelsWithDetails } from '../models.ts';
import { createChatCompletion } from './chat.ts';
import type { ChatEvent, ChatRequest, ToolDefinition } from './chat-types.ts';
import { streamChat } from './stream-chat.ts';

const { signal } = new AbortController();

/**
 * Ids of the test models, by kind of server. `reasoningModel` streams reasoning, and `toolModel` (default: the same
 * model) calls tools. `limitedModel` refuses tools and images if the server is started with `limitedSettings`.
 */
const modelsByServer: Readonly<
  Record<
    PlainServerKind,
    {
      reasoningModel: string;
      toolModel?: string;
      limitedModel: string;
      limitedSettings?: Partial<PlainServerSettings>;
    }
  >
> = {
  llamacpp: {
    reasoningModel: 'Qwen3-VL-8B-Q4_K_M.gguf',
    limitedModel: 'Qwen3-VL-8B-Q4_K_M.gguf',
    limitedSettings: { tools: false, vision: false },
  },
  ollama: { reasoningModel: 'qwen3:8b', limitedModel: 'gemma3:270m' },
  vllm: {
    reasoningModel: 'Qwen/Qwen3-VL-8B-Instruct',
    limitedModel: 'sql-adapter',
    limitedSettings: { tools: false, vision: false },
  },
  lmstudio: { reasoningModel: 'qwen/qwen3-4b', limitedModel: 'gemma-2-2b-it' },
  openrouter: {
    reasoningModel: 'deepseek/deepseek-r1',
    toolModel: 'openai/gpt-4o-mini',
    limitedModel: 'deepseek/deepseek-r1',
  },
  litellm: { reasoningModel: 'local-qwen', limitedModel: 'llama2' },
};
const serverKinds = Object.keys(modelsByServer) as PlainServerKind[];
/** API key that every test server accepts. OpenRouter requires a key. */
const apiKey = 'any-key-at-all';

const tools: readonly ToolDefinition[] = [
  { type: 'function', function: { name: 'read_file', parameters: { type: 'object' } } },
];
const createMessages = (text: string): ChatRequest['messages'] => [{ role: 'user', content: text }];
const imageMessages: ChatRequest['messages'] = [
  {
    role: 'user',
    content: [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
    ],
  },
];

async function sendChat(
  settings: PlainServerSettings & { readonly apiKey?: string | undefined },
  request: ChatRequest,
): Promise<{ readonly events: readonly ChatEvent[]; readonly requestCount: number }> {
  const { apiKey: sentKey, ...otherSettings } = { apiKey, ...settings };
  await using connection = await connectToPlainServer({
    ...otherSettings,
    ...omitUndefined({ apiKey: sentKey }),
  });
  const events = await Array.fromAsync(
    flattenBatches(streamChat(connection.context, request, { signal })),
  );
  return { events, requestCount: listSentBodies(connection.server, '/chat/completions').length };
}

const joinText = (events: readonly ChatEvent[], type: 'text-delta' | 'reasoning-delta'): string =>
  events.map((event) => (event.type === type ? event.text : '')).join('');

function getFailure(events: readonly ChatEvent[]) {
  const lastEvent = events.at(-1);
  return lastEvent?.type === 'stream-end' && lastEvent.outcome.kind === 'failed'
    ? lastEvent.outcome.failure
    : {};
}

function getToolCalls(events: readonly ChatEvent[]) {
  const assembly = new ToolCallAssembly();
  for (const event of events) if (event.type === 'tool-call-delta') assembly.add(event);
  return assembly.listCalls().map(({ function: { name, arguments: args } }) => `${name} ${args}`);
}

describe.each(serverKinds)('a chat with %s', (kind) => {
  const {
    reasoningModel,
    toolModel = reasoningModel,
    limitedModel,
    limitedSettings,
  } = modelsByServer[kind];
  const helloRequest = { model: reasoningModel, messages: createMessages('Hello') };

  test('streams text, reasoning and usage until the answer is complete', async () => {
    const { events } = await sendChat({ kind }, helloRequest);
    expect(joinText(events, 'text-delta')).toMatch(/^Model .*easy to see\.$/);
    expect(joinText(events, 'reasoning-delta')).toBe(
      'The request is short, so a short answer is enough.',
    );
    expect(events.filter(({ type }) => type === 'usage').at(-1)).toMatchObject({
      usage: { completionTokens: expect.toSatisfy((tokens: number) => tokens > 10) },
    });
    expect(events.at(-1)).toMatchObject({ outcome: { kind: 'complete' } });
  });

  test('reads reasoning from think tags', async () => {
    const { events } = await sendChat({ kind, thinkTags: true }, helloRequest);
    expect(joinText(events, 'reasoning-delta')).toContain('a short answer');
    expect(joinText(events, 'text-delta')).toMatch(/^Model /);
  });

  test.each([
    ['of the current server release', false],
    ['of an older server release', true],
  ])('separates two tool calls %s', async (_name, isLegacy) => {
    const messages = createMessages(
      'call read_file {"path": "a}b"} and call read_file {"path": "c"}',
    );
    const { events } = await sendChat(
      { kind, legacy: isLegacy },
      { model: toolModel, tools, messages },
    );
    expect(getToolCalls(events)).toEqual(['read_file {"path":"a}b"}', 'read_file {"path":"c"}']);
  });

  test('reports a failure in the middle of a stream', async () => {
    const { events } = await sendChat(
      { kind },
      { ...helloRequest, messages: createMessages('fail mid-stream') },
    );
    expect(joinText(events, 'reasoning-delta') + joinText(events, 'text-delta')).not.toBe('');
    expect(events.at(-1)).toMatchObject({ outcome: { kind: 'failed' } });
  });

  test('sends one request to a model that does not exist, and reports the reason', async () => {
    // A llama.cpp server with a single model ignores the name.
    const { events, requestCount } = await sendChat(
      { kind, router: true },
      { ...helloRequest, model: 'nope' },
    );
    expect(getFailure(events)).toMatchObject({ code: 'model-not-found' });
    expect(requestCount).toBe(1);
  });

  test.each([
    ['a wrong key', 'wrong-key', 'unauthorized'],
    ['a missing key', undefined, 'no-key'],
  ])('reports %s without a second request', async (_name, wrongKey, code) => {
    const { events, requestCount } = await sendChat(
      { kind, key: 'the-key', apiKey: wrongKey },
      helloRequest,
    );
    // Ollama ignores every key.
    if (kind === 'ollama') return expect(joinText(events, 'text-delta')).toMatch(/^Model/);
    expect(getFailure(events)).toMatchObject({ code });
    expect(requestCount).toBe(1);
  });

  test('reports that the prompt is too long without a second request', async () => {
    const messages = createMessages('word '.repeat(400));
    const { events, requestCount } = await sendChat(
      { kind, context: 100 },
      { model: limitedModel, messages },
    );
    // Ollama drops old messages instead.
    if (kind === 'ollama') return expect(joinText(events, 'text-delta')).toMatch(/^Model/);
    expect(getFailure(events)).toMatchObject({ code: 'context-overflow', contextTokens: 100 });
    expect(requestCount).toBe(1);
  });

  test('repeats a request without tools after the server rejected tools', async () => {
    const request = { model: limitedModel, tools, messages: createMessages('Hello') };
    const { events, requestCount } = await sendChat({ kind, ...limitedSettings }, request);
    expect(joinText(events, 'text-delta')).toMatch(/^Model/);
    // LM Studio never refuses tools.
    const isRefused = kind !== 'lmstudio';
    expect(requestCount).toBe(isRefused ? 2 : 1);
    expect(events.some((event) => event.type === 'part-refused' && event.part === 'tools')).toBe(
      isRefused,
    );
  });

  test('repeats a request without images after the server rejected images', async () => {
    const { events, requestCount } = await sendChat(
      { kind, ...limitedSettings },
      { model: limitedModel, messages: imageMessages },
    );
    expect(joinText(events, 'text-delta')).toMatch(/^Model/);
    expect(requestCount).toBe(2);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'part-refused', part: 'images' }),
    );
  });

  test('without streaming fails if the server rejects images, and records that the model rejects images', async () => {
    await using connection = await connectToPlainServer({ kind, apiKey, ...limitedSettings });
    const refusals: string[] = [];
    const context: ServiceContext = {
      ...connection.context,
      refusals: {
        recordRefusal: (model, { refusedPart }) => refusals.push(`${model} ${refusedPart}`),
      },
    };
    const request = { model: limitedModel, messages: imageMessages };
    await expect(createChatCompletion(context, request, { signal })).rejects.toMatchObject({
      failure: { code: 'unsupported-feature' },
    });
    expect(listSentBodies(connection.server, '/chat/completions')).toHaveLength(1);
    expect(refusals).toEqual([`${limitedModel} images`]);
  });
});

test('streamChat repeats a request without tools and images if a server rejects both', async () => {
  const { events, requestCount } = await sendChat(
    { kind: 'vllm', tools: false, vision: false },
    { model: 'sql-adapter', tools, messages: imageMessages },
  );
  expect(joinText(events, 'text-delta')).toMatch(/^Model/);
  expect(requestCount).toBe(3);
});

test.each([
  ['an error that is a string', { error: 'Model does not support images.' }],
  [
    'an error that is an object',
    { error: { message: 'image input is not supported', code: null } },
  ],
  [
    'a message and a code at the top level',
    { object: 'error', message: 'x is not a multimodal model', code: 400 },
  ],
  [
    'a message outside the error object',
    { error: {}, message: 'Vision add-on is not loaded, but …' },
  ],
])(
  'streamChat recognizes a refusal of images in a response with status 200 and %s',
  async (_name, body) => {
    const jsonAnswer = {
      headers: { 'content-type': 'application/json' },
      body: [JSON.stringify(body)],
    };
    const answer = {
      body: [`data: {"choices":[{"delta":{"content":"Fine"},"finish_reason":"stop"}]}\n\n`],
    };
    const service = createScriptedService(jsonAnswer, answer);
    const events = await Array.fromAsync(
      flattenBatches(
        streamChat(service.context, { model: 'm', messages: imageMessages }, { signal }),
      ),
    );
    expect(service.requests).toHaveLength(2);
    expect(joinText(events, 'text-delta')).toBe('Fine');
  },
);

test('listModels reads a null model list as an empty list', async () => {
  const { context } = createScriptedService({ body: ['{"object":"list","data":null}'] });
  expect((await listModels(context, { signal })).models).toEqual([]);
});

test.each([
  ['sk-spent', 'spend-limit'],
  ['sk-spent-401', 'spend-limit'],
  ['sk-spent-429', 'spend-limit'],
  ['sk-other-model', 'model-access'],
  ['sk-other-model-403', 'model-access'],
])(
  'a chat with the limited LiteLLM key %s fails with the code %s after one request',
  async (limitedKey, code) => {
    const settings = { kind: 'litellm', key: 'the-key', apiKey: limitedKey } as const;
    const request = {
      model: modelsByServer.litellm.reasoningModel,
      messages: createMessages('Hello'),
    };
    const { events, requestCount } = await sendChat(settings, request);
    expect(getFailure(events)).toMatchObject({ code });
    expect(requestCount).toBe(1);
  },
);

test('a LiteLLM key without access to model details can list the models and can chat', async () => {
  const settings = { kind: 'litellm', key: 'the-key', apiKey: 'sk-llm-api' } as const;
  await using connection = await connectToPlainServer(settings);
  const { models } = await listModelsWithDetails(connection.context, signal);
  expect(models.map(({ id }) => id)).toContain(modelsByServer.litellm.reasoningModel);
  const { events } = await sendChat(settings, {
    model: modelsByServer.litellm.reasoningModel,
    messages: createMessages('Hello'),
  });
  expect(events.at(-1)).toMatchObject({ outcome: { kind: 'complete' } });
});
