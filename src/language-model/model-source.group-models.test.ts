import { expect, test } from 'vitest';
import { connectToPlainServer } from '../../test/support/plain-server-context.ts';
import { createScriptedService } from '../../test/support/scripted-transport.ts';
import { findModelById } from '../models/model-selection.ts';
import type { ChatRequest } from '../service/chat/chat-types.ts';
import { streamChat } from '../service/chat/stream-chat.ts';
import type { Transport } from '../service/http/client.ts';
import { GroupModels } from './model-source.ts';

const { signal } = new AbortController();
const minuteMs = 60_000;

const modelListAnswer = { body: [JSON.stringify({ data: [{ id: 'm-1', type: 'text' }] })] };
const createStatusAnswer = (status: number) => ({ status, body: ['{"error":"No."}'] });

for (const refusalStatus of [401, 403]) {
  test(`GroupModels retries a key only five minutes after the service rejected the key with status ${refusalStatus}`, async () => {
    const { context, clock, requests } = createScriptedService(
      createStatusAnswer(refusalStatus),
      modelListAnswer,
    );
    const models = new GroupModels(context);
    const failure = { failure: { status: refusalStatus } };
    await expect(models.list(signal)).rejects.toMatchObject(failure);
    await clock.advance(4 * minuteMs);
    await expect(models.list(signal)).rejects.toMatchObject(failure);
    await models.refresh();
    expect([requests.length, models.failure?.status]).toEqual([1, refusalStatus]);
    await clock.advance(minuteMs);
    expect((await models.list(signal)).map(({ id }) => id)).toEqual(['m-1']);
    expect([requests.length, models.failure]).toEqual([2, undefined]);
  });
}

test('GroupModels requests the model list again immediately after any failure other than a rejected key', async () => {
  const { context, requests } = createScriptedService(createStatusAnswer(404), modelListAnswer);
  const models = new GroupModels(context);
  await expect(models.list(signal)).rejects.toMatchObject({ failure: { code: 'not-found' } });
  await models.list(signal);
  expect(requests.length).toBe(2);
});

test('GroupModels requests a new model list only after ten minutes', async () => {
  const { context, clock, requests } = createScriptedService(modelListAnswer);
  const models = new GroupModels(context);
  await models.list(signal);
  await clock.advance(9 * minuteMs);
  await models.list(signal);
  expect(requests.length).toBe(1);
  await clock.advance(minuteMs);
  await models.list(signal);
  expect(requests.length).toBe(2);
});

test('GroupModels returns the last model list while the service is unreachable', async () => {
  const { context, clock, requests } = createScriptedService(
    modelListAnswer,
    createStatusAnswer(404),
    createStatusAnswer(404),
    createStatusAnswer(401),
  );
  const models = new GroupModels(context);
  const sharedList = await models.list(signal);
  await clock.advance(10 * minuteMs);
  expect(await models.list(signal)).toBe(sharedList);
  expect([await models.list(signal), models.failure?.code]).toEqual([sharedList, 'not-found']);
  await expect(models.list(signal)).rejects.toMatchObject({ failure: { status: 401 } });
  expect(requests.length).toBe(4);
});

test('GroupModels continues a shared request if one of the callers cancels', async () => {
  const { context, requests } = createScriptedService(modelListAnswer);
  const pendingReply = Promise.withResolvers<void>();
  const transport = await context.getTransport();
  const waitingTransport: Transport = {
    ...transport,
    send: async (request) => {
      const reply = await transport.send(request);
      await pendingReply.promise;
      request.signal.throwIfAborted();
      return reply;
    },
  };
  const models = new GroupModels({ ...context, getTransport: async () => waitingTransport });
  const abortController = new AbortController();
  const listRejected = expect(models.list(abortController.signal)).rejects.toMatchObject({
    failure: { code: 'stopped' },
  });
  const modelsPromise = models.list(signal);
  abortController.abort();
  await listRejected;
  pendingReply.resolve();
  expect((await modelsPromise).map(({ id }) => id)).toEqual(['m-1']);
  expect([requests.length, models.failure]).toEqual([1, undefined]);
});

test('GroupModels records that a model does not support a capability if an OpenAI-compatible server rejects the capability in a chat', async () => {
  await using connection = await connectToPlainServer({ kind: 'vllm', tools: false, context: 200 });
  const models = new GroupModels(connection.context);
  const id = 'sql-adapter';
  await models.list(signal);
  const request: ChatRequest = {
    model: id,
    messages: [{ role: 'user', content: 'Hello' }],
    tools: [{ type: 'function', function: { name: 'f' } }],
  };
  const context = { ...connection.context, refusals: models };
  expect(findModelById(models.allModels, id)?.capabilities.supportsFunctionCalling).toBeUndefined();
  await Array.fromAsync(streamChat(context, request, { signal }));
  expect(findModelById(models.allModels, id)).toMatchObject({
    capabilities: { supportsFunctionCalling: false },
    origins: { tools: 'refusal' },
  });
});
