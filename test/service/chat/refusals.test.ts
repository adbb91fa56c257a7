import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createChatRequest, postChat, startTestService } from '../test-service.ts';

const functionTool = { type: 'function', function: { name: 'x' } };
const imagePart = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };

describe('a body of POST /chat/completions', () => {
  const cases: [name: string, change: object, path: (string | number)[], message: string][] = [
    ['unknown key', { strem: true }, [], "Unrecognized key(s) in object: 'strem'"],
    ['two unknown keys', { a: 1, b: 2 }, [], "Unrecognized key(s) in object: 'a', 'b'"],
    [
      'temperature above 2',
      { temperature: 2.1 },
      ['temperature'],
      'Number must be less than or equal to 2',
    ],
    [
      'temperature as text',
      { temperature: '1' },
      ['temperature'],
      'Expected number, received string',
    ],
    ['top_p below 0', { top_p: -1 }, ['top_p'], 'Number must be greater than or equal to 0'],
    ['top_k that is not an integer', { top_k: 1.5 }, ['top_k'], 'Expected integer, received float'],
    ['min_p above 1', { min_p: 1.01 }, ['min_p'], 'Number must be less than or equal to 1'],
    [
      'penalty below -2',
      { presence_penalty: -3 },
      ['presence_penalty'],
      'Number must be greater than or equal to -2',
    ],
    [
      'repetition penalty below 0',
      { repetition_penalty: -1 },
      ['repetition_penalty'],
      'Number must be greater than or equal to 0',
    ],
    ['seed 0', { seed: 0 }, ['seed'], 'Number must be greater than or equal to 1'],
    ['n 0', { n: 0 }, ['n'], 'Number must be greater than or equal to 1'],
    ['stream as text', { stream: 'yes' }, ['stream'], 'Expected boolean, received string'],
    [
      'five stop sequences',
      { stop: ['1', '2', '3', '4', '5'] },
      ['stop'],
      'Array must contain at most 4 element(s)',
    ],
    [
      'unknown reasoning effort',
      { reasoning_effort: 'huge' },
      ['reasoning_effort'],
      "Invalid enum value. Expected 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max', received 'huge'",
    ],
    [
      'web search setting as boolean',
      { service_parameters: { enable_web_search: true } },
      ['service_parameters', 'enable_web_search'],
      "Invalid enum value. Expected 'off' | 'on' | 'auto', received 'true'",
    ],
    ['messages missing', { messages: undefined }, ['messages'], 'Required'],
    ['no messages', { messages: [] }, ['messages'], 'Array must contain at least 1 element(s)'],
    [
      'unknown role',
      { messages: [{ role: 'robot', content: '' }] },
      ['messages', 0, 'role'],
      "Invalid enum value. Expected 'user' | 'system' | 'developer' | 'tool' | 'assistant', received 'robot'",
    ],
    [
      'tool result without a call id',
      { messages: [{ role: 'tool', content: '' }] },
      ['messages', 0, 'tool_call_id'],
      'Required',
    ],
    [
      'tool without a name',
      { tools: [{ type: 'function', function: {} }] },
      ['tools', 0, 'function', 'name'],
      'Required',
    ],
    [
      'too many fallback models',
      { fallbacks: Array.from({ length: 11 }, () => ({ model: 'x' })) },
      ['fallbacks'],
      'Array must contain at most 10 element(s)',
    ],
    [
      'more output tokens than the limit of the model',
      { max_completion_tokens: 65_537 },
      ['max_completion_tokens'],
      'Number must be less than or equal to 65536',
    ],
    [
      'an image for a model without vision',
      { model: 'compact-xs-3b', messages: [{ role: 'user', content: [imagePart] }] },
      ['messages'],
      'messages is not supported by this model',
    ],
    [
      'eleven images',
      { messages: [{ role: 'user', content: Array.from({ length: 11 }, () => imagePart) }] },
      ['messages', 0, 'content'],
      'At most 10 image_url parts are allowed',
    ],
    [
      'tools for a model without tool calls',
      { model: 'compact-xs-3b', tools: [functionTool] },
      ['tools'],
      'tools is not supported by this model',
    ],
    [
      'tool_choice for a model without tool calls',
      { model: 'compact-xs-3b', tool_choice: 'auto' },
      ['tool_choice'],
      'tool_choice is not supported by this model',
    ],
    [
      'a response format for a model without response formats',
      { model: 'compact-xs-3b', response_format: { type: 'json_object' } },
      ['response_format'],
      'response_format is not supported by this model',
    ],
    [
      'logprobs for a model without logprobs',
      { model: 'compact-xs-3b', logprobs: true },
      ['logprobs'],
      'logprobs is not supported by this model',
    ],
  ];

  test.each(cases)(
    'is rejected with an error that names the invalid field: %s',
    async (_, change, path, message) => {
      const service = await startTestService();
      const reply = await postChat(service, createChatRequest('Hi', change));
      const body = (await reply.json()) as { error: string; issues: object[]; details: object };
      expect(reply.status).toBe(400);
      expect(body.error).toBe('Invalid request parameters');
      expect(body.issues).toContainEqual(expect.objectContaining({ path, message }));
      const node = path.reduce(
        (node: object, key) => (node as Record<string, object>)[key]!,
        body.details,
      );
      expect(node).toMatchObject({ _errors: [message] });
    },
  );

  test('is accepted if it contains every documented field', async () => {
    const service = await startTestService();
    const documentedFields = {
      stream: false,
      stream_options: { includeUsage: true },
      temperature: 2,
      top_p: 1,
      top_k: 0,
      min_p: 0.1,
      min_temp: 0,
      max_temp: 2,
      frequency_penalty: -2,
      presence_penalty: 2,
      repetition_penalty: 1,
      max_completion_tokens: 10,
      max_tokens: -1,
      n: 1,
      seed: 1,
      stop: null,
      stop_token_ids: [1],
      logprobs: true,
      top_logprobs: 2,
      tools: [
        functionTool,
        { type: 'web_search' },
        { name: 'flat', input_schema: { type: 'object' } },
      ],
      tool_choice: 'none',
      parallel_tool_calls: true,
      response_format: { type: 'text' },
      reasoning_effort: 'max',
      reasoning: { effort: 'low', summary: 'auto', enabled: true },
      verbosity: 'low',
      text: { verbosity: 'auto' },
      promptCacheKey: 'x',
      prompt_cache_retention: '24h',
      user: 'u',
      store: true,
      include: ['x'],
      metadata: { a: 'b' },
      fallbacks: [{ model: 'x' }],
      anon_user_id: 'abc',
      service_parameters: { character_slug: 'alan-watts', from_the_future: 1 },
    };
    const reply = await postChat(service, createChatRequest('Hi', documentedFields));
    expect(reply.status).toBe(200);
    expect(await reply.json()).toMatchObject({
      choices: [{ logprobs: { content: { length: 10 } } }],
    });
  });

  const specialCases: [string, object | string, number, object][] = [
    [
      'a missing model',
      createChatRequest('Hi', { model: undefined }),
      400,
      { error: 'model is required' },
    ],
    [
      'a number as the model',
      createChatRequest('Hi', { model: 7 }),
      400,
      { error: 'model must be a string' },
    ],
    [
      'an unknown model',
      createChatRequest('Hi', { model: 'reasoner-think-7b' }),
      404,
      { error: 'Specified model not found: reasoner-think-7b. Did you mean reasoner-think-70b?' },
    ],
    [
      'an offline model',
      createChatRequest('Hi', { model: 'absent-offline-70b' }),
      503,
      { code: 'MODEL_OFFLINE' },
    ],
    [
      'a model for subscribers only',
      createChatRequest('Hi', { model: 'frontier-pro-1t' }),
      401,
      { error: 'This model is only available to Pro users' },
    ],
    [
      'an unknown persona',
      createChatRequest('Hi', { service_parameters: { character_slug: 'x' } }),
      404,
      { error: 'No character could be found from the provided character_slug' },
    ],
    [
      'an invalid image',
      createChatRequest('', { messages: [{ role: 'user', content: [imagePart] }] }),
      400,
      { error: 'Supplied image did not pass validation checks.' },
    ],
    ['invalid JSON', '{"model":', 400, { error: 'Invalid JSON request' }],
    [
      'more tokens than the context length',
      createChatRequest('x '.repeat(14_000), { model: 'compact-xs-3b' }),
      400,
      {
        error: {
          code: 'context_length_exceeded',
          param: 'messages',
          type: 'invalid_request_error',
        },
      },
    ],
    [
      'more bytes than the size limit',
      JSON.stringify(createChatRequest('x'.repeat(36 * 1024 * 1024))),
      413,
      { code: 'PAYLOAD_TOO_LARGE' },
    ],
  ];

  test.each(specialCases)(
    'is rejected with the documented error for %s',
    async (_, body, status, expected) => {
      const service = await startTestService();
      const reply = await postChat(service, body);
      expect(reply.status).toBe(status);
      expect(await reply.json()).toMatchObject(expected);
    },
  );
});

test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
  'POST /chat/completions rejects the content type %s',
  async (type) => {
    const service = await startTestService();
    const reply = await fetch(`${service.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': type, authorization: `Bearer ${service.apiKey}` },
      body: '{}',
    });
    expect(reply.status).toBe(415);
    expect(await reply.json()).toEqual({ error: 'Invalid request content-type' });
  },
);

describe('the API', () => {
  const postWithoutKey = (baseUrl: string): Promise<Response> =>
    fetch(`${baseUrl}/api_keys/rate_limits`);

  test('returns payment options for a request without a key, or 401 if configured', async () => {
    const { baseUrl } = await startTestService();
    const reply = await postWithoutKey(baseUrl);
    const body = (await reply.json()) as Record<string, unknown>;
    expect(reply.status).toBe(402);
    expect(body).toMatchObject({ x402Version: 2, error: 'Authentication required' });
    const { authOptions: _, ...announcedBody } = body;
    const header = Buffer.from(reply.headers.get('payment-required') ?? '', 'base64').toString();
    expect(JSON.parse(header)).toEqual(announcedBody);
    const strictService = await startTestService({ missingKeyStatus: 401 });
    expect((await postWithoutKey(strictService.baseUrl)).status).toBe(401);
  });

  test('returns the same error for an unknown key and an expired key', async () => {
    const service = await startTestService();
    await service.control.changeAccount({ keys: [{ secret: 'old', expiresAt: '2020-01-01' }] });
    for (const key of ['unknown', 'old']) {
      const reply = await postChat(service, createChatRequest('Hi'), { key });
      expect(reply.status).toBe(401);
      expect(await reply.json()).toEqual({ error: 'Authentication failed' });
    }
  });

  test.each(['Basic abc', 'Bearer', 'Bearer two words', 'no-scheme', 'Token abc'])(
    'rejects the header “Authorization: %s” like an unknown key',
    async (authorization) => {
      const { baseUrl } = await startTestService();
      const paths = ['/api_keys/rate_limits', '/models', '/characters', '/billing/balance'];
      const chatInit = { method: 'POST', body: JSON.stringify(createChatRequest('Hi')) };
      for (const [path, init] of [
        ...paths.map((path) => [path, {}] as const),
        ['/chat/completions', chatInit] as const,
      ]) {
        const headers = { authorization, 'content-type': 'application/json' };
        const reply = await fetch(`${baseUrl}${path}`, { ...init, headers });
        expect(reply.status).toBe(401);
        expect(await reply.json()).toEqual({ error: 'Authentication failed' });
      }
    },
  );

  test('returns the rate limits of an INFERENCE key and of an ADMIN key', async () => {
    const service = await startTestService();
    for (const key of [service.apiKey, service.adminKey]) {
      const headers = { authorization: `Bearer ${key}` };
      const reply = await fetch(`${service.baseUrl}/api_keys/rate_limits`, { headers });
      expect(await reply.json()).toMatchObject({
        data: {
          accessPermitted: true,
          balances: { USD: 50, DIEM: 5, BUNDLED_CREDITS: 10 },
          nextEpochBegins: expect.stringMatching(/T00:00:00\.000Z$/),
          rateLimits: expect.arrayContaining([
            {
              apiModelId: 'compact-xs-3b',
              rateLimits: [
                { type: 'RPM', amount: 500 },
                { type: 'TPM', amount: 1_000_000 },
              ],
            },
          ]),
        },
      });
    }
  });
});

test('the chat route rejects tool choices of an unknown type', async () => {
  const service = await startTestService();
  const body = createChatRequest('Hi', { tools: [functionTool], tool_choice: { type: 'some' } });
  expect((await postChat(service, body)).status).toBe(400);
});

test.each(['/%zz', '/models/%', '/%c0%af'])(
  'the service returns an error in its own format for the invalid path %s',
  async (path) => {
    const { baseUrl } = await startTestService();
    const reply = await fetch(`${baseUrl}${path}`);
    expect(reply.status).toBe(400);
    expect(await reply.json()).toEqual({ error: 'Invalid URL' });
    expect(reply.headers.has('x-service-version')).toBe(true);
  },
);

test('the service returns 404 for a path with a segment that is too long', async () => {
  const { baseUrl, apiKey } = await startTestService();
  const headers = { authorization: `Bearer ${apiKey}` };
  const reply = await fetch(`${baseUrl}/characters/${'a'.repeat(300)}`, { headers });
  expect(reply.status).toBe(404);
  expect(await reply.json()).toEqual({ error: 'Not found' });
});

test('the service returns an error in its own format for an invalid HTTP request', async () => {
  const { baseUrl } = await startTestService();
  const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n');
  const text = (await socket.toArray()).join('');
  expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  expect(text.split('\r\n\r\n')[1]).toBe('{"error":"Invalid HTTP request"}');
});

test('the service returns 404 for an unknown path', async () => {
  const { baseUrl } = await startTestService();
  const reply = await fetch(`${baseUrl}/poems`);
  expect(reply.status).toBe(404);
  expect(reply.headers.has('x-service-version')).toBe(true);
});
