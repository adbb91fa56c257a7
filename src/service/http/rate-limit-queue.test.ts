import { expect, test } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { createScriptedService } from '../../../test/support/scripted-transport.ts';
import { omitUndefined } from '../../base/json.ts';
import { streamChat, type StreamOptions } from '../chat/stream-chat.ts';
import { generateImages } from '../images/image-calls.ts';
import { priorities, RateLimitQueue, RateLimitQueues } from './rate-limit-queue.ts';

const { signal } = new AbortController();

function createQueue() {
  const clock = new ManualClock();
  const queue = new RateLimitQueue(clock);
  const entered: string[] = [];
  const enter = (name: string, priority: () => number): Promise<unknown> =>
    queue.enter(priority, signal).then(() => entered.push(name));
  return { clock, queue, entered, enter };
}

const waitForPromises = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('RateLimitQueue delays no call without a rate limit', async () => {
  const { enter, entered } = createQueue();
  await enter('suggestion', () => priorities.suggestion);
  expect(entered).toEqual(['suggestion']);
});

test('RateLimitQueue delays only less important calls while a call is rate-limited', async () => {
  const { queue, enter, entered } = createQueue();
  const release = queue.addLimitedCall(() => priorities.other);
  const suggestion = enter('suggestion', () => priorities.suggestion);
  await enter('image', () => priorities.other);
  await enter('chat', () => priorities.visibleChat);
  await waitForPromises();
  expect(entered).toEqual(['image', 'chat']);
  release();
  await suggestion;
  expect(entered).toEqual(['image', 'chat', 'suggestion']);
});

test('RateLimitQueue sends the request of a chat that becomes visible, even if the previously visible chat is rate-limited', async () => {
  const { clock, queue, enter, entered } = createQueue();
  let visible = 'a';
  const createPriority = (id: string) => () =>
    id === visible ? priorities.visibleChat : priorities.other;
  queue.addLimitedCall(createPriority('a'));
  const chat = enter('b', createPriority('b'));
  await waitForPromises();
  expect(entered).toEqual([]);
  visible = 'b';
  await clock.advance(500);
  await chat;
  expect(entered).toEqual(['b']);
});

test('RateLimitQueue rejects a waiting call when its signal is aborted', async () => {
  const { queue } = createQueue();
  queue.addLimitedCall(() => 0);
  const canceller = new AbortController();
  const entry = queue.enter(() => 1, canceller.signal);
  canceller.abort();
  await expect(entry).rejects.toMatchObject({ failure: { code: 'stopped' } });
});

test('the visible chat is answered first after a rate limit, and a hidden chat sends nothing meanwhile', async () => {
  const limited = { status: 429, headers: { 'retry-after': '5' }, body: ['{}'] };
  const answer = { body: ['data: {"choices":[{"delta":{"content":"Hi"}}]}\n\ndata: [DONE]\n\n'] };
  const { context, requests, clock } = createScriptedService(limited, answer, answer);
  const queued = { ...context, rateLimits: new RateLimitQueues(context.clock) };
  const models: string[] = [];
  const run = async (model: string, priority?: () => number): Promise<void> => {
    const request = { model, messages: [] };
    const stream = streamChat(queued, request, { signal, ...omitUndefined({ priority }) });
    for await (const batch of stream) if (batch.at(-1)?.type === 'stream-end') models.push(model);
  };
  const visible = run('visible', () => priorities.visibleChat);
  await waitForPromises();
  await waitForPromises();
  expect(requests).toHaveLength(1);
  const hidden = run('hidden');
  await waitForPromises();
  expect(requests).toHaveLength(1);
  await clock.advance(5_000);
  await visible;
  await clock.advance(500);
  await hidden;
  expect(models).toEqual(['visible', 'hidden']);
  expect(requests.map(({ body }) => JSON.parse(String(body)).model)).toEqual([
    'visible',
    'visible',
    'hidden',
  ]);
});

test('the visible chat is answered first after a rate limit, even if the calls of a hidden chat, an image and an inline suggestion started earlier', async () => {
  const createLimited = (seconds: number) => ({
    status: 429,
    headers: { 'retry-after': `${seconds}` },
    body: ['{}'],
  });
  const answer = { body: ['data: {"choices":[{"delta":{"content":"Hi"}}]}\n\ndata: [DONE]\n\n'] };
  const image = {
    headers: { 'content-type': 'application/json' },
    body: [JSON.stringify({ images: [btoa('\x89PNG\r\n\x1A\n')] })],
  };
  const { context, requests, clock } = createScriptedService(
    ...[createLimited(5), createLimited(5), createLimited(20)],
    ...[answer, answer, image, answer],
  );
  const queued = { ...context, rateLimits: new RateLimitQueues(clock) };
  const listSent = (): unknown[] => requests.map(({ body }) => JSON.parse(String(body)).model);
  const endings: string[] = [];
  const chat = async (model: string, options?: Partial<StreamOptions>): Promise<void> => {
    const stream = streamChat(queued, { model, messages: [] }, { signal, ...options });
    for await (const batch of stream) {
      const event = batch.at(-1);
      if (event?.type === 'stream-end') endings.push(`${model}: ${event.outcome.kind}`);
    }
  };
  const paint = async (): Promise<void> => {
    const request = { model: 'image', prompt: 'a cat' };
    for await (const { type } of generateImages(queued, request, { signal, variants: 1 }))
      if (type === 'image-end') endings.push('image: complete');
  };

  const calls = [chat('hidden')];
  await expect.poll(listSent).toEqual(['hidden']);
  calls.push(paint());
  await expect.poll(listSent).toEqual(['hidden', 'image']);
  calls.push(chat('suggestion', { isBackground: true, disableRetries: true }));
  await clock.advance(0);
  calls.push(chat('visible', { priority: () => priorities.visibleChat }));
  const attempts = ['hidden', 'image', 'visible'];
  await expect.poll(listSent).toEqual(attempts);
  // The retry of the hidden chat and of the image is due earlier.
  await clock.advance(19_000);
  expect(listSent()).toEqual(attempts);
  await clock.advance(1_000);
  await Promise.all(calls);
  expect(listSent()).toEqual([...attempts, 'visible', 'hidden', 'image', 'suggestion']);
  expect(endings.toSorted()).toEqual([
    'hidden: complete',
    'image: complete',
    'suggestion: complete',
    'visible: complete',
  ]);
});

test('a rate limit of one service does not delay calls to another service', async () => {
  const limited = { status: 429, headers: { 'retry-after': '5' }, body: ['{}'] };
  const answer = { body: ['data: {"choices":[{"delta":{"content":"Hi"}}]}\n\ndata: [DONE]\n\n'] };
  const { context, requests } = createScriptedService(limited, answer);
  const rateLimits = new RateLimitQueues(context.clock);
  const run = async (host: string, priority: number): Promise<void> => {
    const endpoint = async () => ({
      ...(await context.endpoint()),
      baseUrl: new URL(`https://${host}/api/v1`),
    });
    const request = { model: 'maple-70b', messages: [] };
    const options = { signal, priority: () => priority };
    const stream = streamChat({ ...context, endpoint, rateLimits }, request, options);
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
