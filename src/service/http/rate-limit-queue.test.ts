import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { startHttpServer } from '../../../test/support/loopback.ts';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { createScriptedService } from '../../../test/support/scripted-transport.ts';
import { omitUndefined } from '../../base/json.ts';
import { streamChat, type StreamOptions } from '../chat/stream-chat.ts';
import { generateImages } from '../images/image-calls.ts';
import { listModels } from '../models.ts';
import { streamSpeech } from '../speech.ts';
import { getTopUpRequirements } from '../x402.ts';
import { CircuitBreakers } from './circuit-breaker.ts';
import type { ServiceContext } from './client.ts';
import { createDirectTransport } from './direct-transport.ts';
import { priorities, RateLimitQueue, RateLimitQueues } from './rate-limit-queue.ts';

const { signal } = new AbortController();

function createQueue() {
  const clock = new ManualClock();
  const queue = new RateLimitQueue(clock);
  const enteredNames: string[] = [];
  const enter = (name: string, getPriority: () => number): Promise<unknown> =>
    queue.waitForTurn(getPriority, signal).then(() => enteredNames.push(name));
  return { clock, queue, enteredNames, enter };
}

const waitForPromises = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('RateLimitQueue delays no call without a rate limit', async () => {
  const { enter, enteredNames } = createQueue();
  await enter('suggestion', () => priorities.suggestion);
  expect(enteredNames).toEqual(['suggestion']);
});

test('RateLimitQueue delays only less important calls while a call is rate-limited', async () => {
  const { queue, enter, enteredNames } = createQueue();
  const release = queue.addLimitedCall(() => priorities.other);
  const suggestionPromise = enter('suggestion', () => priorities.suggestion);
  await enter('image', () => priorities.other);
  await enter('chat', () => priorities.visibleChat);
  await waitForPromises();
  expect(enteredNames).toEqual(['image', 'chat']);
  release();
  await suggestionPromise;
  expect(enteredNames).toEqual(['image', 'chat', 'suggestion']);
});

test('RateLimitQueue sends the request of a chat that becomes visible, even if the previously visible chat is rate-limited', async () => {
  const { clock, queue, enter, enteredNames } = createQueue();
  let visibleId = 'a';
  const createPriorityGetter = (id: string) => () =>
    id === visibleId ? priorities.visibleChat : priorities.other;
  queue.addLimitedCall(createPriorityGetter('a'));
  const chatPromise = enter('b', createPriorityGetter('b'));
  await waitForPromises();
  expect(enteredNames).toEqual([]);
  visibleId = 'b';
  await clock.advance(500);
  await chatPromise;
  expect(enteredNames).toEqual(['b']);
});

test('RateLimitQueue rejects a waiting call when its signal is aborted', async () => {
  const { queue } = createQueue();
  queue.addLimitedCall(() => 0);
  const abortController = new AbortController();
  const turnPromise = queue.waitForTurn(() => 1, abortController.signal);
  abortController.abort();
  await expect(turnPromise).rejects.toMatchObject({ failure: { code: 'stopped' } });
});

test('after a rate limit, a hidden chat sends its request only after the visible chat is answered', async () => {
  const limitedAnswer = { status: 429, headers: { 'retry-after': '5' }, body: ['{}'] };
  const answer = { body: ['data: {"choices":[{"delta":{"content":"Hi"}}]}\n\ndata: [DONE]\n\n'] };
  const { context, requests, clock } = createScriptedService(limitedAnswer, answer, answer);
  const queuedContext = { ...context, rateLimits: new RateLimitQueues(context.clock) };
  const answeredModels: string[] = [];
  const run = async (model: string, getPriority?: () => number): Promise<void> => {
    const request = { model, messages: [] };
    const stream = streamChat(queuedContext, request, {
      signal,
      ...omitUndefined({ getPriority }),
    });
    for await (const batch of stream)
      if (batch.at(-1)?.type === 'stream-end') answeredModels.push(model);
  };
  const visiblePromise = run('visible', () => priorities.visibleChat);
  await waitForPromises();
  await waitForPromises();
  expect(requests).toHaveLength(1);
  const hiddenPromise = run('hidden');
  await waitForPromises();
  expect(requests).toHaveLength(1);
  await clock.advance(5_000);
  await visiblePromise;
  await clock.advance(500);
  await hiddenPromise;
  expect(answeredModels).toEqual(['visible', 'hidden']);
  expect(requests.map(({ body }) => JSON.parse(String(body)).model)).toEqual([
    'visible',
    'visible',
    'hidden',
  ]);
});

test('after a rate limit, the visible chat is answered before a hidden chat and an image that started earlier', async () => {
  const limitedAnswer = { status: 429, headers: { 'retry-after': '5' }, body: ['{}'] };
  const answer = { body: ['data: {"choices":[{"delta":{"content":"Hi"}}]}\n\ndata: [DONE]\n\n'] };
  const imageAnswer = {
    headers: { 'content-type': 'application/json' },
    body: [JSON.stringify({ images: [btoa('\x89PNG\r\n\x1A\n')] })],
  };
  const { context, requests, clock } = createScriptedService(
    limitedAnswer,
    answer,
    answer,
    imageAnswer,
  );
  const queuedContext = { ...context, rateLimits: new RateLimitQueues(clock) };
  const listSentModels = (): unknown[] =>
    requests.map(({ body }) => JSON.parse(String(body)).model);
  const outcomes: string[] = [];
  const sendChat = async (model: string, options?: Partial<StreamOptions>): Promise<void> => {
    const stream = streamChat(queuedContext, { model, messages: [] }, { signal, ...options });
    for await (const batch of stream) {
      const event = batch.at(-1);
      if (event?.type === 'stream-end') outcomes.push(`${model}: ${event.outcome.kind}`);
    }
  };
  const generateImage = async (): Promise<void> => {
    const request = { model: 'image', prompt: 'a cat' };
    for await (const { type } of generateImages(queuedContext, request, { signal, variants: 1 }))
      if (type === 'image-end') outcomes.push('image: complete');
  };

  const callPromises = [sendChat('hidden')];
  await expect.poll(listSentModels).toEqual(['hidden']);
  callPromises.push(
    generateImage(),
    sendChat('visible', { getPriority: () => priorities.visibleChat }),
  );
  await clock.advance(4_999);
  expect(listSentModels()).toEqual(['hidden']);
  await clock.advance(1);
  await Promise.all(callPromises);
  expect(listSentModels()).toEqual(['hidden', 'visible', 'hidden', 'image']);
  expect(outcomes.toSorted()).toEqual(['hidden: complete', 'image: complete', 'visible: complete']);
});

test('after a rate limit, a suggestion is sent while the service still generates the image of an earlier call', async () => {
  const limitedAnswer = { status: 429, headers: { 'retry-after': '5' }, body: ['{}'] };
  const answer = { body: ['data: {"choices":[{"delta":{"content":"Hi"}}]}\n\ndata: [DONE]\n\n'] };
  const { context, requests, clock } = createScriptedService(limitedAnswer, answer);
  const scriptedTransport = await context.getTransport();
  const sentModels: string[] = [];
  const queuedContext: ServiceContext = {
    ...context,
    rateLimits: new RateLimitQueues(clock),
    getTransport: async () => ({
      ...scriptedTransport,
      send: (request) => {
        const { model } = JSON.parse(String(request.body)) as { readonly model: string };
        sentModels.push(model);
        // The headers of the image never arrive.
        return sentModels.length === 2 ? new Promise(() => {}) : scriptedTransport.send(request);
      },
    }),
  };
  const options = { signal, variants: 1 } as const;
  const images = generateImages(queuedContext, { model: 'image', prompt: 'a cat' }, options);
  void (async () => {
    for await (const _ of images) continue;
  })();
  await expect.poll(() => requests).toHaveLength(1);
  const getPriority = () => priorities.suggestion;
  const suggestionPromise = Array.fromAsync(
    streamChat(queuedContext, { model: 'suggestion', messages: [] }, { signal, getPriority }),
  );
  await clock.advance(5_000);
  expect(sentModels).toEqual(['image', 'image']);
  await clock.advance(6_000);
  await suggestionPromise;
  expect(sentModels).toEqual(['image', 'image', 'suggestion']);
});

describe('a server that rejects one chat with status 429 and a Retry-After header', () => {
  test('receives no other call before the stated time, not even for another model or for the model list', async () => {
    await using server = await startLimitedServer({ 'retry-after': '5' });
    const { clock, receivedCalls, run } = server;
    const limitedPromise = run.chat('oak');
    await expect.poll(() => clock.pendingTimerCount).toBe(1);
    const otherPromises = [run.chat('pine'), run.list()];
    const suggestionFailure = await run.chat('birch', { isBackground: true, disableRetries: true });
    expect(suggestionFailure).toMatchObject({ code: 'rate-limited', retryAfterMs: 5_000 });
    await clock.advance(4_999);
    expect(receivedCalls).toEqual(['oak']);
    await clock.advance(1);
    await Promise.all([limitedPromise, ...otherPromises]);
    expect(receivedCalls.toSorted()).toEqual(['/v1/models', 'oak', 'oak', 'pine']);
  });

  test('receives no call with the same model during a long wait, and each such call fails with the remaining delay', async () => {
    await using server = await startLimitedServer({ 'retry-after': '3600' });
    const { clock, receivedCalls, run } = server;
    expect(await run.chat('oak')).toMatchObject({ code: 'rate-limited', retryAfterMs: 3_600_000 });
    await clock.advance(600_000);
    expect(await run.chat('oak')).toMatchObject({ code: 'rate-limited', retryAfterMs: 3_000_000 });
    expect(receivedCalls).toEqual(['oak']);
    expect(await run.chat('pine')).toBeUndefined();
    await clock.advance(3_000_000);
    expect(await run.chat('oak')).toBeUndefined();
    expect(receivedCalls).toEqual(['oak', 'pine', 'oak']);
  });

  test('receives calls with other models while the model of the rejected chat is overloaded', async () => {
    await using server = await startLimitedServer(
      { 'retry-after': '5' },
      '{"error":"The model is currently overloaded. Please try again later."}',
    );
    const { clock, receivedCalls, run } = server;
    const overloadedPromise = run.chat('oak');
    await expect.poll(() => clock.pendingTimerCount).toBe(1);
    const repeatedPromise = run.chat('oak');
    expect(await run.chat('pine')).toBeUndefined();
    expect(receivedCalls).toEqual(['oak', 'pine']);
    await clock.advance(5_000);
    await Promise.all([overloadedPromise, repeatedPromise]);
    expect(receivedCalls).toEqual(['oak', 'pine', 'oak', 'oak']);
  });

  test('receives calls again after the computer’s clock is set back', async () => {
    await using server = await startLimitedServer({ 'retry-after': '5' });
    const { clock, receivedCalls, run } = server;
    const limitedPromise = run.chat('oak', { disableRetries: true });
    expect(await limitedPromise).toMatchObject({ code: 'rate-limited' });
    await clock.advance(-86_400_000);
    expect(await run.chat('pine')).toBeUndefined();
    expect(receivedCalls).toEqual(['oak', 'pine']);
  });

  test('receives one call per hour with the same model during a long wait, because the user can buy credit in that time', async () => {
    await using server = await startLimitedServer({ 'retry-after': '86400' });
    const { clock, receivedCalls, run } = server;
    expect(await run.chat('oak')).toMatchObject({ retryAfterMs: 86_400_000 });
    await clock.advance(3_599_000);
    expect(await run.chat('oak')).toMatchObject({ retryAfterMs: 82_801_000 });
    await clock.advance(1_000);
    expect(await run.chat('oak')).toBeUndefined();
    expect(receivedCalls).toEqual(['oak', 'oak']);
  });

  test('receives calls without a key before the stated time', async () => {
    await using server = await startLimitedServer({ 'retry-after': '5' });
    const { receivedCalls, run } = server;
    await run.chat('oak', { disableRetries: true });
    await run.readTerms().catch(() => {});
    expect(receivedCalls).toEqual(['oak', '/v1/x402/top-up']);
  });

  test.each(['chat', 'image', 'speech'] as const)(
    'receives less important calls after the caller abandons a waiting %s request',
    async (kind) => {
      await using server = await startLimitedServer({ 'retry-after': '5' });
      const { clock, receivedCalls, run } = server;
      await run.abandon[kind]();
      await clock.advance(5_000);
      expect(await run.chat('pine', { getPriority: () => priorities.suggestion })).toBeUndefined();
      expect(receivedCalls.at(-1)).toBe('pine');
    },
  );

  test('receives calls with another key before the stated time', async () => {
    await using server = await startLimitedServer({ 'retry-after': '3600' });
    await server.run.chat('oak');
    server.useKey('another-key');
    expect(await server.run.chat('oak')).toBeUndefined();
  });
});

/** Reads the first event of a call, then stops reading, which ends the call. */
const abandonEvents = async (events: AsyncGenerator): Promise<void> => {
  for await (const _ of events) return;
};

/** Starts an OpenAI-compatible server that rejects the first chat. Its clients use a manual clock for their delays. */
async function startLimitedServer(
  headers: Readonly<Record<string, string>>,
  body = '{"error":{"message":"Slow down"}}',
) {
  const receivedCalls: string[] = [];
  const reply = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const requestText = await text(request);
    const model: string | undefined =
      requestText === '' ? undefined : JSON.parse(requestText).model;
    receivedCalls.push(model ?? `${request.url}`);
    if (receivedCalls.length === 1) return void response.writeHead(429, headers).end(body);
    if (model === undefined) return void response.end('{"object":"list","data":[]}');
    response.setHeader('content-type', 'text/event-stream');
    response.end('data: {"choices":[{"delta":{"content":"Hi"}}]}\n\ndata: [DONE]\n\n');
  };
  const server = await startHttpServer((request, response) => void reply(request, response));
  const clock = new ManualClock();
  const transport = createDirectTransport();
  let apiKey = 'key';
  const context: ServiceContext = {
    getEndpoint: async () => ({
      baseUrl: new URL(`http://127.0.0.1:${server.port}/v1`),
      vendorPrefix: 'service',
      apiKey,
    }),
    getTransport: async () => transport,
    clock,
    breakers: new CircuitBreakers(clock),
    rateLimits: new RateLimitQueues(clock),
    random: () => 0,
  };
  /** Sends a chat. Returns its failure; undefined if the chat succeeds. */
  const sendChat = async (model: string, options?: Partial<StreamOptions>) => {
    const stream = streamChat(context, { model, messages: [] }, { signal, ...options });
    const lastEvent = (await Array.fromAsync(stream)).flat().at(-1);
    return lastEvent?.type === 'stream-end' && lastEvent.outcome.kind === 'failed'
      ? lastEvent.outcome.failure
      : undefined;
  };
  return {
    clock,
    receivedCalls,
    run: {
      chat: sendChat,
      list: () => listModels(context, { signal }),
      readTerms: () => getTopUpRequirements(context, { signal }),
      /** Functions that start a call, and stop reading its events at the event that reports a delay. */
      abandon: {
        chat: () => abandonEvents(streamChat(context, { model: 'oak', messages: [] }, { signal })),
        image: () =>
          abandonEvents(
            generateImages(context, { model: 'oak', prompt: 'A fox' }, { signal, variants: 1 }),
          ),
        speech: () =>
          abandonEvents(
            streamSpeech(context, { model: 'oak', input: 'Hi', format: 'mp3' }, { signal }),
          ),
      },
    },
    useKey: (key: string) => void (apiKey = key),
    [Symbol.asyncDispose]: async () => {
      await transport.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

test('a rate limit of one service does not delay calls to another service', async () => {
  const limitedAnswer = { status: 429, headers: { 'retry-after': '5' }, body: ['{}'] };
  const answer = { body: ['data: {"choices":[{"delta":{"content":"Hi"}}]}\n\ndata: [DONE]\n\n'] };
  const { context, requests } = createScriptedService(limitedAnswer, answer);
  const rateLimits = new RateLimitQueues(context.clock);
  const run = async (host: string, priority: number): Promise<void> => {
    const getEndpoint = async () => ({
      ...(await context.getEndpoint()),
      baseUrl: new URL(`https://${host}/api/v1`),
    });
    const request = { model: 'maple-70b', messages: [] };
    const options = { signal, getPriority: () => priority };
    const stream = streamChat({ ...context, getEndpoint, rateLimits }, request, options);
    for await (const _ of stream);
  };
  void run('a.test', priorities.visibleChat);
  await waitForPromises();
  await waitForPromises();
  void run('b.test', priorities.other);
  await waitForPromises();
  await waitForPromises();
  expect(requests.map(({ url }) => url.host)).toEqual(['a.test', 'b.test']);
});
