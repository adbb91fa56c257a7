import { expect, test } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import type { Chunk } from './chunks.ts';
import type { Script, ScriptStep } from './script.ts';
import { createChatRequest, parseEvents, postChat, startTestService } from '../test-service.ts';

async function requestStream(
  service: Awaited<ReturnType<typeof startTestService>>,
  body: object,
): Promise<{ text: string; deltas: Json[]; finishReasons: Json[] }> {
  const reply = await postChat(service, { ...body, stream: true });
  const text = await reply.text();
  const choices = (parseEvents(text) as unknown as Chunk[]).flatMap((chunk) => chunk.choices);
  return {
    text,
    deltas: choices.map(({ delta }) => delta as Json),
    finishReasons: choices.flatMap(({ finish_reason: reason }) =>
      reason === null ? [] : [reason],
    ),
  };
}

const longText = 'n'.repeat(10_000);

test.each<[name: string, steps: ScriptStep[], deltas: Json[]]>([
  [
    'a negative index',
    [{ toolCall: { index: -1, id: 'c', name: 'x', arguments: '{}' } }],
    [
      {
        tool_calls: [
          { index: -1, id: 'c', type: 'function', function: { name: 'x', arguments: '{}' } },
        ],
      },
    ],
  ],
  [
    'a huge index',
    [{ toolCall: { index: 1e9, arguments: '' } }],
    [{ tool_calls: [{ index: 1e9, function: { arguments: '' } }] }],
  ],
  [
    'a text as index',
    [{ toolCall: { index: '0' } }],
    [{ tool_calls: [{ index: '0', function: {} }] }],
  ],
  [
    'no index',
    [{ toolCall: { id: '' } }],
    [{ tool_calls: [{ id: '', type: 'function', function: {} }] }],
  ],
  [
    'the name of a prototype property',
    [{ toolCall: { index: 0, name: '__proto__' } }],
    [{ tool_calls: [{ index: 0, function: { name: '__proto__' } }] }],
  ],
  [
    'a very long name',
    [{ toolCall: { index: 0, name: longText } }],
    [{ tool_calls: [{ index: 0, function: { name: longText } }] }],
  ],
  [
    'an object as arguments',
    [{ toolCall: { index: 0, arguments: { a: 1 } } }],
    [{ tool_calls: [{ index: 0, function: { arguments: { a: 1 } } }] }],
  ],
  [
    'several calls with the same id, in reverse order',
    [
      {
        toolCalls: [
          { index: 1, id: 'c', name: 'x' },
          { index: 0, id: 'c', name: 'y' },
        ],
      },
    ],
    [
      {
        tool_calls: [
          { index: 1, id: 'c', type: 'function', function: { name: 'x' } },
          { index: 0, id: 'c', type: 'function', function: { name: 'y' } },
        ],
      },
    ],
  ],
  [
    'a text in place of a list of calls',
    [{ delta: { tool_calls: 'all' } }],
    [{ tool_calls: 'all' }],
  ],
  ['null in place of an object', [{ delta: null }], [null]],
])('a script sends deltas unchanged if they contain %s', async (_, steps, deltas) => {
  const service = await startTestService();
  await service.control.addScripts({ steps, times: 2 });
  const replayedStream = await requestStream(service, createChatRequest('Hi'));
  expect(replayedStream.deltas.slice(1, -1)).toEqual(deltas);
  const completeReply = await postChat(service, createChatRequest('Hi'));
  expect(completeReply.status).toBe(200);
  expect((await completeReply.text()).length).toBeLessThan(20_000);
});

test('a scripted reply can contain bytes that are not JSON', async () => {
  const service = await startTestService();
  const rawEvent = 'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":NaN}]}}]}\n\n';
  await service.control.addScripts({ steps: [{ raw: rawEvent }] });
  const reply = await postChat(service, createChatRequest('Hi', { stream: true }));
  expect(await reply.text()).toContain(rawEvent);
});

test('a scripted reply can stream 200 tool calls, each in several deltas', async () => {
  const service = await startTestService();
  const callSteps: ScriptStep[] = Array.from({ length: 200 }, (_, n) => ({
    call: { name: 'read_file', arguments: { path: `src/file-${n}.ts` } },
  }));
  await service.control.addScripts({ steps: callSteps, times: 2 });
  const { deltas, finishReasons, text } = await requestStream(service, createChatRequest('Hi'));
  const callDeltas = deltas.flatMap((delta) => (delta as { tool_calls?: Json[] }).tool_calls ?? []);
  expect(callDeltas[0]).toEqual({
    index: 0,
    id: 'call_1',
    type: 'function',
    function: { name: 'read_file', arguments: '' },
  });
  expect(callDeltas.length).toBeGreaterThan(1000);
  expect(finishReasons).toEqual(['tool_calls']);
  expect(parseEvents(text).at(-1)).toMatchObject({
    usage: { completion_tokens: expect.any(Number) },
  });
  const completeReply = (await (await postChat(service, createChatRequest('Hi'))).json()) as {
    choices: { message: { tool_calls: { id: string; function: { arguments: string } }[] } }[];
  };
  const lastCall = completeReply.choices[0]?.message.tool_calls.at(-1);
  expect(lastCall).toMatchObject({
    id: 'call_200',
    function: { arguments: '{"path":"src/file-199.ts"}' },
  });
});

test.each<[name: string, finishReason: string | null | undefined, reasons: Json[]]>([
  ['with the finish reason "length"', 'length', ['length']],
  ['with the finish reason "stop"', 'stop', ['stop']],
  ['with the unknown finish reason "who knows"', 'who knows', ['who knows']],
  ['without a finish reason', null, []],
  ['with the default finish reason "tool_calls"', undefined, ['tool_calls']],
])('a script sends a scripted call %s', async (_, finishReason, expectedReasons) => {
  const service = await startTestService();
  const steps = [{ call: { name: 'x', arguments: '{"path": "cut' } }];
  await service.control.addScripts({
    steps,
    ...(finishReason !== undefined && { finishReason }),
  });
  const replayedStream = await requestStream(service, createChatRequest('Hi'));
  expect(replayedStream.finishReasons).toEqual(expectedReasons);
  expect(replayedStream.text.endsWith('data: [DONE]\n\n')).toBe(true);
});

test('a scripted stream can end normally or with a connection reset after its tool calls', async () => {
  const service = await startTestService();
  const createSteps = (ending: 'end' | 'reset'): ScriptStep[] => [
    { call: { name: 'x', arguments: '{}' } },
    { cut: ending },
  ];
  await service.control.addScripts(
    { steps: createSteps('end') },
    { steps: createSteps('reset') },
    { steps: createSteps('reset') },
  );
  const cutReply = await requestStream(service, createChatRequest('Hi'));
  expect(cutReply.text).toContain('"name":"x"');
  expect(cutReply.text).not.toContain('[DONE]');
  expect(cutReply.text).not.toContain('"usage"');
  const reply = await postChat(service, createChatRequest('Hi', { stream: true }));
  const reader = reply.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const readAll = async (): Promise<void> => {
    for (let readResult = await reader.read(); !readResult.done; readResult = await reader.read())
      text += readResult.value;
  };
  await expect(readAll()).rejects.toThrow();
  expect(text).toContain('"name":"x"');
  const recordedRequest = await service.control.waitForRequest(
    ({ closedAt, body }) => closedAt !== undefined && JSON.stringify(body).includes('stream'),
  );
  expect(recordedRequest.abortedByClient).toBe(false);
  expect((await postChat(service, createChatRequest('Hi'))).status).toBe(500);
});

test('a request gets the reply of the first matching script', async () => {
  const service = await startTestService();
  const { control } = service;
  const createScript = (content: string, matchFields: Partial<Script>): Script => ({
    ...matchFields,
    steps: [{ content }],
  });
  await control.addScripts(
    createScript('after the read', { afterResultOf: 'read_file' }),
    createScript('after c9', { afterResultOf: 'c9' }),
    createScript('about tides', { userMessage: 'tides' }),
    createScript('for another model', { model: 'compact-xs-3b' }),
    createScript('with tools', { withTools: true }),
    createScript('for anyone', {}),
  );
  const requestAnswer = async (body: object): Promise<string | null | undefined> => {
    const reply = await postChat(service, body);
    const { choices } = (await reply.json()) as {
      choices: { message: { content: string | null } }[];
    };
    return choices[0]?.message.content;
  };
  const tools = [{ type: 'function', function: { name: 'read_file' } }];
  const createToolMessage = (id: string, name: string): object => ({
    ...createChatRequest(''),
    messages: [
      { role: 'user', content: 'Go' },
      { role: 'assistant', tool_calls: [{ id, function: { name, arguments: '{}' } }] },
      { role: 'tool', tool_call_id: id, content: 'ok' },
    ],
  });
  expect(await control.countRemainingReplies()).toBe(6);
  expect(await requestAnswer(createChatRequest('When do tides turn?'))).toBe('about tides');
  expect(await requestAnswer(createToolMessage('c9', 'find_files'))).toBe('after c9');
  expect(await requestAnswer(createToolMessage('c1', 'read_file'))).toBe('after the read');
  expect(await requestAnswer(createChatRequest('Hi', { tools }))).toBe('with tools');
  expect(await requestAnswer(createChatRequest('Hi'))).toBe('for anyone');
  expect(await requestAnswer(createChatRequest('Hi', { model: 'compact-xs-3b' }))).toBe(
    'for another model',
  );
  expect(await control.countRemainingReplies()).toBe(0);
});

test.each([
  ['no steps', {}],
  ['a text in place of the steps', { steps: 'all' }],
  ['a step with a misspelled field', { steps: [{ contnet: 'x' }] }],
  ['an empty step', { steps: [{}] }],
  ['a step with an unknown field', { steps: [{ content: 'x', wait: 1 }] }],
])('the control plane rejects a script with %s', async (_, script) => {
  const { control } = await startTestService();
  await expect(control.addScripts(script as unknown as Script)).rejects.toThrow('script');
  expect(await control.countRemainingReplies()).toBe(0);
});
