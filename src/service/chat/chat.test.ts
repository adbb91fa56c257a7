import type * as http from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { startHttpServer, type LoopbackServer } from '../../../test/support/loopback.ts';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { createScriptedService } from '../../../test/support/scripted-transport.ts';
import type { Clock } from '../../base/clock.ts';
import { createChatCompletion } from './chat.ts';
import { streamChat } from './stream-chat.ts';
import { flattenBatches } from '../../../test/support/batches.ts';
import type { ChatEvent, ChatRequest } from './chat-types.ts';
import { CircuitBreakers } from '../http/circuit-breaker.ts';
import type { ServiceContext, Transport } from '../http/client.ts';
import { createDirectTransport } from '../http/direct-transport.ts';
import { createEditorTransport } from '../http/editor-transport.ts';
import { createTimeoutError } from '../http/network-failure.ts';

const signal = new AbortController().signal;
const chatRequest: ChatRequest = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };

test('createChatCompletion does not repeat a request after a timeout, because the service may still process it', async () => {
  const service = createScriptedService(createTimeoutError('headers'), {
    body: ['{"choices":[]}'],
  });
  await expect(
    createChatCompletion(service.context, chatRequest, { signal }),
  ).rejects.toMatchObject({
    failure: { code: 'timeout' },
  });
  expect(service.requests).toHaveLength(1);
});

describe('the body of a chat request', () => {
  test('contains the vendor-specific parameters and enables streaming', async () => {
    const service = createScriptedService({ body: ['data: [DONE]\n\n'] });
    const parameters = { enable_web_search: 'auto', include_system_prompt: false } as const;
    await Array.fromAsync(
      flattenBatches(streamChat(service.context, { ...chatRequest, parameters }, { signal })),
    );
    expect(JSON.parse(String(service.requests[0]?.body))).toEqual({
      ...chatRequest,
      stream: true,
      stream_options: { include_usage: true },
      acme_parameters: { enable_web_search: 'auto', include_acme_system_prompt: false },
    });
  });

  test('contains only the given fields for a chat without streaming', async () => {
    const service = createScriptedService({ body: ['{"choices":[]}'] });
    await createChatCompletion(service.context, chatRequest, { signal });
    expect(JSON.parse(String(service.requests[0]?.body))).toEqual(chatRequest);
  });
});

describe('createChatCompletion', () => {
  test('returns text, reasoning, tool calls, citations and usage of the response', async () => {
    const completion = {
      choices: [
        {
          finish_reason: 'tool_calls',
          message: {
            content: '<think>why</think>so',
            tool_calls: [
              { id: 'a', type: 'function', function: { name: 'one', arguments: '{}' } },
              { id: 'b', type: 'function', function: { name: 'two', arguments: '{"x":1}' } },
            ],
          },
        },
      ],
      usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
      cost: { usd: 1 },
      service_parameters: { web_search_citations: [{ title: 'T' }] },
    };
    const { context } = createScriptedService({ body: [JSON.stringify(completion)] });
    expect(await createChatCompletion(context, chatRequest, { signal })).toEqual({
      text: 'so',
      reasoning: 'why',
      toolCalls: [
        { id: 'a', type: 'function', function: { name: 'one', arguments: '{}' } },
        { id: 'b', type: 'function', function: { name: 'two', arguments: '{"x":1}' } },
      ],
      citations: [{ title: 'T' }],
      finishReason: 'tool_calls',
      usage: { promptTokens: 1, completionTokens: 2, totalTokens: 3 },
      cost: { usd: 1 },
      info: {},
    });
  });

  test.each([
    ['{"error":{"message":"x","code":"model_overloaded"}}', 'overloaded'],
    ['{"choices":7}', 'unexpected-response'],
    ['<html>', 'unexpected-response'],
  ])('rejects the response %s with the code %s', async (text, code) => {
    const { context } = createScriptedService({ body: [text] });
    await expect(createChatCompletion(context, chatRequest, { signal })).rejects.toMatchObject({
      failure: { code },
    });
  });
});

// The clock of the transport never advances. A test that waits for a timeout of the transport therefore hangs.
const transports: readonly [string, () => Transport][] = [
  ['direct', () => createDirectTransport({}, new ManualClock())],
  ['editor', () => createEditorTransport(globalThis.fetch, new ManualClock())],
];

describe.each(transports)('a chat over the %s transport', (_name, create) => {
  test('completes at [DONE], and closes within a second a connection that the server leaves open', async () => {
    await using server = await startStreamServer((response) => {
      response.write('data: {"choices":[{"delta":{"content":"Hi"}}]}\n\ndata: [DONE]\n\n');
    });
    const clock = new ManualClock();
    const context = createContext(server, create(), clock);
    const events = await Array.fromAsync(
      flattenBatches(streamChat(context, chatRequest, { signal })),
    );
    expect(events.at(-1)).toMatchObject({ outcome: { kind: 'complete' } });
    await clock.advance(1_000);
    await server.closePromise;
  });

  test('reuses the connection for the next request', async () => {
    await using server = await startStreamServer((response) => {
      response.end('data: {"choices":[{"delta":{"content":"Hi"}}]}\n\ndata: [DONE]\n\n');
    });
    const transport = create();
    for (let turn = 0; turn < 3; turn++) {
      const { promise: bodyRead, resolve } = Promise.withResolvers<void>();
      const context = createContext(server, reportStreamEnd(transport, resolve));
      await Array.fromAsync(flattenBatches(streamChat(context, chatRequest, { signal })));
      await bodyRead;
      // The connection becomes reusable one turn of the event loop after the end of a response.
      await setImmediate();
      await setImmediate();
    }
    expect(server.countConnections()).toBe(1);
  });

  test('closes the connection immediately on abort and keeps the received text', async () => {
    await using server = await startStreamServer((response) => {
      response.write('data: {"choices":[{"delta":{"content":"Hi"}}]}\n\n');
    });
    const abortController = new AbortController();
    const events: ChatEvent[] = [];
    const context = createContext(server, create());
    for await (const event of flattenBatches(
      streamChat(context, chatRequest, { signal: abortController.signal }),
    )) {
      events.push(event);
      if (event.type === 'text-delta') abortController.abort();
    }
    expect(events.map((event) => event.type)).toEqual(['stream-start', 'text-delta', 'stream-end']);
    expect(events.at(-1)).toMatchObject({ outcome: { failure: { code: 'stopped' } } });
    await server.closePromise;
  });

  test('closes the connection immediately when the caller stops reading', async () => {
    await using server = await startStreamServer((response) => {
      response.write('data: {"choices":[{"delta":{"content":"Hi"}}]}\n\n');
    });
    for await (const event of flattenBatches(
      streamChat(createContext(server, create()), chatRequest, { signal }),
    )) {
      if (event.type === 'text-delta') break;
    }
    await server.closePromise;
  });

  test('resends the request if a reused keep-alive connection closes, without a retry event', async () => {
    let requestCount = 0;
    await using server = await startHttpServer((request, response) => {
      if (++requestCount === 2) return request.socket.destroy();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      return response.end('data: [DONE]\n\n');
    });
    const context = createContext(server, create());
    for (let turn = 0; turn < 2; turn++) {
      const events = await Array.fromAsync(
        flattenBatches(streamChat(context, chatRequest, { signal })),
      );
      expect(events.map((event) => event.type)).toEqual(['stream-start', 'stream-end']);
    }
    expect(requestCount).toBe(3);
  });
});

/** Wraps a transport. Calls `report` after each response body has been read to the end. */
const reportStreamEnd = (transport: Transport, report: () => void): Transport => ({
  close: () => transport.close(),
  async send(request) {
    const response = await transport.send(request);
    return { ...response, body: reportEnd(response.body, report) };
  },
});

async function* reportEnd(
  body: AsyncIterable<Uint8Array>,
  report: () => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } finally {
    report();
  }
}

const startStreamServer = (
  answer: (response: http.ServerResponse) => void,
): Promise<LoopbackServer> =>
  startHttpServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      answer(response);
    });
  });

/** Creates a context with a clock that only the test advances. The test therefore hangs if an abort needs a timer. */
const createContext = (
  server: LoopbackServer,
  transport: Transport,
  clock: Clock = new ManualClock(),
): ServiceContext => ({
  getEndpoint: async () => ({
    baseUrl: new URL(`http://127.0.0.1:${server.port}/api/v1`),
    vendorPrefix: 'service',
    apiKey: 'test-key-123',
  }),
  getTransport: async () => transport,
  clock,
  breakers: new CircuitBreakers(clock),
  random: () => 0,
});
