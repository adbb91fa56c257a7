import { fc } from '../../support/property.ts';
import OpenAI from 'openai';
import type { RunnableToolFunctionWithoutParse } from 'openai/lib/RunnableFunction';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import type { Chunk } from './chunks.ts';
import { joinChunks } from './chunks.ts';
import { createChatRequest, parseEvents, postChat, startTestService } from '../test-service.ts';
import type { LocalService } from '../server.ts';

const createClient = ({ baseUrl, apiKey }: LocalService) =>
  new OpenAI({ baseURL: baseUrl, apiKey, maxRetries: 0 });

const code =
  '```ts src/cart.ts\nexport function total(prices: number[]) {\n  var sum = 0;\n  for (const price of prices) sum += price;\n  return sum;\n}\n```';

interface Completion {
  readonly choices: {
    readonly message: { content: string | null; reasoning_content: string | null };
    readonly finish_reason: string;
  }[];
  readonly usage: { prompt_tokens: number; completion_tokens: number };
  readonly service_parameters: Record<string, unknown>;
}

async function requestCompletion(service: LocalService, body: object): Promise<Completion> {
  const reply = await postChat(service, body);
  expect(reply.status).toBe(200);
  return (await reply.json()) as Completion;
}

describe('the openai package in a chat', () => {
  test('receives the same text with and without streaming', async () => {
    const service = await startTestService();
    const messages = [{ role: 'user' as const, content: `Explain this.\n\n${code}` }];
    const completeReply = await createClient(service).chat.completions.create({
      model: 'default',
      messages,
    });
    const stream = createClient(service).chat.completions.stream({ model: 'default', messages });
    const streamedCompletion = await stream.finalChatCompletion();
    const text = completeReply.choices[0]?.message.content;
    expect(text).toContain('`total`');
    expect(text).toContain('```ts');
    expect(streamedCompletion.choices[0]?.message.content).toBe(text);
    expect(streamedCompletion.choices[0]?.finish_reason).toBe('stop');
  });

  test('runs tool calls and sends their results until the model answers', async () => {
    const service = await startTestService();
    const toolCalls: string[] = [];
    const createTool = (
      name: string,
      properties: Record<string, object>,
      result: string,
    ): RunnableToolFunctionWithoutParse => ({
      type: 'function',
      function: {
        name,
        description: '',
        parameters: { type: 'object', properties, required: Object.keys(properties).slice(0, 1) },
        function: (argumentsJson) => {
          toolCalls.push(`${name} ${argumentsJson}`);
          return result;
        },
      },
    });
    const text = { type: 'string' };
    const encodingSchema = { enum: ['utf8', 'latin1'] };
    const runner = createClient(service).chat.completions.runTools({
      model: 'function_calling_default',
      stream: true,
      messages: [
        {
          role: 'user',
          content: 'Read the file src/cart.ts, then search for "total" with limit 5',
        },
      ],
      tools: [
        createTool(
          'read_file',
          { path: text, encoding: encodingSchema },
          'export const total = 1;',
        ),
        createTool('search_text', { query: text, limit: { type: 'integer' } }, '[]'),
      ],
    });
    const answer = await runner.finalContent();
    expect(toolCalls).toEqual([
      'read_file {"path":"src/cart.ts"}',
      'search_text {"query":"total","limit":5}',
    ]);
    expect(answer).toContain('`read_file` returned one line');
    expect(answer).toContain('export const total = 1;');
  });

  test('receives a description of an image in a message', async () => {
    const service = await startTestService();
    const redColor = { r: 220, g: 30, b: 30 };
    const image = sharp({ create: { width: 320, height: 200, channels: 3, background: redColor } });
    const url = `data:image/webp;base64,${(await image.webp({ lossless: true }).toBuffer()).toString('base64')}`;
    const reply = await createClient(service).chat.completions.create({
      model: 'default_vision',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image_url', image_url: { url } },
          ],
        },
      ],
    });
    const text = reply.choices[0]?.message.content;
    expect(text).toContain('WEBP of **320 × 200**');
    expect(text).toContain('**red** (100 %)');
  });

  test('receives an answer that matches the JSON schema in `response_format`', async () => {
    const service = await startTestService();
    const schema = {
      type: 'object',
      properties: { title: { type: 'string' }, count: { type: 'integer', minimum: 3 } },
      required: ['title', 'count'],
    };
    const reply = await createClient(service).chat.completions.create({
      ...createChatRequest('A title about "ships"'),
      messages: [{ role: 'user', content: 'A title about "ships"' }],
      response_format: { type: 'json_schema', json_schema: { name: 'x', schema } },
    });
    const { content } = reply.choices[0]!.message;
    expect(JSON.parse(content ?? '')).toEqual({ title: 'ships', count: 3 });
  });
});

test('for random requests, a reply without streaming equals the joined chunks of a streamed reply', async () => {
  const service = await startTestService();
  await service.control.setLimits({ rpm: 1e6, tpm: 1e9 });
  const questionArbitrary = fc.constantFrom(
    'Hello',
    'Search the latest news',
    `Fix this\n${code}`,
    'ünï 👍🏽 text',
  );
  const modelIds = ['default', 'reasoner-think-70b', 'reasoner-deep-235b', 'search-scout-24b'];
  const requestArbitrary = fc.record({
    model: fc.constantFrom(...modelIds),
    question: fc.oneof(questionArbitrary, fc.string({ unit: 'grapheme', minLength: 1 })),
    max_completion_tokens: fc.option(fc.integer({ min: 1, max: 200 }), { nil: undefined }),
    stop: fc.option(fc.constantFrom('.', 'the', ['|', '`']), { nil: undefined }),
    n: fc.integer({ min: 1, max: 3 }),
    seed: fc.integer({ min: 1, max: 9 }),
    service_parameters: fc.record(
      {
        enable_web_search: fc.constantFrom('on', 'off', 'auto'),
        enable_web_citations: fc.boolean(),
        strip_thinking_response: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
  });
  await fc.assert(
    fc.asyncProperty(requestArbitrary, async ({ question: content, ...fields }) => {
      const parameters = { ...fields.service_parameters, include_search_results_in_stream: true };
      const body = { ...createChatRequest(content, fields), service_parameters: parameters };
      const streamedReply = await postChat(service, { ...body, stream: true });
      const chunks = parseEvents(await streamedReply.text()) as unknown as Chunk[];
      const completeReply = (await (await postChat(service, body)).json()) as Record<
        string,
        unknown
      >;
      const joinedReply = JSON.parse(JSON.stringify(joinChunks(chunks))) as Record<string, unknown>;
      const volatileFields = { id: '', created: 0, cost: {} };
      expect({ ...completeReply, ...volatileFields }).toEqual({
        ...joinedReply,
        ...volatileFields,
      });
    }),
    { numRuns: 60 },
  );
});

describe('a chat stream', () => {
  test('has the same id in all chunks, and ends with usage, cost and [DONE]', async () => {
    const service = await startTestService();
    const reply = await postChat(service, createChatRequest('Hello', { stream: true }));
    expect(reply.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const text = await reply.text();
    expect(text.endsWith('\n\ndata: [DONE]\n\n')).toBe(true);
    const chunks = parseEvents(text) as unknown as Chunk[];
    expect(new Set(chunks.map(({ id, created, model }) => `${id} ${created} ${model}`)).size).toBe(
      1,
    );
    expect(chunks[0]?.choices[0]?.delta.role).toBe('assistant');
    const lastChunk = chunks.at(-1);
    expect(lastChunk).toMatchObject({
      choices: [],
      usage: { prompt_tokens: expect.any(Number), completion_tokens: chunks.length - 3 },
      cost: { usd: 0, diem: expect.any(Number) },
    });
    expect(lastChunk).not.toHaveProperty('service_parameters');
  });

  test('has all headers that a client reads', async () => {
    const service = await startTestService();
    const { headers } = await postChat(
      service,
      createChatRequest('Hello', { model: 'veteran-chat-13b' }),
    );
    const now = Date.now();
    expect(headers.get('x-service-version')).toMatch(/^\d{8}\.\d{6}$/);
    expect(headers.get('x-service-model-id')).toBe('veteran-chat-13b');
    expect(headers.get('x-service-model-name')).toBe('Veteran Chat 13B');
    expect(headers.get('x-service-balance-usd')).toBe('50');
    expect(headers.get('x-service-balance-diem')).toBe('5');
    expect(headers.get('x-service-deprecated')).toBe('true');
    expect(headers.get('x-service-deprecated-replacement')).toBe('assistant-large-480b');
    expect(headers.get('cf-ray')).toMatch(/^[0-9a-f]{16}-/);
    expect(headers.get('x-ratelimit-limit-requests')).toBe('75');
    expect(headers.get('x-ratelimit-remaining-requests')).toBe('74');
    expect(headers.get('x-ratelimit-limit-tokens')).toBe('750000');
    expect(headers.get('x-ratelimit-remaining-tokens')).toBe('750000');
    for (const name of ['x-ratelimit-reset-requests', 'x-ratelimit-reset-tokens']) {
      expect(Math.abs(Number(headers.get(name)) - now)).toBeLessThan(60_000);
    }
  });

  test('sends a tool call in deltas: first its id and name, then its arguments', async () => {
    const service = await startTestService();
    const parameters = { type: 'object', properties: { path: {} }, required: ['path'] };
    const tools = [{ type: 'function', function: { name: 'list_files', parameters } }];
    const body = createChatRequest('List the files in src/chat/, please', { tools });
    const completeReply = (await (await postChat(service, body)).json()) as OpenAI.ChatCompletion;
    const reply = await postChat(service, { ...body, stream: true });
    const chunks = parseEvents(await reply.text()) as unknown as Chunk[];
    const callDeltas = chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []);
    expect(callDeltas[0]).toMatchObject({
      index: 0,
      id: expect.stringMatching(/^call_/),
      type: 'function',
      function: { name: 'list_files', arguments: '' },
    });
    const text = callDeltas.map((callDelta) => callDelta.function.arguments).join('');
    expect(text).toBe('{"path":"src/chat/"}');
    expect(completeReply.choices[0]?.message).toMatchObject({
      content: null,
      tool_calls: [{ type: 'function', function: { name: 'list_files', arguments: text } }],
    });
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('tool_calls');
  });
});

describe('scripted models', () => {
  test('send their reasoning in tags or in a separate field, unless the request disables reasoning', async () => {
    const service = await startTestService();
    const taggedReply = await requestCompletion(
      service,
      createChatRequest('Why?', { model: 'reasoner-think-70b' }),
    );
    expect(taggedReply.choices[0]?.message.content).toMatch(/^<think>\n[\s\S]+\n<\/think>\n\n\S/);
    const separateReply = await requestCompletion(
      service,
      createChatRequest('Why?', { model: 'reasoner-deep-235b' }),
    );
    expect(separateReply.choices[0]?.message.reasoning_content).toContain('"Why?"');
    expect(separateReply.choices[0]?.message.content).not.toContain('<think>');
    for (const key of ['strip_thinking_response', 'disable_thinking']) {
      const model = `reasoner-think-70b:${key}=true`;
      const plainAnswer = await requestCompletion(service, createChatRequest('Why?', { model }));
      expect(plainAnswer.choices[0]?.message.content).not.toContain('think>');
      expect(plainAnswer.service_parameters[key]).toBe(true);
    }
  });

  test('search the web and add citations if the request enables web search', async () => {
    const service = await startTestService();
    const model = 'default:enable_web_search=auto&enable_web_citations=true&unknown=1';
    const newsAnswer = await requestCompletion(
      service,
      createChatRequest('What is the latest news?', { model }),
    );
    expect(newsAnswer.choices[0]?.message.content).toContain('^1^');
    expect(newsAnswer.service_parameters['enable_web_search']).toBe('auto');
    expect(newsAnswer.service_parameters['web_search_citations']).toHaveLength(5);
    const plainAnswer = await requestCompletion(
      service,
      createChatRequest('Explain closures', { model }),
    );
    expect(plainAnswer.service_parameters['web_search_citations']).toEqual([]);
  });

  test('complete code in the style of the surrounding code', async () => {
    const service = await startTestService();
    const model = 'coder-inline-7b';
    const context =
      'const box = { volume: area(2, 3) };\nfunction area(w, h) {\n  return w * h;\n}\n\n';
    const prompt = (prefix: string): string =>
      `${context}<prefix>${prefix}</prefix><suffix>\n</suffix>`;
    const cases = [
      ['const ball = { volume: ar', 'ea(2, 3) };'],
      ['async function area(', 'w, h) {\n  return w * h;\n}'],
    ] as const;
    for (const [prefix, expected] of cases) {
      const answer = await requestCompletion(service, createChatRequest(prompt(prefix), { model }));
      expect(answer.choices[0]?.message.content).toBe(expected);
    }
    const emptyAnswer = await requestCompletion(
      service,
      createChatRequest('<prefix>zq</prefix><suffix></suffix>', { model }),
    );
    expect(emptyAnswer.choices[0]?.message.content).toBe('');
  });

  test('return equal answers for equal seeds, and end the answer at a stop sequence', async () => {
    const service = await startTestService();
    const readText = async (seed: number): Promise<string | null | undefined> =>
      (await requestCompletion(service, createChatRequest('Help me plan', { seed }))).choices[0]
        ?.message.content;
    expect(await readText(1)).toBe(await readText(1));
    const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(readText));
    expect(new Set(answers).size).toBeGreaterThan(1);
    const truncatedAnswer = await requestCompletion(
      service,
      createChatRequest('Help', { max_completion_tokens: 4 }),
    );
    expect(truncatedAnswer.choices[0]?.finish_reason).toBe('length');
    expect(truncatedAnswer.usage.completion_tokens).toBe(4);
  });

  test('can be requested by trait, by a name from another service, by a spelling variant, and with aliases of fields', async () => {
    const service = await startTestService();
    const modelNames = ['default_reasoning', 'gpt-4o', 'Maker/Reasoner_Think.70B', 'fastest'];
    const expectedIds = [
      'reasoner-think-70b',
      'assistant-large-480b',
      'reasoner-think-70b',
      'coder-inline-7b',
    ];
    for (const [index, model] of modelNames.entries()) {
      const { headers } = await postChat(service, createChatRequest('Hi', { model }));
      expect(headers.get('x-service-model-id')).toBe(expectedIds[index]);
    }
    const aliasedRequest = {
      model: 'default',
      input: 'Hi',
      max_output_tokens: 2,
      web_search: true,
    };
    const reply = await requestCompletion(service, aliasedRequest);
    expect(reply.usage.completion_tokens).toBe(2);
    expect(reply.service_parameters['enable_web_search']).toBe('on');
  });

  test('wait for the delay of the requested model before the first token', async () => {
    const service = await startTestService({ pace: 'natural' });
    const start = performance.now();
    const reply = await postChat(
      service,
      createChatRequest('Hi', { model: 'patient-slow-405b', stream: true }),
    );
    const reader = reply.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!/"content":"[^"]/.test(text)) text += (await reader.read()).value ?? '';
    await reader.cancel();
    expect(performance.now() - start).toBeGreaterThan(1900);
  });
});

test('scripted models continue an interrupted answer', async () => {
  const service = await startTestService();
  const question = { role: 'user', content: `Explain.\n\n${code}` };
  const completeReply = (
    await requestCompletion(service, createChatRequest('', { messages: [question] }))
  ).choices[0]?.message;
  const text = completeReply?.content ?? '';
  const partialAnswer = { role: 'assistant', content: text.slice(0, 50) };
  const continueMessage = {
    role: 'user',
    content: 'Your answer was cut off. Go on exactly where it ended.',
  };
  const continuation = await requestCompletion(
    service,
    createChatRequest('', { messages: [question, partialAnswer, continueMessage] }),
  );
  expect(continuation.choices[0]?.message.content).toBe(text.slice(50));
});

describe('a service with the vendor prefix "acme"', () => {
  const send = async (body: object) => {
    const service = await startTestService({ vendorPrefix: 'acme' });
    expect(service.apiKey).toMatch(/^ACME_INFERENCE_KEY_/);
    return postChat(service, createChatRequest('Hi', body));
  };

  test('uses its prefix in the names of fields and headers', async () => {
    const reply = await send({ acme_parameters: { include_acme_system_prompt: false } });
    expect(reply.headers.get('x-acme-model-id')).toBe('assistant-large-480b');
    expect(reply.headers.has('x-service-model-id')).toBe(false);
    const body = (await reply.json()) as Record<string, unknown>;
    expect(body['acme_parameters']).toMatchObject({ include_acme_system_prompt: false });
    expect(body).not.toHaveProperty('service_parameters');
  });

  test.each([{}, { enable_web_search: 'on' }])(
    'rejects a request with the neutral field `service_parameters`: %j',
    async (parameters) => {
      const reply = await send({ service_parameters: parameters });
      expect(reply.status).toBe(400);
      expect(await reply.json()).toMatchObject({
        error: 'Invalid request parameters',
        issues: [
          {
            code: 'unrecognized_keys',
            path: [],
            message: "Unrecognized key(s) in object: 'service_parameters'",
          },
        ],
      });
    },
  );

  test('rejects the neutral field `include_service_system_prompt`', async () => {
    const reply = await send({ acme_parameters: { include_service_system_prompt: false } });
    expect(reply.status).toBe(400);
    expect(await reply.json()).toMatchObject({
      error: 'Invalid request parameters',
      issues: [
        {
          code: 'unrecognized_keys',
          path: ['acme_parameters'],
          message: "Unrecognized key(s) in object: 'include_service_system_prompt'",
        },
      ],
    });
  });

  test('ignores other unknown parameters in the body and in a model name suffix', async () => {
    const reply = await send({ acme_parameters: { no_such_parameter: false } });
    expect(await reply.json()).toMatchObject({
      acme_parameters: { include_acme_system_prompt: true },
    });
    const suffixedReply = await send({ model: 'default:include_service_system_prompt=false' });
    expect(await suffixedReply.json()).toMatchObject({
      acme_parameters: { include_acme_system_prompt: true },
    });
  });

  test('uses its prefix in the field paths of error replies', async () => {
    const reply = await send({ acme_parameters: { enable_web_search: true } });
    expect(reply.status).toBe(400);
    expect(await reply.json()).toMatchObject({
      details: { acme_parameters: { enable_web_search: { _errors: [expect.any(String)] } } },
      issues: [{ path: ['acme_parameters', 'enable_web_search'] }],
    });
  });
});

test('the service compresses a large reply if the client accepts compression', async () => {
  const service = await startTestService();
  const reply = await postChat(service, createChatRequest(`Explain\n${code}`));
  expect(reply.headers.get('content-encoding')).toMatch(/^(?:br|gzip)$/);
  expect(await reply.json()).toMatchObject({ object: 'chat.completion' });
});

test.each([
  ['calls a function', { type: 'auto' }, true],
  ['calls a function', { type: 'any' }, true],
  ['calls a function', { type: 'required' }, true],
  ['calls no function', { type: 'none' }, false],
  ['calls a function', { type: 'tool', name: 'get_time' }, true],
  ['calls a function', { type: 'function', name: 'get_time' }, true],
  ['calls a function', { type: 'function', function: { name: 'get_time' } }, true],
])('the model %s if the tool choice is %j', async (_, tool_choice, hasCall) => {
  const service = await startTestService();
  const tools = [{ type: 'function', function: { name: 'get_time' } }];
  const body = createChatRequest('Call tool get_time with {}', { tools, tool_choice });
  const { choices } = await requestCompletion(service, body);
  expect(choices[0]?.finish_reason).toBe(hasCall ? 'tool_calls' : 'stop');
});
