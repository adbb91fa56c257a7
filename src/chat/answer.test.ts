import { expect, test } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.ts';
import type { ChatEvent, Cost, Usage } from '../service/chat/chat-types.ts';
import type { AnswerResult } from '../conversation/conversation.ts';
import { toBatches } from '../../test/support/batches.ts';
import { requestAnswer, streamAnswer } from './answer.ts';
import type { TurnEvent } from './turn-context.ts';

const createUsage = (completionTokens: number): Usage => ({
  promptTokens: 100,
  completionTokens,
  totalTokens: 100 + completionTokens,
});
const completeEvent: ChatEvent = {
  type: 'stream-end',
  outcome: { kind: 'complete', finishReason: 'stop' },
};

interface ScriptedWait {
  readonly waitMs: number;
}

/**
 * Streams an answer whose events are the steps of a script. A `waitMs` step advances the clock by that many
 * milliseconds.
 */
async function streamScript(
  script: readonly (ChatEvent | ScriptedWait)[],
  earlierResult?: AnswerResult,
): Promise<TurnEvent[]> {
  const clock = new ManualClock(0);
  const turnEvents: TurnEvent[] = [];
  async function* generateEvents(): AsyncGenerator<ChatEvent> {
    for (const step of script) {
      if ('waitMs' in step) await clock.advance(step.waitMs);
      else yield step;
    }
  }
  const estimateCost = ({ completionTokens }: Usage): Cost => ({ usd: completionTokens / 100 });
  await streamAnswer(
    {
      events: toBatches(generateEvents()),
      clock,
      estimateCost,
      ...(earlierResult && { earlierResult }),
    },
    (event) => {
      turnEvents.push(event);
    },
  );
  return turnEvents;
}

const findAnswerResult = (events: readonly TurnEvent[]): AnswerResult | undefined => {
  const lastEvent = events.at(-1);
  return lastEvent?.type === 'turn-end' ? lastEvent.result : undefined;
};

test('streamAnswer does not include the time of a budget dialog before the request in the measured duration', async () => {
  const events = await streamScript([
    { waitMs: 60_000 },
    { type: 'request-start' },
    { waitMs: 200 },
    { type: 'text-delta', text: 'Yes' },
    { waitMs: 800 },
    completeEvent,
  ]);
  expect(findAnswerResult(events)).toMatchObject({ timeToFirstTokenMs: 200, durationMs: 1_000 });
});

test('streamAnswer measures the duration of the reasoning, the time to the first token and the total duration', async () => {
  const events = await streamScript([
    { waitMs: 200 },
    { type: 'reasoning-delta', text: 'Hm' },
    { waitMs: 3_000 },
    { type: 'text-delta', text: 'Yes' },
    { waitMs: 800 },
    completeEvent,
  ]);
  expect(events.map(({ type }) => type)).toEqual([
    'text-delta',
    'reasoning-end',
    'text-delta',
    'turn-end',
  ]);
  expect(findAnswerResult(events)).toEqual({
    reasoningMs: 3_000,
    timeToFirstTokenMs: 200,
    durationMs: 4_000,
    finishReason: 'stop',
  });
});

test('streamAnswer uses the reported cost, and estimates the cost only if the service reports none', async () => {
  const turnEvents = await streamScript([
    { type: 'usage', usage: createUsage(100), cost: { usd: 5 } },
    completeEvent,
  ]);
  expect(findAnswerResult(turnEvents)).toMatchObject({ cost: { usd: 5 } });
  expect(findAnswerResult(turnEvents)).not.toHaveProperty('costEstimated');
  const estimatedEvents = await streamScript([
    { type: 'usage', usage: createUsage(100) },
    completeEvent,
  ]);
  expect(findAnswerResult(estimatedEvents)).toMatchObject({
    cost: { usd: 1 },
    costEstimated: true,
  });
});

test('streamAnswer adds up the usage, cost and duration of both parts of a continued answer, and drops the tool calls of the first part', async () => {
  const firstEvents = await streamScript([
    { type: 'usage', usage: { ...createUsage(100), cachedTokens: 7 } },
    { waitMs: 100 },
    { type: 'tool-call-delta', index: 0, id: 't1', name: 'read', arguments: '{}' },
    completeEvent,
  ]);
  const secondEvents = await streamScript(
    [{ type: 'usage', usage: createUsage(50), cost: { usd: 2 } }, { waitMs: 50 }, completeEvent],
    findAnswerResult(firstEvents),
  );
  expect(findAnswerResult(secondEvents)).toMatchObject({
    usage: { promptTokens: 200, completionTokens: 150, totalTokens: 350, cachedTokens: 7 },
    cost: { usd: 3 },
    costEstimated: true,
    durationMs: 150,
    lastRequest: { usage: createUsage(50), cost: { usd: 2 } },
  });
  expect(findAnswerResult(firstEvents)).not.toHaveProperty('lastRequest');
  expect(findAnswerResult(secondEvents)).not.toHaveProperty('toolCalls');
});

test('streamAnswer assembles tool calls from chunks in any order', async () => {
  const createCallDelta = (index: number, text: string, name?: string): ChatEvent => ({
    type: 'tool-call-delta',
    index,
    arguments: text,
    ...(name === undefined ? {} : { id: `t${index}`, name }),
  });
  const events = await streamScript([
    createCallDelta(1, '{"b"', 'two'),
    createCallDelta(0, '{', 'one'),
    createCallDelta(1, ':1}'),
    createCallDelta(0, '}'),
    completeEvent,
  ]);
  expect(findAnswerResult(events)?.toolCalls?.map((call) => call.function)).toEqual([
    { name: 'one', arguments: '{}' },
    { name: 'two', arguments: '{"b":1}' },
  ]);
});

test('streamAnswer uses the first id and name of a tool call, and does not parse incomplete arguments', async () => {
  const createCallDelta = (id: string, name: string, text: string): ChatEvent => ({
    type: 'tool-call-delta',
    index: 0,
    id,
    name,
    arguments: text,
  });
  const events = await streamScript([
    createCallDelta('t1', '__proto__', '{"__proto__":'),
    createCallDelta('t2', 'other', '{"admin":true'),
    { type: 'stream-end', outcome: { kind: 'complete', finishReason: 'length' } },
  ]);
  const incompleteCall = { name: '__proto__', arguments: '{"__proto__":{"admin":true' };
  expect(findAnswerResult(events)).toMatchObject({ finishReason: 'length' });
  expect(findAnswerResult(events)?.toolCalls).toEqual([
    { id: 't1', type: 'function', function: incompleteCall },
  ]);
  expect(Reflect.get({}, 'admin')).toBeUndefined();
});

test('streamAnswer reports a retry wait with its end time, and then the start of the retry', async () => {
  const events = await streamScript([
    {
      type: 'retry-wait',
      attempt: 2,
      delayMs: 500,
      failure: { code: 'overloaded', message: 'busy' },
    },
    { waitMs: 500 },
    { type: 'stream-start', info: {} },
    completeEvent,
  ]);
  expect(events.slice(0, 2)).toEqual([
    { type: 'retry-wait', failure: { code: 'overloaded', message: 'busy' }, until: 500 },
    { type: 'retry-start' },
  ]);
});

test('streamAnswer ignores all service events after the first end event', async () => {
  const events = await streamScript([completeEvent, completeEvent]);
  expect(events).toHaveLength(1);
});

test('streamAnswer reports and stores sources, and includes the web search in the estimated cost', async () => {
  const citations = [{ title: 'T', url: 'https://a.test/' }];
  const searchCounts: number[] = [];
  const turnEvents: TurnEvent[] = [];
  async function* generateEvents(): AsyncGenerator<ChatEvent> {
    yield { type: 'citations', citations };
    yield { type: 'usage', usage: { promptTokens: 1, completionTokens: 1, totalTokens: 2 } };
    yield { type: 'stream-end', outcome: { kind: 'complete', finishReason: 'stop' } };
  }
  const estimateCost = (_: Usage, count: number): Cost => {
    searchCounts.push(count);
    return { usd: count };
  };
  await streamAnswer(
    { events: toBatches(generateEvents()), clock: new ManualClock(0), estimateCost },
    (event) => {
      turnEvents.push(event);
    },
  );
  expect(turnEvents[0]).toEqual({ type: 'citations', citations });
  expect(findAnswerResult(turnEvents)?.citations).toEqual(citations);
  expect(searchCounts).toEqual([1]);
});

test('requestAnswer lowers the size limits and repeats the request if the stream starts and then fails because the request is too large', async () => {
  const failure = { code: 'context-overflow', message: 'Too large.' } as const;
  const answers: ChatEvent[][] = [
    [{ type: 'request-start' }, { type: 'stream-end', outcome: { kind: 'failed', failure } }],
    [{ type: 'text-delta', text: 'Short.' }, completeEvent],
  ];
  const rejectedCodes: string[] = [];
  const request = {
    send: async () => toBatches(iterateEvents(answers.shift() ?? [])),
    signal: new AbortController().signal,
    logError: () => {},
    lowerSizeLimits: async ({ code }: { code: string }) => rejectedCodes.push(code) > 0,
  };
  const events: ChatEvent[] = [];
  for await (const batch of requestAnswer(request)) events.push(...batch);
  expect(rejectedCodes).toEqual(['context-overflow']);
  expect(events.at(-2)).toEqual({ type: 'text-delta', text: 'Short.' });
});

async function* iterateEvents(events: readonly ChatEvent[]): AsyncGenerator<ChatEvent> {
  yield* events;
}
