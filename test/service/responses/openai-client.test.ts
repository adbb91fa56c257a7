import OpenAI, { toFile } from 'openai';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { makePdf } from '../files/make-files.fixture.ts';
import { startTestService } from '../test-service.ts';
import type { LocalService } from '../server.ts';

const createClient = ({ baseUrl, apiKey }: LocalService, key = apiKey): OpenAI =>
  new OpenAI({ baseURL: baseUrl, apiKey: key, maxRetries: 0 });

const createUserMessages = (content: string) => [{ role: 'user' as const, content }];

const weatherTool = {
  name: 'get_weather',
  description: 'The weather of a city',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
};

describe('the openai package with chat completions', () => {
  test('streams an answer, with usage at the end', async () => {
    const client = createClient(await startTestService());
    const stream = await client.chat.completions.create({
      model: 'default',
      messages: createUserMessages('Hello'),
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = await Array.fromAsync(stream);
    const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
    expect(text).toContain('Ask me about your code');
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop');
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: { total_tokens: expect.any(Number) },
    });
  });

  test('sends vendor-specific parameters in a field with any vendor prefix', async () => {
    const client = createClient(await startTestService({ vendorPrefix: 'acme' }));
    const body = {
      model: 'search-scout-24b',
      messages: createUserMessages('comet telescope'),
      acme_parameters: { enable_web_search: 'on', include_acme_system_prompt: false },
    };
    const { data, response } = await client.chat.completions.create(body).withResponse();
    expect(response.headers.get('x-acme-model-id')).toBe('search-scout-24b');
    const { acme_parameters: echoedParameters } = data as unknown as Record<string, object>;
    expect(echoedParameters).toMatchObject({
      include_acme_system_prompt: false,
      web_search_citations: [{ url: 'https://news.example.org/2026/comet' }],
    });
  });

  test('joins the streamed deltas of tool calls', async () => {
    const client = createClient(await startTestService());
    const stream = client.chat.completions.stream({
      model: 'default',
      messages: createUserMessages('Call tool get_weather with {"city":"Rome"} 2 times at once'),
      tools: [{ type: 'function', function: weatherTool }],
    });
    const completedCalls: unknown[] = [];
    stream.on('tool_calls.function.arguments.done', ({ name, index, arguments: args }) => {
      completedCalls.push([name, index, args]);
    });
    const { choices } = await stream.finalChatCompletion();
    expect(choices[0]?.finish_reason).toBe('tool_calls');
    const calls = (choices[0]?.message.tool_calls ?? []).filter((call) => call.type === 'function');
    expect(
      calls.map(({ function: calledFunction }) => [
        calledFunction.name,
        JSON.parse(calledFunction.arguments),
      ]),
    ).toEqual([0, 1].map(() => ['get_weather', { city: 'Rome' }]));
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
    expect(completedCalls).toHaveLength(2);
  });

  test('sends files as content parts', async () => {
    const client = createClient(await startTestService());
    const data = makePdf(['The bridge is 90 metres long.']).toString('base64');
    const { choices } = await client.chat.completions.create({
      model: 'default',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'How long is the bridge?' },
            {
              type: 'file',
              file: { filename: 'bridge.pdf', file_data: `data:application/pdf;base64,${data}` },
            },
          ],
        },
      ],
    });
    expect(choices[0]?.message.content).toContain('> The bridge is 90 metres long.');
  });

  test('closes the connection on abort', async () => {
    const service = await startTestService({ pace: { firstTokenMs: 0, tokensPerSecond: 50 } });
    const stream = await createClient(service).chat.completions.create({
      model: 'default',
      messages: createUserMessages('count to 400'),
      stream: true,
    });
    for await (const chunk of stream) {
      if ((chunk.choices[0]?.delta.content ?? '') !== '') break;
    }
    const abortedRequest = await service.control.waitForRequest(
      ({ abortedByClient }) => abortedByClient === true,
    );
    expect(abortedRequest.path).toContain('/chat/completions');
    const controller = new AbortController();
    controller.abort();
    const abortedReplyPromise = createClient(service).chat.completions.create(
      { model: 'default', messages: createUserMessages('Hello') },
      { signal: controller.signal },
    );
    await expect(abortedReplyPromise).rejects.toBeInstanceOf(OpenAI.APIUserAbortError);
  });
});

describe('the openai package with the Responses API', () => {
  test('reads a response that is not streamed', async () => {
    const client = createClient(await startTestService());
    const response = await client.responses.create({
      model: 'search-scout-24b',
      input: 'comet telescope',
      tools: [{ type: 'web_search' }],
    });
    expect(response.status).toBe('completed');
    expect(response.output_text).toContain('naked eye');
    const message = response.output.find(({ type }) => type === 'message');
    expect(message).toMatchObject({
      content: [{ annotations: [{ type: 'url_citation', title: expect.any(String) }] }],
    });
  });

  test('joins the events of a streamed response', async () => {
    const client = createClient(await startTestService());
    const stream = client.responses.stream({ model: 'default', input: 'Hello' });
    let text = '';
    stream.on('response.output_text.delta', ({ delta }) => void (text += delta));
    const response = await stream.finalResponse();
    expect(response.output_text).toBe(text);
    expect(text).toContain('Ask me about your code');
  });

  // The package's stream helper supports only its vendor's events, but this service has other
  // events for reasoning and searches.
  test('reads the events of a streamed response one by one', async () => {
    const client = createClient(await startTestService());
    const stream = await client.responses.create({
      model: 'reasoner-deep-235b',
      input: 'What is the latest news?',
      tools: [{ type: 'web_search' }],
      stream: true,
    });
    const events = await Array.fromAsync(stream);
    const text = events
      .map((event) => (event.type === 'response.output_text.delta' ? event.delta : ''))
      .join('');
    const lastEvent = events.at(-1);
    if (lastEvent?.type !== 'response.completed')
      throw new Error(`The last event is ${lastEvent?.type}`);
    const { response } = lastEvent;
    expect(response.output.map(({ type }) => type)).toEqual([
      'reasoning',
      'web_search_call',
      'message',
    ]);
    expect(response.output.at(-1)).toMatchObject({ content: [{ text }] });
    expect(response.usage?.output_tokens_details.reasoning_tokens).toBeGreaterThan(0);
  });

  test('calls a function and sends its result', async () => {
    const client = createClient(await startTestService());
    const firstRequest = {
      model: 'default',
      tools: [{ type: 'function' as const, strict: true, ...weatherTool }],
    };
    const questionMessages = createUserMessages('Call tool get_weather with {"city":"Oslo"}');
    const stream = client.responses.stream({ ...firstRequest, input: questionMessages });
    const firstResponse = await stream.finalResponse();
    const call = firstResponse.output.find((item) => item.type === 'function_call');
    expect(call).toMatchObject({ name: 'get_weather', parsed_arguments: { city: 'Oslo' } });
    expect(JSON.parse(call?.arguments ?? '')).toEqual({ city: 'Oslo' });
    const result = {
      type: 'function_call_output' as const,
      call_id: call?.call_id ?? '',
      output: '4 degrees',
    };
    const callItem = {
      type: 'function_call' as const,
      call_id: call?.call_id ?? '',
      name: 'get_weather',
      arguments: call?.arguments ?? '',
    };
    const secondResponse = await client.responses.create({
      ...firstRequest,
      input: [...questionMessages, callItem, result],
    });
    expect(secondResponse.output_text).toContain('4 degrees');
  });
});

describe('the openai package with other endpoints', () => {
  test('lists models', async () => {
    const client = createClient(await startTestService());
    const models = await Array.fromAsync(await client.models.list());
    expect(models.map(({ id }) => id)).toContain('assistant-large-480b');
    expect(models.every(({ object }) => object === 'model')).toBe(true);
  });

  test('creates embeddings, in the format base64 by default', async () => {
    const service = await startTestService();
    const client = createClient(service);
    const defaultReply = await client.embeddings.create({
      model: 'default',
      input: ['tea', 'cake'],
    });
    expect(defaultReply.data.map(({ embedding }) => embedding.length)).toEqual([1024, 1024]);
    const [request] = await service.control.getRequests();
    expect(request?.body).toMatchObject({ encoding_format: 'base64' });
    const floatReply = await client.embeddings.create({
      model: 'default',
      input: 'tea',
      encoding_format: 'float',
    });
    const defaultEmbedding = defaultReply.data[0]?.embedding ?? [];
    for (const [index, value] of (floatReply.data[0]?.embedding ?? []).entries())
      expect(value).toBeCloseTo(defaultEmbedding[index] ?? NaN, 6);
  });

  test('generates images', async () => {
    const client = createClient(await startTestService());
    const { data } = await client.images.generate({
      model: 'default',
      prompt: 'A red boat',
      size: '512x512',
      response_format: 'b64_json',
    });
    const file = Buffer.from(data?.[0]?.b64_json ?? '', 'base64');
    expect(await sharp(file).metadata()).toMatchObject({ width: 512, height: 512 });
  });

  test('synthesizes and transcribes speech', async () => {
    const client = createClient(await startTestService());
    const speechReply = await client.audio.speech.create({
      model: 'default',
      voice: 'af_sky',
      input: 'Good morning',
      response_format: 'wav',
    });
    expect(speechReply.headers.get('content-type')).toBe('audio/wav');
    const audio = Buffer.from(await speechReply.arrayBuffer());
    expect(audio.toString('latin1', 0, 4)).toBe('RIFF');
    const transcription = await client.audio.transcriptions.create({
      model: 'default',
      file: await toFile(audio, 'said.wav'),
    });
    expect(transcription.text).toBe('Good morning');
  });
});

describe('errors of the openai package', () => {
  const helloRequest = { model: 'default', messages: createUserMessages('Hello') };

  test.each([
    ['a wrong key', { key: 'wrong' }, helloRequest, OpenAI.AuthenticationError, 401],
    ['an unknown model', {}, { ...helloRequest, model: 'unknown' }, OpenAI.NotFoundError, 404],
    ['a wrong field', {}, { ...helloRequest, top_p: 7 }, OpenAI.BadRequestError, 400],
    [
      'a model that is offline',
      {},
      { ...helloRequest, model: 'absent-offline-70b' },
      OpenAI.InternalServerError,
      503,
    ],
  ])(
    'have the right class and status for %s',
    async (_, { key }: { key?: string }, body, errorClass, status) => {
      const failure = await createClient(await startTestService(), key)
        .chat.completions.create(body)
        .catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(errorClass);
      expect(failure).toMatchObject({ status });
      expect(
        (failure as InstanceType<typeof OpenAI.APIError>).headers?.get('x-service-version'),
      ).toMatch(/^\d{8}\./);
    },
  );

  test('contain a code for a context overflow', async () => {
    const messages = createUserMessages('word '.repeat(9000));
    const failure = await createClient(await startTestService())
      .chat.completions.create({ model: 'compact-xs-3b', messages })
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({
      status: 400,
      code: 'context_length_exceeded',
      param: 'messages',
      type: 'invalid_request_error',
    });
  });

  test('contain the Retry-After header of a rate limit', async () => {
    const service = await startTestService();
    await service.control.setLimits({ rpm: 1, tpm: 1e6 });
    const client = createClient(service);
    await client.chat.completions.create(helloRequest);
    const failure = await client.chat.completions
      .create(helloRequest)
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(OpenAI.RateLimitError);
    const { headers } = failure as InstanceType<typeof OpenAI.RateLimitError>;
    expect(Number(headers?.get('retry-after'))).toBeGreaterThan(0);
  });

  test('contain status and message for an account without funds', async () => {
    const service = await startTestService();
    await service.control.changeAccount({ usd: 0, bundled: 0, stakedDiem: 0 });
    const failure = await createClient(service)
      .chat.completions.create(helloRequest)
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ status: 402 });
  });

  test('are thrown if a stream ends early', async () => {
    const service = await startTestService();
    const error = {
      message: 'The model is overloaded',
      type: 'server_error',
      code: 'model_overloaded',
    };
    await service.control.addScripts({ steps: [{ content: 'Half' }, { error }] });
    const stream = await createClient(service).chat.completions.create({
      ...helloRequest,
      stream: true,
    });
    const failure = await Array.fromAsync(stream).catch((reason: unknown) => reason);
    expect(failure).toBeInstanceOf(OpenAI.APIError);
    expect(failure).toMatchObject({ code: 'model_overloaded' });
  });
});
