import { describe, expect, test } from 'vitest';
import { createChatRequest, postChat, startTestService } from '../test-service.ts';

const userMessage = { role: 'user', content: 'Go' };
const createCallsMessage = (...ids: readonly string[]): object => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'x', arguments: '{}' } })),
});
const createToolMessage = (id: string, content: unknown = 'ok'): object => ({
  role: 'tool',
  tool_call_id: id,
  content,
});
const createCallMessage = (overrides: object, functionOverrides: object = {}): object => ({
  role: 'assistant',
  tool_calls: [
    { id: 'a', ...overrides, function: { name: 'x', arguments: '{}', ...functionOverrides } },
  ],
});
const createTool = (name: string, parameters?: object): object => ({
  type: 'function',
  function: { name, parameters },
});
const nameRuleMessage = 'Must be 1 to 64 letters, digits, underscores or hyphens';

describe('invalid tool messages', () => {
  const cases: [name: string, body: object, path: (string | number)[], message: string][] = [
    [
      'a result without a call',
      { messages: [userMessage, createToolMessage('a')] },
      ['messages', 1, 'tool_call_id'],
      'A tool message must follow an assistant message with tool_calls',
    ],
    [
      'a result after another message',
      {
        messages: [
          userMessage,
          createCallsMessage('a'),
          createToolMessage('a'),
          userMessage,
          createToolMessage('a'),
        ],
      },
      ['messages', 4, 'tool_call_id'],
      'A tool message must follow an assistant message with tool_calls',
    ],
    [
      'a result of another call',
      {
        messages: [
          userMessage,
          createCallsMessage('a'),
          createToolMessage('b'),
          createToolMessage('a'),
        ],
      },
      ['messages', 2, 'tool_call_id'],
      "No open tool call of the message before has the id 'b'",
    ],
    [
      'a second result',
      {
        messages: [
          userMessage,
          createCallsMessage('a'),
          createToolMessage('a'),
          createToolMessage('a'),
        ],
      },
      ['messages', 3, 'tool_call_id'],
      "No open tool call of the message before has the id 'a'",
    ],
    [
      'a call without a result',
      {
        messages: [userMessage, createCallsMessage('a', 'b'), createToolMessage('b'), userMessage],
      },
      ['messages', 1, 'tool_calls'],
      'Every tool call must be followed by a tool message with its result. Missing: a',
    ],
    [
      'a call at the end',
      { messages: [userMessage, createCallsMessage('a')] },
      ['messages', 1, 'tool_calls'],
      'Every tool call must be followed by a tool message with its result. Missing: a',
    ],
    [
      'two calls with the same id',
      { messages: [userMessage, createCallsMessage('a', 'a'), createToolMessage('a')] },
      ['messages', 1, 'tool_calls', 1, 'id'],
      "The id 'a' is used twice",
    ],
    [
      'an empty id',
      { messages: [userMessage, createCallMessage({ id: '' }), createToolMessage('')] },
      ['messages', 1, 'tool_calls', 0, 'id'],
      'String must contain at least 1 character(s)',
    ],
    [
      'a name that is too long',
      {
        messages: [
          userMessage,
          createCallMessage({}, { name: 'n'.repeat(65) }),
          createToolMessage('a'),
        ],
      },
      ['messages', 1, 'tool_calls', 0, 'function', 'name'],
      nameRuleMessage,
    ],
    [
      'truncated arguments',
      {
        messages: [
          userMessage,
          createCallMessage({}, { arguments: '{"a":' }),
          createToolMessage('a'),
        ],
      },
      ['messages', 1, 'tool_calls', 0, 'function', 'arguments'],
      'Must be the text of a JSON object',
    ],
    [
      'a result in parts',
      {
        messages: [
          userMessage,
          createCallsMessage('a'),
          createToolMessage('a', [{ type: 'text', text: 'x' }]),
        ],
      },
      ['messages', 2, 'content'],
      'Expected string, received array',
    ],
    [
      'an image in an answer',
      {
        messages: [
          userMessage,
          { role: 'assistant', content: [{ type: 'image_url', image_url: { url: '' } }] },
        ],
      },
      ['messages', 1, 'content'],
      'Invalid input',
    ],
    [
      'a tool with a space in its name',
      { tools: [createTool('a b')] },
      ['tools', 0, 'function', 'name'],
      nameRuleMessage,
    ],
    [
      'two tools with the same name',
      { tools: [createTool('a'), createTool('a')] },
      ['tools', 1, 'function', 'name'],
      "The name 'a' is used twice",
    ],
    [
      'a text as schema',
      { tools: [createTool('a', { type: 'string' })] },
      ['tools', 0, 'function', 'parameters'],
      "The schema's type must be 'object'",
    ],
    [
      '129 tools',
      { tools: Array.from({ length: 129 }, (_, n) => createTool(`t${n}`)) },
      ['tools'],
      'At most 128 tools are allowed',
    ],
    [
      'a tool choice without the definition of the tool',
      { tools: [createTool('a')], tool_choice: { type: 'function', function: { name: 'b' } } },
      ['tool_choice'],
      "There is no tool named 'b'",
    ],
    [
      'a required call without tools',
      { tool_choice: 'required' },
      ['tool_choice'],
      'tool_choice needs tools',
    ],
    [
      'parallel calls for a model without parallel calls',
      { model: 'compact-xs-3b', parallel_tool_calls: true },
      ['parallel_tool_calls'],
      'parallel_tool_calls is not supported by this model',
    ],
  ];

  test.each(cases)('are rejected: %s', async (_, change, path, message) => {
    const service = await startTestService();
    const reply = await postChat(service, createChatRequest('Hi', change));
    expect(reply.status).toBe(400);
    const body = (await reply.json()) as { issues: object[] };
    expect(body.issues).toContainEqual(expect.objectContaining({ path, message }));
  });
});

test.each([
  [
    'results in any order',
    [userMessage, createCallsMessage('a', 'b'), createToolMessage('b'), createToolMessage('a')],
  ],
  [
    'ids that later calls use again',
    [
      userMessage,
      createCallsMessage('a'),
      createToolMessage('a'),
      createCallsMessage('a'),
      createToolMessage('a'),
      userMessage,
    ],
  ],
  [
    'an ignored empty answer between messages',
    [
      userMessage,
      createCallsMessage('a'),
      { role: 'assistant', content: '' },
      createToolMessage('a'),
    ],
  ],
  [
    'a user message after the results',
    [userMessage, createCallsMessage('a'), createToolMessage('a'), userMessage],
  ],
])('valid tool messages are accepted: %s', async (_, messages) => {
  const service = await startTestService();
  expect((await postChat(service, createChatRequest('', { messages }))).status).toBe(200);
});

describe('the context length of a model', () => {
  const overflowError = {
    error: { type: 'invalid_request_error', param: 'messages', code: 'context_length_exceeded' },
  };
  const longRequest = createChatRequest('word '.repeat(2000), { model: 'tools-swift-24b' });

  test('can be reduced by a test, with or without a change in the model list', async () => {
    const service = await startTestService();
    const { control } = service;
    const readListedTokens = async (): Promise<unknown> => {
      const reply = await fetch(`${service.baseUrl}/models`);
      const { data } = (await reply.json()) as {
        data: {
          id: string;
          context_length: number;
          model_spec: { availableContextTokens: number };
        }[];
      };
      const record = data.find(({ id }) => id === 'tools-swift-24b');
      return [record?.context_length, record?.model_spec.availableContextTokens];
    };
    expect((await postChat(service, longRequest)).status).toBe(200);
    await control.changeModel({ model: 'tools-swift-24b', contextTokens: 3000, listed: false });
    expect(await readListedTokens()).toEqual([131_072, 131_072]);
    const rejectedReply = await postChat(service, longRequest);
    expect(rejectedReply.status).toBe(400);
    expect(await rejectedReply.json()).toMatchObject(overflowError);
    await control.changeModel({ model: 'tools-swift-24b', contextTokens: 4000 });
    expect(await readListedTokens()).toEqual([4000, 4000]);
    expect((await postChat(service, longRequest)).status).toBe(200);
    await control.reset();
    expect(await readListedTokens()).toEqual([131_072, 131_072]);
    await expect(control.changeModel({ model: 'nobody', contextTokens: 1 })).rejects.toThrow(
      'not found',
    );
  });

  test.each([
    [
      'the schemas of tools',
      { tools: [createTool('a', { type: 'object', description: 'd'.repeat(4000) })] },
    ],
    [
      'the tokens that `max_completion_tokens` reserves for the answer',
      { max_completion_tokens: 1000 },
    ],
    ['the tokens that `max_tokens` reserves for the answer', { max_tokens: 1000 }],
    [
      'tool results',
      {
        messages: [userMessage, createCallsMessage('a'), createToolMessage('a', 'r'.repeat(4000))],
      },
    ],
    [
      'images',
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'x' },
              { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
            ],
          },
        ],
      },
    ],
  ])('is exceeded because of %s', async (_, change) => {
    const service = await startTestService();
    await service.control.changeModel({ model: 'default', contextTokens: 1000 });
    expect((await postChat(service, createChatRequest('Hi'))).status).toBe(200);
    const reply = await postChat(service, createChatRequest('Hi', change));
    expect(reply.status).toBe(400);
    expect(await reply.json()).toMatchObject(overflowError);
  });

  test('is measured in prompt tokens, which include tool schemas', async () => {
    const service = await startTestService();
    const countPromptTokens = async (change: object): Promise<number> => {
      const reply = await postChat(service, createChatRequest('Hi', change));
      return ((await reply.json()) as { usage: { prompt_tokens: number } }).usage.prompt_tokens;
    };
    const plainTokens = await countPromptTokens({});
    const tools = [createTool('a', { type: 'object', description: 'd'.repeat(3200) })];
    expect((await countPromptTokens({ tools })) - plainTokens).toBeGreaterThan(1000);
  });
});
