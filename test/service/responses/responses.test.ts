import { describe, expect, test } from 'vitest';
import { parseEvents, postJson, startTestService } from '../test-service.ts';
import type { LocalService } from '../server.ts';

interface ReplyItem {
  readonly type: string;
  readonly status?: string;
  readonly arguments?: string;
  readonly call_id?: string;
  readonly summary?: readonly string[];
  readonly content?: readonly {
    readonly text: string;
    readonly annotations: readonly {
      readonly url: string;
      readonly start_index: number;
      readonly end_index: number;
    }[];
  }[];
}

interface ResponseReply {
  readonly status: string;
  readonly output: readonly ReplyItem[];
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number };
}

const sendResponseRequest = (service: LocalService, body: object): Promise<Response> =>
  postJson(service, { path: '/responses', body: { model: 'default', ...body } });

async function requestResponse(service: LocalService, body: object): Promise<ResponseReply> {
  const reply = await sendResponseRequest(service, body);
  expect(reply.status).toBe(200);
  return (await reply.json()) as ResponseReply;
}

const requestEvents = async (service: LocalService, body: object) => {
  const reply = await sendResponseRequest(service, { ...body, stream: true });
  expect(reply.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  const text = await reply.text();
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  return parseEvents(text);
};

const getText = ({ output }: ResponseReply): string =>
  output.find(({ type }) => type === 'message')?.content?.[0]?.text ?? '';

const weatherTool = {
  type: 'function',
  name: 'get_weather',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

describe('a response', () => {
  test('contains a message and usage', async () => {
    const service = await startTestService();
    const reply = await requestResponse(service, { input: 'Hello' });
    expect(reply).toMatchObject({
      id: expect.stringMatching(/^resp_[\da-f]{32}$/),
      object: 'response',
      model: 'assistant-large-480b',
      status: 'completed',
      output: [{ type: 'message', role: 'assistant', status: 'completed' }],
      usage: { input_tokens_details: { cached_tokens: 0 } },
    });
    expect(getText(reply)).toContain('Hello! Ask me about your code');
    const { charges } = await service.control.getAccounts();
    expect(charges).toHaveLength(1);
  });

  test('contains reasoning as a separate item, whichever reasoning format the model uses in chats', async () => {
    const service = await startTestService();
    for (const model of ['reasoner-think-70b', 'reasoner-deep-235b']) {
      const reply = await requestResponse(service, { model, input: 'Why is the sky blue?' });
      expect(reply.output.map(({ type }) => type)).toEqual(['reasoning', 'message']);
      expect(reply.output[0]?.summary).toEqual([expect.stringMatching(/\w/)]);
      expect(getText(reply)).not.toContain('<think>');
    }
  });

  test('is incomplete if the answer exceeds the token limit', async () => {
    const service = await startTestService();
    expect(await requestResponse(service, { input: 'Hello', max_output_tokens: 2 })).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: [{ status: 'incomplete' }],
      usage: { output_tokens: 2 },
    });
  });

  test.each([
    ['the field web_search', { web_search: true }],
    ['a web search tool', { tools: [{ type: 'web_search' }] }],
    ['a service parameter', { service_parameters: { enable_web_search: 'on' } }],
  ])('contains a web search enabled by %s', async (_, searchFields) => {
    const service = await startTestService();
    const model = 'search-scout-24b';
    const reply = await requestResponse(service, {
      model,
      input: 'comet telescope',
      ...searchFields,
    });
    expect(reply.output.map(({ type }) => type)).toEqual(['web_search_call', 'message']);
    const [source] = reply.output[1]?.content?.[0]?.annotations ?? [];
    const end_index = getText(reply).length;
    const url = 'https://news.example.org/2026/comet';
    expect(source).toMatchObject({ type: 'url_citation', url, start_index: 0, end_index });
  });

  test('contains annotations at the citation markers of the text', async () => {
    const service = await startTestService();
    const reply = await requestResponse(service, {
      model: 'search-scout-24b:enable_web_citations=true',
      input: 'What is the latest news?',
      web_search: true,
    });
    const text = getText(reply);
    const annotations = reply.output.at(-1)?.content?.[0]?.annotations ?? [];
    expect(annotations.length).toBeGreaterThan(5);
    for (const { start_index, end_index } of annotations)
      expect(text.slice(start_index, end_index)).toMatch(/^\^[\d,]+\^$/);
  });

  test('contains function calls, and the next response continues from their output', async () => {
    const service = await startTestService();
    const questionMessage = { role: 'user', content: 'Call tool get_weather with {"city":"Rome"}' };
    const tools = [weatherTool, { type: 'x_unknown' }];
    const reply = await requestResponse(service, { input: [questionMessage], tools });
    const functionCall = reply.output.find(({ type }) => type === 'function_call');
    expect(functionCall).toMatchObject({ name: 'get_weather', status: 'completed' });
    expect(JSON.parse(functionCall?.arguments ?? '')).toEqual({ city: 'Rome' });
    const output = {
      type: 'function_call_output',
      call_id: functionCall?.call_id,
      output: '21 degrees',
    };
    const input = [questionMessage, ...reply.output, output];
    const secondReply = await requestResponse(service, { input, tools });
    expect(getText(secondReply)).toContain('21 degrees');
  });

  test('uses the text and files of the input, and ignores unsupported fields and input items', async () => {
    const service = await startTestService();
    const data = Buffer.from('Apples cost 42 cents.').toString('base64');
    const content = [
      { type: 'input_text', text: 'What do apples cost?' },
      { type: 'input_file', filename: 'a.md', file_data: `data:text/plain;base64,${data}` },
    ];
    const reply = await requestResponse(service, {
      instructions: 'Shout.',
      seed: 'no number',
      truncation: 'auto',
      input: [
        { type: 'reasoning', id: 'rs_1', summary: [] },
        { type: 'item_reference', id: 'msg_1' },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Yes?' }] },
        { type: 'message', role: 'user', content },
      ],
    });
    expect(getText(reply)).toContain('> Apples cost 42 cents.');
  });

  test('of a model with encryption is created only if the request disables encryption', async () => {
    const service = await startTestService();
    const body = { model: 'sealed-letter-70b', input: 'Hello' };
    for (const parameters of [undefined, {}, { enable_e2ee: true }]) {
      const reply = await sendResponseRequest(service, { ...body, service_parameters: parameters });
      expect(reply.status).toBe(400);
      expect(await reply.json()).toMatchObject({
        issues: [{ path: ['model'], message: expect.stringContaining('enable_e2ee') }],
      });
    }
    const reply = await requestResponse(service, {
      ...body,
      service_parameters: { enable_e2ee: false },
    });
    expect(reply.status).toBe('completed');
  });

  test.each([
    ['a function call', { type: 'auto' }, true],
    ['no function call', { type: 'none' }, false],
    ['a function call', { type: 'function', name: 'get_weather' }, true],
  ])('contains %s if the tool choice is %j', async (_, tool_choice, hasCall) => {
    const service = await startTestService();
    const input = 'Call tool get_weather with {"city":"Rome"}';
    const reply = await requestResponse(service, { input, tools: [weatherTool], tool_choice });
    expect(reply.output.some(({ type }) => type === 'function_call')).toBe(hasCall);
  });

  test.each([
    ['no input', { input: undefined }, 400],
    ['an empty input', { input: [] }, 400],
    ['an input item of an unknown type', { input: [{ type: 'odd' }] }, 400],
    [
      'message content of an unknown type',
      { input: [{ role: 'user', content: [{ type: 'input_video' }] }] },
      400,
    ],
    [
      'a function result without a call',
      { input: [{ type: 'function_call_output', call_id: 'c', output: '' }] },
      400,
    ],
    ['an unknown model', { input: 'a', model: 'unknown' }, 404],
    ['an offline model', { input: 'a', model: 'absent-offline-70b' }, 503],
    [
      'tools for a model without tool calls',
      { input: 'a', model: 'compact-xs-3b', tools: [weatherTool] },
      400,
    ],
  ])('is refused if the request contains %s', async (_, body, status) => {
    const service = await startTestService();
    expect((await sendResponseRequest(service, body)).status).toBe(status);
  });
});

describe('the events of a streamed response', () => {
  test('are numbered, and add up to the final response', async () => {
    const service = await startTestService();
    const allEvents = await requestEvents(service, {
      model: 'reasoner-think-70b',
      input: 'What is the latest news?',
      web_search: true,
    });
    expect(allEvents.map((event) => event['sequence_number'])).toEqual(
      allEvents.map((_, index) => index),
    );
    const types = allEvents.map(({ type }) => type);
    expect(types.filter((type, index) => type !== types[index - 1])).toEqual([
      'response.created',
      'response.web_search.done',
      'response.output_item.added',
      'response.reasoning.delta',
      'response.output_item.done',
      'response.output_item.added',
      'response.output_item.done',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_item.done',
      'response.completed',
    ]);
    const { response } = allEvents.at(-1) as unknown as { response: ResponseReply };
    expect(response.output.map(({ type }) => type)).toEqual([
      'reasoning',
      'web_search_call',
      'message',
    ]);
    const deltas = allEvents.filter(({ type }) => type === 'response.output_text.delta');
    expect(deltas.map(({ delta }) => delta).join('')).toBe(getText(response));
    const doneEvents = allEvents.filter(({ type }) => type === 'response.output_item.done');
    expect(doneEvents.map(({ item }) => item)).toEqual(response.output);
    expect(doneEvents.map((event) => event['output_index'])).toEqual([0, 1, 2]);
  });

  test('each start with a line that names the event type', async () => {
    const service = await startTestService();
    const reply = await sendResponseRequest(service, { input: 'Hello', stream: true });
    const allEvents = (await reply.text()).split('\n\n').slice(0, -2);
    expect(allEvents.length).toBeGreaterThan(4);
    for (const event of allEvents) {
      const [, name, data = ''] = /^event: (\S+)\ndata: (.+)$/.exec(event) ?? [];
      expect(JSON.parse(data)).toMatchObject({ type: name });
    }
  });

  test('contain function calls in deltas', async () => {
    const service = await startTestService();
    await service.control.addScripts({
      steps: [
        { content: 'I look.' },
        { call: { name: 'get_weather', arguments: { city: 'Rome' } } },
        { call: { name: 'get_weather', arguments: { city: 'Oslo' } } },
      ],
    });
    const allEvents = await requestEvents(service, { input: 'Weather?', tools: [weatherTool] });
    const joinDeltas = (index: number) =>
      allEvents
        .filter((event) => event['output_index'] === index && 'delta' in event)
        .map(({ delta }) => delta)
        .join('');
    expect([0, 1, 2].map(joinDeltas)).toEqual(['I look.', '{"city":"Rome"}', '{"city":"Oslo"}']);
    const { response } = allEvents.at(-1) as unknown as { response: ResponseReply };
    const calls = response.output.filter(({ type }) => type === 'function_call');
    expect(calls.map((call) => call.arguments)).toEqual(['{"city":"Rome"}', '{"city":"Oslo"}']);
    expect(calls.every(({ status }) => status === 'completed')).toBe(true);
  });

  test('report a failed and an incomplete answer', async () => {
    const service = await startTestService();
    const error = { message: 'The model is overloaded', code: 'model_overloaded' };
    await service.control.addScripts({ steps: [{ content: 'Half' }, { error }] });
    const failedEvent = (await requestEvents(service, { input: 'a' })).at(-1);
    expect(failedEvent).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', error },
    });
    const lastEvent = (await requestEvents(service, { input: 'Hello', max_output_tokens: 1 })).at(
      -1,
    );
    expect(lastEvent?.['type']).toBe('response.incomplete');
  });
});
