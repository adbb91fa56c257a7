import { expect, test } from 'vitest';
import {
  createCallEvent,
  createAgentFixture,
  createTextDelta,
  createTool,
} from '../../test/support/agent-fixture.ts';
import type { ChatEvent } from '../service/chat/chat-types.ts';
import type { FallbackModel } from './turn-context.ts';

const createFailureEvent = (code: 'overloaded' | 'stopped'): ChatEvent => ({
  type: 'stream-end',
  outcome: { kind: 'failed', failure: { code, message: 'At capacity.' } },
});

const secondModel = { id: 'model-2', name: 'Model Two' };
const baseUrl = 'https://service.test/api/v1';
const offeredFallback: FallbackModel = { model: secondModel, isAutomatic: false, baseUrl };
const automaticFallback: FallbackModel = { model: secondModel, isAutomatic: true, baseUrl };

test('a failed answer offers another model, and stores the offer', async () => {
  const fixture = createAgentFixture({
    answers: [[createFailureEvent('overloaded')]],
    findFallback: () => offeredFallback,
  });
  await fixture.session.send('Hi', []);
  expect(fixture.requests).toHaveLength(1);
  const storedConversation = await fixture.store.load('c1');
  expect(storedConversation?.head).toMatchObject({
    status: 'failed',
    result: { fallback: { ...secondModel, baseUrl } },
  });
  expect(fixture.session.runningAnswerId).toBeUndefined();
});

test('a turn continues with another model without asking the user, and names the failed model', async () => {
  const fixture = createAgentFixture({
    answers: [[createFailureEvent('overloaded')], [createTextDelta('Hello.')]],
    findFallback: () => automaticFallback,
  });
  await fixture.session.send('Hi', []);
  expect(fixture.requests.map(({ model }) => model)).toEqual(['model-1', 'model-2']);
  const storedConversation = await fixture.store.load('c1');
  expect(storedConversation?.head).toMatchObject({
    status: 'complete',
    text: 'Hello.',
    model: secondModel,
    replacedModel: { id: 'model-1', name: 'Model One' },
  });
  expect(storedConversation?.listSiblingIds(storedConversation.head!)).toHaveLength(2);
});

test('a turn keeps the fallback model for its remaining requests, and keeps its budget', async () => {
  const fixture = createAgentFixture({
    tools: [createTool('read', () => 'text')],
    answers: [
      [createCallEvent('read')],
      [createFailureEvent('overloaded')],
      [createCallEvent('read', {}, 0, 't1')],
      [createTextDelta('Done.')],
    ],
    findFallback: () => automaticFallback,
  });
  await fixture.session.send('Go', []);
  expect(fixture.requests.map(({ model }) => model)).toEqual([
    'model-1',
    'model-1',
    'model-2',
    'model-2',
  ]);
  expect(fixture.usages.at(-1)).toMatchObject({ requests: 4, calls: 2 });
  expect(fixture.listAnswers().map(({ replacedModel }) => replacedModel?.id)).toEqual([
    undefined,
    'model-1',
    undefined,
  ]);
  await fixture.session.send('Again', []);
  expect(fixture.requests[4]?.model).toBe('model-1');
});

test('a turn tries two other models without asking the user, and then offers the next model', async () => {
  const triedIds: string[][] = [];
  const fixture = createAgentFixture({
    answers: [
      [createFailureEvent('overloaded')],
      [createFailureEvent('overloaded')],
      [createFailureEvent('overloaded')],
    ],
    findFallback: (_answer, _failure, failedIds) => {
      triedIds.push([...failedIds]);
      const id = `model-${failedIds.size + 1}`;
      return { model: { id, name: id }, isAutomatic: true, baseUrl };
    },
  });
  await fixture.session.send('Hi', []);
  expect(fixture.requests.map(({ model }) => model)).toEqual(['model-1', 'model-2', 'model-3']);
  expect(triedIds.at(-1)).toEqual(['model-1', 'model-2', 'model-3']);
  expect(fixture.listAnswers().at(-1)).toMatchObject({
    status: 'failed',
    result: { fallback: { id: 'model-4' } },
  });
});

test('a turn that has used its maximum number of requests offers a fallback model instead of requesting an answer from it', async () => {
  const fixture = createAgentFixture({
    answers: [
      [createFailureEvent('overloaded')],
      [createFailureEvent('overloaded')],
      [createTextDelta('Hello.')],
    ],
    limits: { requests: 2 },
    findFallback: (_answer, _failure, failedIds) => {
      const id = `model-${failedIds.size + 1}`;
      return { model: { id, name: id }, isAutomatic: true, baseUrl };
    },
  });
  await fixture.session.send('Hi', []);
  expect(fixture.requests.map(({ model }) => model)).toEqual(['model-1', 'model-2']);
  expect(fixture.session.runningAnswerId).toBeUndefined();
  expect(fixture.listAnswers().at(-1)?.result.fallback?.id).toBe('model-3');
});

test('a turn does not request a stopped answer from another model', async () => {
  let isFallbackRequested = false;
  const fixture = createAgentFixture({
    answers: [],
    findFallback: () => {
      isFallbackRequested = true;
      return automaticFallback;
    },
    stream: async function* () {
      void fixture.session.stop();
      yield [createFailureEvent('stopped')];
    },
  });
  await fixture.session.send('Hi', []);
  expect(isFallbackRequested).toBe(false);
  expect(fixture.requests).toHaveLength(1);
});

test('a turn does not request an answer from another model if the user stops the turn after a failure', async () => {
  let isStopping = false;
  const fixture = createAgentFixture({
    answers: [[createFailureEvent('overloaded')], [createTextDelta('Hello.')]],
    findFallback: () => {
      queueMicrotask(() => void fixture.session.stop());
      isStopping = true;
      return automaticFallback;
    },
  });
  await fixture.session.send('Hi', []);
  expect(isStopping).toBe(true);
  expect(fixture.requests).toHaveLength(1);
  expect(fixture.listAnswers()).toMatchObject([{ status: 'failed' }]);
  expect(fixture.session.runningAnswerId).toBeUndefined();
  await fixture.session.send('Again', []);
  expect(fixture.requests).toHaveLength(2);
});

test('the answer of an offered model is stored as another version of the failed answer', async () => {
  const fixture = createAgentFixture({
    answers: [[createFailureEvent('overloaded')], [createTextDelta('Hello.')]],
    findFallback: () => offeredFallback,
  });
  await fixture.session.send('Hi', []);
  const [failedAnswer] = fixture.listAnswers();
  await fixture.session.retry(failedAnswer?.id ?? '', failedAnswer?.result.fallback);
  expect(fixture.listAnswers()).toMatchObject([{ text: 'Hello.', model: secondModel }]);
  expect(fixture.listAnswers()[0]).not.toHaveProperty('replacedModel');
});

test.each<[title: string, ids: readonly string[], offered: string | undefined]>([
  ['a third model', ['model-1', 'model-2', 'model-3'], 'model-3'],
  ['the first model again if no third model exists', ['model-1', 'model-2'], 'model-1'],
])('if an offered model also fails, its failed answer offers %s', async (_, ids, offeredId) => {
  const fixture = createAgentFixture({
    answers: [[createFailureEvent('overloaded')], [createFailureEvent('overloaded')]],
    findFallback: (_answer, _failure, failedIds) => {
      const id = ids.find((candidate) => !failedIds.has(candidate));
      return id === undefined
        ? undefined
        : { model: { id, name: id }, isAutomatic: false, baseUrl };
    },
  });
  await fixture.session.send('Hi', []);
  const [failedAnswer] = fixture.listAnswers();
  await fixture.session.retry(failedAnswer?.id ?? '', failedAnswer?.result.fallback);
  expect(fixture.requests.map(({ model }) => model)).toEqual(['model-1', 'model-2']);
  expect(fixture.listAnswers()[0]?.result.fallback?.id).toBe(offeredId);
});

test('a failed answer stays failed if the search for another model throws an error', async () => {
  const fixture = createAgentFixture({
    answers: [[createFailureEvent('overloaded')]],
    findFallback: () => {
      throw new Error('No list');
    },
  });
  await fixture.session.send('Hi', []);
  expect(fixture.requests).toHaveLength(1);
  expect(fixture.listAnswers()).toMatchObject([{ status: 'failed' }]);
  expect(fixture.session.runningAnswerId).toBeUndefined();
  expect(fixture.loggedErrors).toHaveLength(1);
});
