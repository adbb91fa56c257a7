import { describe, expect, test } from 'vitest';
import { startStrictDeployment } from '../../../test/support/deployment-context.ts';
import {
  type ScriptedAnswer,
  createScriptedService,
} from '../../../test/support/scripted-transport.ts';
import { isRecord } from '../../base/json.ts';
import { Connection } from '../http/connection.ts';
import { listModels } from '../models.ts';
import type { ChatRequest } from './chat-types.ts';
import type { PromptCache } from './prompt-cache.ts';
import { streamChat } from './stream-chat.ts';

const { signal } = new AbortController();
const lookTool = {
  type: 'function',
  function: { name: 'look', parameters: { type: 'object', properties: {} } },
} as const;
const toolCall = {
  id: 't0',
  type: 'function',
  function: { name: 'look', arguments: '{}' },
} as const;

const chatRequest: ChatRequest = {
  model: 'maple-70b',
  messages: [
    { role: 'system', content: 'Answer briefly.' },
    { role: 'user', content: 'First' },
    { role: 'assistant', content: 'One' },
    { role: 'user', content: 'Second' },
    { role: 'assistant', content: 'Two' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Third' },
        { type: 'text', text: 'more' },
      ],
    },
    { role: 'assistant', content: 'I look.', tool_calls: [toolCall] },
    { role: 'tool', content: 'seen', tool_call_id: 't0' },
  ],
  tools: [lookTool],
};
const cacheWithPrices: PromptCache = { key: 'c1', pricing: { cacheInput: { usd: 0.1 } } };
const cacheWithoutPrices: PromptCache = { key: 'c1', pricing: { input: { usd: 1 } } };

type RequestBody = Readonly<Record<string, unknown>>;

/** Returns the positions of the messages with cache breakpoints. */
const listBreakpoints = (body: RequestBody | undefined): number[] => {
  const messages = Array.isArray(body?.['messages']) ? body['messages'] : [];
  return messages.flatMap((message: unknown, index) =>
    JSON.stringify(message).includes('"cache_control":{"type":"ephemeral"}') ? [index] : [],
  );
};

/** Sends a request whose options contain a prompt cache to a service with scripted replies. */
async function sendChat(
  cache: PromptCache | undefined,
  connection = new Connection(),
  usage: object = {},
  messages = chatRequest.messages,
) {
  const reply = { choices: [{ delta: { content: 'Hi' }, finish_reason: 'stop' }], usage };
  const { context, requests } = createScriptedService({
    headers: { 'content-type': 'text/event-stream' },
    body: [`data: ${JSON.stringify(reply)}\n\n`, 'data: [DONE]\n\n'],
  });
  const getEndpoint = async () => ({ ...(await context.getEndpoint()), connection });
  const options = { signal, ...(cache === undefined ? {} : { cache }) };
  for await (const batch of streamChat(
    { ...context, getEndpoint },
    { ...chatRequest, messages },
    options,
  ))
    void batch;
  const body: unknown = JSON.parse(String(requests[0]?.body));
  return isRecord(body) ? body : {};
}

describe('a request with a prompt cache', () => {
  test('has the key of the conversation and at most four breakpoints', async () => {
    const body = await sendChat(cacheWithPrices);
    expect(body['prompt_cache_key']).toBe('c1');
    // The system prompt, the last two questions and the last text of the model.
    expect(listBreakpoints(body)).toEqual([0, 3, 5, 6]);
    expect(JSON.stringify(body).match(/cache_control/gu)).toHaveLength(4);
  });

  test.each([
    ['the model has no cache prices', cacheWithoutPrices],
    ['the model has no record', { key: 'c1', pricing: undefined }],
    ['the caller requests no cache', undefined],
  ])('has no cache fields if %s', async (_, cache) => {
    expect(JSON.stringify(await sendChat(cache))).not.toContain('cache');
  });

  test('has cache fields if an earlier reply of the same model and connection reported cached tokens', async () => {
    const connection = new Connection();
    const tokens = { prompt_tokens: 9, completion_tokens: 1 };
    await sendChat(cacheWithoutPrices, connection, {
      ...tokens,
      prompt_tokens_details: { cached_tokens: 0 },
    });
    expect(JSON.stringify(await sendChat(cacheWithoutPrices, connection))).not.toContain('cache');
    await sendChat(cacheWithoutPrices, connection, {
      ...tokens,
      prompt_tokens_details: { cached_tokens: 4 },
    });
    expect(listBreakpoints(await sendChat(cacheWithoutPrices, connection))).toHaveLength(4);
    expect(JSON.stringify(await sendChat(cacheWithoutPrices))).not.toContain('cache');
    expect(connection.facts.fields).toEqual({
      'cached-tokens:maple-70b': true,
      prompt_cache_key: true,
      'messages.cache_control': true,
    });
  });

  test('has no cache fields if it is encrypted', async () => {
    const { context, requests } = createScriptedService({ status: 400 });
    // The generator of secp256k1.
    const publicKey =
      '0479be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8';
    const protection = {
      guard: async () => ({ kind: 'encrypted', publicKey, checkedAt: 0 }) as const,
      reportProtectionFailure: () => {},
    };
    const options = { signal, cache: cacheWithPrices };
    for await (const batch of streamChat({ ...context, protection }, chatRequest, options))
      void batch;
    expect(requests).toHaveLength(1);
    for (const { body } of requests) expect(String(body)).not.toContain('cache');
  });
});

describe('a deployment', () => {
  /** Sends the same request three times and returns the requests that the service recorded. */
  async function sendChatThrice(shape: 'minimal' | 'full', cache: PromptCache) {
    await using server = await startStrictDeployment({ word: 'acme', shape });
    await listModels(server.context, { signal });
    for (let count = 0; count < 3; count += 1) {
      const options = { signal, cache, areOptionsChosen: true };
      for await (const batch of streamChat(server.context, chatRequest, options)) void batch;
    }
    return server.listRequests('/chat/completions');
  }

  test('that accepts all fields (shape "full") receives the cache fields', async () => {
    const requests = await sendChatThrice('full', cacheWithPrices);
    expect(requests.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(requests.map(({ body }) => listBreakpoints(body).length)).toEqual([4, 4, 4]);
  });

  test('that accepts only specified fields (shape "minimal") receives no cache fields if the model has no cache prices', async () => {
    const requests = await sendChatThrice('minimal', cacheWithoutPrices);
    expect(requests.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(JSON.stringify(requests)).not.toContain('cache');
  });

  test('receives each rejected cache field only once, and answers the request without these fields', async () => {
    const requests = await sendChatThrice('minimal', cacheWithPrices);
    expect(requests.map(({ status }) => status)).toEqual([400, 400, 200, 200, 200]);
    expect(JSON.stringify(requests.slice(2))).not.toContain('cache');
  });
});

describe('the messages of a cached conversation', () => {
  const turns: ChatRequest['messages'] = [
    { role: 'system', content: 'Answer briefly.' },
    { role: 'user', content: 'A' },
    { role: 'assistant', content: 'a' },
    { role: 'user', content: 'B' },
    { role: 'assistant', content: 'b' },
    { role: 'user', content: 'New instructions' },
    { role: 'user', content: 'C' },
    { role: 'assistant', content: 'I look.', tool_calls: [toolCall] },
    { role: 'tool', content: 'seen', tool_call_id: 't0' },
    { role: 'user', content: [{ type: 'text', text: 'An image of the result' }] },
  ];

  async function getSentMessages(count: number): Promise<object[]> {
    const { messages } = await sendChat(
      cacheWithPrices,
      new Connection(),
      {},
      turns.slice(0, count),
    );
    return messages as object[];
  }
  const formatWithoutBreakpoints = (messages: readonly object[]): string =>
    JSON.stringify(messages).replaceAll(',"cache_control":{"type":"ephemeral"}', '').slice(0, -1);

  test('are identical in later requests, except for the breakpoints', async () => {
    let previousMessages = '';
    for (const count of [2, 4, 7, 10]) {
      const messages = formatWithoutBreakpoints(await getSentMessages(count));
      expect(messages.startsWith(previousMessages)).toBe(true);
      previousMessages = messages;
    }
  });

  test('have breakpoints after the user’s questions, but not after instructions or images from tools', async () => {
    const messages = await getSentMessages(10);
    expect(listBreakpoints({ messages })).toEqual([0, 3, 6, 7]);
  });

  const doneAnswer = {
    headers: { 'content-type': 'text/event-stream' },
    body: [
      'data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n',
      'data: [DONE]\n\n',
    ],
  };

  /**
   * Sends a chat twice to a service whose first response is an error. Returns the connection and the bodies of all
   * requests.
   */
  async function sendChatTwice(error: unknown, ...answers: readonly ScriptedAnswer[]) {
    const refusal = { status: 400, body: [JSON.stringify(error)] };
    const { context, requests } = createScriptedService(refusal, ...answers);
    const connection = new Connection();
    const getEndpoint = async () => ({ ...(await context.getEndpoint()), connection });
    for (let count = 0; count < 2; count += 1) {
      const options = { signal, cache: cacheWithPrices };
      const chat = { ...chatRequest, messages: turns.slice(0, 4) };
      for await (const batch of streamChat({ ...context, getEndpoint }, chat, options)) void batch;
    }
    const bodies = requests.map(({ body }) => JSON.parse(String(body)) as RequestBody);
    return { connection, bodies };
  }

  test.each<[string, object]>([
    [
      'the expectation of a valid string',
      { error: 'messages.0.content: Input should be a valid string' },
    ],
    [
      'the expectation of a string instead of a sequence',
      { error: 'messages[0].content: invalid type: sequence, expected a string at column 9' },
    ],
    [
      'the parameter with the invalid type',
      {
        error: {
          message:
            "Invalid type for 'messages[0].content': expected a string, but got an array instead.",
          param: 'messages[0].content',
        },
      },
    ],
    [
      'a list of issues',
      {
        issues: [
          {
            code: 'invalid_type',
            expected: 'string',
            received: 'array',
            path: ['messages', 0, 'content'],
            message: 'Expected string, received array',
          },
        ],
      },
    ],
    [
      'a list of details',
      {
        detail: [
          {
            type: 'string_type',
            loc: ['body', 'messages', 0, 'content'],
            msg: 'Input should be a valid string',
            input: [{ type: 'text', text: 'Answer briefly.' }],
          },
        ],
      },
    ],
  ])(
    'are sent as plain texts after a service rejects lists of content parts with %s',
    async (_name, error) => {
      const { bodies } = await sendChatTwice(error, doneAnswer);
      expect(bodies).toHaveLength(3);
      for (const body of bodies.slice(1)) {
        expect(body['messages']).toEqual(turns.slice(0, 4));
        expect(body['prompt_cache_key']).toBe('c1');
      }
    },
  );

  test.each([
    'messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6 MB > 5 MB',
    "Invalid 'messages[3].content': string too long. Expected a string with maximum length 9.",
    "Invalid type for 'messages[2].content[0].image_url': expected a string, but got an object.",
    "Invalid type for 'messages[2].content': expected a string, but got null instead.",
    "Invalid type for 'messages[2].content': expected one of a string or array of objects.",
  ])('keep their breakpoints after an unrelated failure: %s', async (message) => {
    const { bodies } = await sendChatTwice(
      { error: { message, type: 'invalid_request_error' } },
      doneAnswer,
    );
    expect(bodies.map((body) => listBreakpoints(body).length)).toEqual([4, 4]);
  });

  test('keep their breakpoints in later requests if the service also rejects the repeated request without breakpoints', async () => {
    const error = { error: 'messages.0.content: Input should be a valid string' };
    const refusal = { status: 400, body: [JSON.stringify(error)] };
    const { bodies, connection } = await sendChatTwice(error, refusal, doneAnswer);
    expect(bodies.map((body) => listBreakpoints(body).length)).toEqual([4, 0, 4]);
    expect(connection.facts.fields?.['messages.cache_control']).toBe(true);
  });
});
