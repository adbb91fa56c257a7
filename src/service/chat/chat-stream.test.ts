import { fc } from '../../../test/support/property.ts';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import {
  scriptedKey,
  createScriptedService,
  type ScriptedAnswer,
} from '../../../test/support/scripted-transport.ts';
import { streamChat } from './stream-chat.ts';
import { flattenBatches } from '../../../test/support/batches.ts';
import { readChatStream, streamLimits, type StreamLimits } from './chat-stream.ts';
import type { ChatEvent } from './chat-types.ts';
import { createInterruptedError } from '../http/network-failure.ts';
import type { ServiceError } from '../http/failure.ts';

const formatEvent = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;
const formatDelta = (fields: object, finish_reason: string | null = null): string =>
  formatEvent({ choices: [{ index: 0, delta: fields, finish_reason }] });
const doneEventText = 'data: [DONE]\n\n';

const baseUrl = 'https://api.service.test/api/v1';

test('streamChat converts a complete stream to events', async () => {
  const events = await readEvents([
    formatDelta({ role: 'assistant', content: '' }),
    formatDelta({ reasoning_content: 'Hm. ' }),
    formatDelta({ content: 'Hello ' }),
    formatDelta({ content: 'there' }, 'stop'),
    formatEvent({
      choices: [],
      usage: {
        prompt_tokens: 3,
        completion_tokens: 2,
        total_tokens: 5,
        prompt_tokens_details: { cached_tokens: 1, cache_creation_input_tokens: 2 },
        completion_tokens_details: null,
      },
      cost: { usd: 0.25, diem: 0 },
      acme_parameters: {
        web_search_citations: [
          { title: 'T', url: 'https://t.test' },
          { title: 'U', url: 'javascript:x' },
        ],
      },
    }),
    doneEventText,
  ]);
  expect(events).toEqual([
    { type: 'stream-start', info: {}, baseUrl },
    { type: 'reasoning-delta', text: 'Hm. ' },
    { type: 'text-delta', text: 'Hello ' },
    { type: 'text-delta', text: 'there' },
    { type: 'citations', citations: [{ title: 'T', url: 'https://t.test' }, { title: 'U' }] },
    {
      type: 'usage',
      usage: {
        promptTokens: 3,
        completionTokens: 2,
        totalTokens: 5,
        cachedTokens: 1,
        cacheWriteTokens: 2,
      },
      cost: { usd: 0.25, diem: 0 },
    },
    { type: 'stream-end', outcome: { kind: 'complete', finishReason: 'stop' } },
  ]);
});

test('streamChat returns the same events for any chunk boundaries', async () => {
  const bytes = Buffer.from(
    `\uFEFF${formatDelta({ content: '<think>狐 why</think>' })}: ping\r\n\r\n${formatDelta({ content: 'ä🙂' })}${formatDelta({}, 'stop')}${doneEventText}`,
  );
  const expected = mergeDeltas(await readEvents([bytes]));
  for (let splitIndex = 0; splitIndex <= bytes.length; splitIndex++) {
    expect(
      mergeDeltas(await readEvents([bytes.subarray(0, splitIndex), bytes.subarray(splitIndex)])),
      `at ${splitIndex}`,
    ).toEqual(expected);
  }
  const splitPositions = fc.array(fc.nat(bytes.length), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(splitPositions, async (positions) => {
      const chunkEnds = [...positions.toSorted((a, b) => a - b), bytes.length];
      const chunks = chunkEnds.map((end, index) => bytes.subarray(chunkEnds[index - 1] ?? 0, end));
      expect(mergeDeltas(await readEvents(chunks))).toEqual(expected);
    }),
  );
});

test('streamChat reads response headers with the vendor prefix or with the prefix "service"', async () => {
  const headers = { 'x-acme-version': '20260821', 'x-service-balance-usd': '1.5', 'cf-ray': 'r' };
  const [startEvent] = await readAnswer({ headers, body: [doneEventText] });
  expect(startEvent).toEqual({
    type: 'stream-start',
    baseUrl,
    info: { serviceVersion: '20260821', balanceUsd: 1.5, requestId: 'r' },
  });
});

test('streamChat replaces infinite token counts with zero and omits invalid costs', async () => {
  const usage = '"usage":{"prompt_tokens":1e999,"completion_tokens":2}';
  const chunk = `data: {"choices":[],${usage},"cost":{"usd":1e999,"diem":-1}}\n\n`;
  const [, event] = await readEvents([chunk, doneEventText]);
  expect(event).toEqual({
    type: 'usage',
    usage: { promptTokens: 0, completionTokens: 2, totalTokens: 2 },
    cost: {},
  });
});

test('streamChat emits reasoning only once if the service sends the same text in two fields', async () => {
  const events = await readEvents([
    formatDelta({ reasoning_content: 'why', content: '<think>why</think>so' }),
    doneEventText,
  ]);
  expect(joinText(events, 'reasoning-delta')).toBe('why');
  expect(joinText(events, 'text-delta')).toBe('so');
});

describe('a chat stream', () => {
  const textEvent = formatDelta({ content: 'Hi' });
  test.each<[string, ScriptedAnswer, object]>([
    [
      'complete after only a [DONE] event',
      { body: [textEvent, doneEventText] },
      { kind: 'complete', finishReason: 'stop' },
    ],
    [
      'complete after only a finish reason',
      { body: [formatDelta({}, 'length')] },
      { kind: 'complete', finishReason: 'length' },
    ],
    [
      'complete, with the reason “length”, if the service names the token limit MAX_TOKENS',
      { body: [textEvent, formatDelta({}, 'MAX_TOKENS'), doneEventText] },
      { kind: 'complete', finishReason: 'length' },
    ],
    [
      'complete, with the reason “length”, if the service aborted the answer',
      { body: [textEvent, formatDelta({}, 'abort'), doneEventText] },
      { kind: 'complete', finishReason: 'length' },
    ],
    [
      'complete, with the reason “other”, if the finish reason is named like an inherited property',
      { body: [formatDelta({}, 'constructor'), doneEventText] },
      { kind: 'complete', finishReason: 'other' },
    ],
    [
      'complete, with the reason “other”, after an unknown finish reason',
      { body: [formatDelta({}, 'new'), doneEventText] },
      { kind: 'complete', finishReason: 'other' },
    ],
    [
      'complete if the connection is lost after the finish reason',
      { body: [formatDelta({}, 'stop'), createInterruptedError()] },
      { kind: 'complete' },
    ],
    [
      'interrupted if the connection is lost before the finish reason',
      { body: [textEvent, createInterruptedError()] },
      createFailure('interrupted'),
    ],
    [
      'interrupted if the body ends without [DONE]',
      { body: [textEvent] },
      createFailure('interrupted'),
    ],
    [
      'interrupted if the body ends inside an event',
      { body: ['data: {"choices":[{"del'] },
      createFailure('interrupted'),
    ],
    ['interrupted if the body is empty', { body: [] }, createFailure('interrupted')],
    [
      'interrupted if the body contains only comments',
      { body: [': ping\n\n'] },
      createFailure('interrupted'),
    ],
    [
      'an unexpected response after truncated JSON',
      { body: [textEvent, 'data: {"choices":\n\n', doneEventText] },
      createFailure('unexpected-response'),
    ],
    [
      'an unexpected response after JSON that is not an object',
      { body: ['data: 7\n\n', doneEventText] },
      createFailure('unexpected-response'),
    ],
    [
      'an unexpected response after lines that are not events',
      { body: ['{"id": 1}\n\n'] },
      createFailure('unexpected-response'),
    ],
    [
      'an unexpected response after an HTML page',
      { headers: { 'content-type': 'text/html' }, body: [`<html>Sign in ${scriptedKey}</html>`] },
      createFailure('unexpected-response'),
    ],
    [
      'an unexpected response, without the API key, after a text whose truncated excerpt would contain a part of the key',
      { body: [`${'x'.repeat(185)}${scriptedKey}${'x'.repeat(2_000)}`] },
      createFailure('unexpected-response'),
    ],
    [
      'overloaded after a JSON error response about overload',
      {
        headers: { 'content-type': 'application/json' },
        body: ['{"error":"The model is currently overloaded"}'],
      },
      createFailure('overloaded'),
    ],
    [
      'a server error after an error string',
      { body: [textEvent, formatEvent({ error: 'Broken' }), doneEventText] },
      createFailure('server-error', 'Broken'),
    ],
    [
      'overloaded, with the retry delay, after an error object about overload',
      {
        body: [
          textEvent,
          formatEvent({ error: { message: 'Busy', code: 'model_overloaded', retry_after: 4 } }),
          doneEventText,
        ],
      },
      { kind: 'failed', failure: { code: 'overloaded', detail: 'Busy', retryAfterMs: 4_000 } },
    ],
    [
      'a server error after a named error event',
      { body: [textEvent, 'event: error\ndata: Broken\n\n'] },
      createFailure('server-error', 'Broken'),
    ],
    [
      'a server error after an error that follows the finish reason',
      { body: [formatDelta({}, 'stop'), formatEvent({ error: 'x' })] },
      createFailure('server-error'),
    ],
    [
      'complete after a null error',
      { body: [formatEvent({ error: null, choices: [] }), doneEventText] },
      { kind: 'complete' },
    ],
  ])('ends with the outcome: %s', async (_description, answer, outcome) => {
    const events = await readAnswer(answer);
    expect(events.filter((event) => event.type === 'stream-end')).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ type: 'stream-end', outcome });
    expect(JSON.stringify(events)).not.toContain(scriptedKey.slice(0, 8));
  });

  test('preserves the text before a failure, including withheld text that could be the start of a tag', async () => {
    const events = await readEvents([
      textEvent,
      formatDelta({ content: ' <' }),
      createInterruptedError(),
    ]);
    expect(joinText(events, 'text-delta')).toBe('Hi <');
  });
});

test.each(['data:\n\n', 'event: ping\ndata: \n\n', 'data\n\n'])(
  'a stream continues after the empty event %j',
  async (emptyEvent) => {
    const events = await readEvents([
      formatDelta({ content: 'Hi ' }),
      emptyEvent,
      formatDelta({ content: 'there' }, 'stop'),
      'data: [DONE] \n\n',
    ]);
    expect(joinText(events, 'text-delta')).toBe('Hi there');
    expect(events.at(-1)).toMatchObject({ outcome: { kind: 'complete' } });
  },
);

describe('stream events', () => {
  const formatCall = (fields: object): string => formatDelta({ tool_calls: [fields] });

  test('contain tool call deltas in order of arrival', async () => {
    const events = await readEvents([
      formatCall({ index: 1, id: 'b', function: { name: 'two', arguments: '' } }),
      formatCall({
        index: 0,
        id: 'a',
        type: 'function',
        function: { name: 'one', arguments: '{"x"' },
      }),
      formatCall({ index: 1, function: { arguments: '{}' } }),
      formatCall({ index: 0, function: { arguments: ':1}' } }),
      formatDelta({}, 'tool_calls'),
      doneEventText,
    ]);
    expect(events.filter((event) => event.type === 'tool-call-delta')).toEqual([
      { type: 'tool-call-delta', index: 1, id: 'b', name: 'two', arguments: '' },
      { type: 'tool-call-delta', index: 0, id: 'a', name: 'one', arguments: '{"x"' },
      { type: 'tool-call-delta', index: 1, arguments: '{}' },
      { type: 'tool-call-delta', index: 0, arguments: ':1}' },
    ]);
  });

  test.each([
    ['repeat their index without ids', ['a', 'b'], ['{"x":1}', '{"y":1}'], [0, 1]],
    ['name a call before its arguments', ['a', 'b', ''], ['{"x":1}', '', '{"y":1}'], [0, 1, 1]],
    ['repeat their name with each fragment', ['a', 'a', 'a'], ['{"x":', '1}', ''], [0, 0, 0]],
  ])('separate tool calls that %s', async (_, names, fragments, indexes) => {
    const events = await readEvents([
      ...names.map((name, position) =>
        formatCall({ index: 0, id: '', function: { name, arguments: fragments[position] } }),
      ),
      formatDelta({}, 'tool_calls'),
      doneEventText,
    ]);
    expect(
      events.flatMap((event) => (event.type === 'tool-call-delta' ? [event.index] : [])),
    ).toEqual(indexes);
  });

  test('contain no negative token counts, and a total of at least the sum of prompt and completion tokens', async () => {
    const usage = { prompt_tokens: 7, completion_tokens: -5, total_tokens: -1e9 };
    const events = await readEvents([formatEvent({ choices: [], usage }), doneEventText]);
    expect(events.find(({ type }) => type === 'usage')).toMatchObject({
      usage: { promptTokens: 7, completionTokens: 0, totalTokens: 7 },
    });
  });

  test.each([
    { index: -1 },
    { index: 128 },
    { index: 1e9 },
    { index: 0.5 },
    { index: '__proto__' },
    { index: 0, id: 'x'.repeat(129) },
    { index: 0, function: { name: 'x'.repeat(129) } },
    7,
    null,
  ])(
    'contain only one tool-call-invalid event for the repeated invalid tool call %j',
    async (invalidCall) => {
      const chunks = formatDelta({ tool_calls: [invalidCall, invalidCall] });
      const events = await readEvents([chunks, chunks, doneEventText]);
      expect(events.map((event) => event.type)).toEqual([
        'stream-start',
        'tool-call-invalid',
        'stream-end',
      ]);
    },
  );
});

test.each([
  {},
  { choices: null },
  { choices: [null] },
  { choices: [{ delta: null }] },
  { choices: [{ delta: { content: 7, reasoning_content: [], tool_calls: {} } }] },
  { choices: [], usage: 'many', cost: [], service_parameters: { web_search_citations: 7 } },
  { choices: { length: 1 } },
])('streamChat ignores the malformed stream chunk %j', async (chunk) => {
  const events = await readEvents([formatEvent(chunk), doneEventText]);
  expect(events.map((event) => event.type)).toEqual(['stream-start', 'stream-end']);
});

describe('limits of a chat stream', () => {
  test('reject an overlong event and an overlong stream', async () => {
    const longChunks = [`data: ${'x'.repeat(900)}`, `${'x'.repeat(900)}\n\n`, doneEventText];
    const limits = { ...streamLimits, maxEventLength: 1_000 };
    expect((await readWithLimits(longChunks, limits)).at(-1)).toMatchObject({
      outcome: createFailure('unexpected-response'),
    });
    const largeEvents = Array.from({ length: 100 }, () => formatDelta({ content: 'x' }));
    const end = (await readWithLimits(largeEvents, { ...streamLimits, maxBytes: 1_000 })).at(-1);
    expect(end).toMatchObject({ outcome: createFailure('unexpected-response') });
  });

  test.each([
    ['event', 'data: ', streamLimits.maxEventLength],
    ['stream', ': ', 2 ** 24],
  ])('stop reading an endless %s at the maximum size', async (_description, start, limit) => {
    const { context, clock } = createScriptedService({});
    const chunk = Buffer.from(start.padEnd(2 ** 16, start === 'data: ' ? 'x' : '\n: '));
    let readLength = 0;
    async function* generateBytes(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(start);
      for (; ; readLength += chunk.length) yield chunk;
    }
    const response = {
      headers: {},
      info: {},
      endpoint: await context.getEndpoint(),
      body: generateBytes(),
    };
    const limits = { ...streamLimits, maxBytes: 2 ** 24 };
    const options = { clock, limits, cancel: () => {} };
    const events = (await Array.fromAsync(readChatStream(response, options))).flat();
    expect(events.at(-1)).toMatchObject({ outcome: createFailure('unexpected-response') });
    expect(readLength).toBeLessThanOrEqual(limit + chunk.length);
  });

  test('end the stream after 180 s without an event, even if other bytes arrive', async () => {
    const service = createScriptedService({ body: [doneEventText] });
    const clock = new ManualClock();
    const streamCanceled = Promise.withResolvers<ServiceError>();
    async function* generatePings(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(formatDelta({ content: 'Hi' }));
      throw await streamCanceled.promise;
    }
    const response = {
      headers: {},
      info: {},
      endpoint: await service.context.getEndpoint(),
      body: generatePings(),
    };
    const options = { clock, limits: streamLimits, cancel: streamCanceled.resolve };
    const batchesPromise = Array.fromAsync(readChatStream(response, options));
    await clock.advance(179_999);
    expect(clock.pendingTimerCount).toBe(1);
    await clock.advance(1);
    expect((await batchesPromise).flat().at(-1)).toMatchObject({
      outcome: createFailure('timeout'),
    });
  });
});

const createFailure = (code: string, detail?: string): object => ({
  kind: 'failed',
  failure: detail === undefined ? { code } : { code, detail },
});

const signal = new AbortController().signal;

const readAnswer = (answer: ScriptedAnswer): Promise<ChatEvent[]> =>
  Array.fromAsync(
    flattenBatches(
      streamChat(createScriptedService(answer).context, { model: 'm', messages: [] }, { signal }),
    ),
  );

const readEvents = (body: readonly (string | Uint8Array | ServiceError)[]): Promise<ChatEvent[]> =>
  readAnswer({ body });

async function readWithLimits(body: readonly string[], limits: StreamLimits): Promise<ChatEvent[]> {
  const { context, clock } = createScriptedService({});
  async function* generateBytes(): AsyncGenerator<Uint8Array> {
    for (const chunk of body) yield Buffer.from(chunk);
  }
  const response = {
    headers: {},
    info: {},
    endpoint: await context.getEndpoint(),
    body: generateBytes(),
  };
  const options = { clock, limits, cancel: () => {} };
  return (await Array.fromAsync(readChatStream(response, options))).flat();
}

const joinText = (events: readonly ChatEvent[], type: 'text-delta' | 'reasoning-delta'): string =>
  events.map((event) => (event.type === type ? event.text : '')).join('');

/**
 * Joins the texts of all delta events, so that the result does not depend on the chunk boundaries. Keeps all other
 * events.
 */
const mergeDeltas = (events: readonly ChatEvent[]): object => ({
  text: joinText(events, 'text-delta'),
  reasoning: joinText(events, 'reasoning-delta'),
  others: events.filter((event) => event.type !== 'text-delta' && event.type !== 'reasoning-delta'),
});
