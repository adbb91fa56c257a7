import { get } from 'node:http';
import { expect, test } from 'vitest';
import { createRpc } from '../chain/rpc.ts';
import { createChatRequest, parseEvents, postChat, startTestService } from '../test-service.ts';
import { startSlowRequest } from '../slow-request.ts';

test('the control plane records headers, body, times and outcome of each request', async () => {
  const service = await startTestService();
  const body = createChatRequest('Hi', { stream: true });
  const reply = await postChat(service, body);
  const text = await reply.text();
  const recordedRequest = await service.control.waitForRequest(
    ({ closedAt }) => closedAt !== undefined,
  );
  expect(recordedRequest).toMatchObject({
    method: 'POST',
    path: '/api/v1/chat/completions',
    headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
    body,
    status: 200,
    abortedByClient: false,
  });
  expect(recordedRequest.closedAt).toBeGreaterThanOrEqual(recordedRequest.startedAt);
  expect(recordedRequest.bytesSent).toBeGreaterThan(text.length);
});

test('a request is recorded as aborted when the client aborts the request while its reply is on hold', async () => {
  const service = await startTestService();
  await service.control.addScripts({ steps: [{ content: 'a' }, { hold: 'gate' }] });
  const controller = new AbortController();
  const { signal } = controller;
  await postChat(service, createChatRequest('Hi', { stream: true }), { signal });
  await startSlowRequest(service);
  controller.abort();
  const recordedRequest = await service.control.waitForRequest(
    ({ closedAt }) => closedAt !== undefined,
  );
  expect(recordedRequest).toMatchObject({
    path: '/api/v1/chat/completions',
    abortedByClient: true,
  });
});

test('a request body that is not JSON is recorded unchanged', async () => {
  const service = await startTestService();
  await postChat(service, '{"model":');
  expect((await service.control.getRequests())[0]).toMatchObject({
    body: '{"model":',
    status: 400,
  });
});

test('waitForRequest rejects when no request matches', async () => {
  const { control } = await startTestService();
  await expect(control.waitForRequest(() => true, 50)).rejects.toThrow('No request fits');
});

test('a script sends its steps, and pauses at a hold step until the test releases it', async () => {
  const service = await startTestService();
  const { control } = service;
  await control.addScripts({
    steps: [
      { reasoning: 'hm' },
      { content: 'a' },
      { hold: 'gate' },
      { toolCall: { index: 0, id: 'call_1', name: 'x', arguments: '' } },
      { toolCall: { index: 0, arguments: '{}' } },
    ],
    usage: { prompt_tokens: 7, completion_tokens: 5, reasoning_tokens: 1 },
  });
  const reply = await postChat(service, createChatRequest('Hi', { stream: true }));
  const reader = reply.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.includes('"a"')) text += (await reader.read()).value ?? '';
  const readPromise = reader.read();
  // The reply is held: the service answers a later request earlier.
  expect(await Promise.race([readPromise, control.getRequests().then(() => 'held')])).toBe('held');
  await control.releasePause('gate');
  text += (await readPromise).value ?? '';
  for (let readResult = await reader.read(); !readResult.done; readResult = await reader.read())
    text += readResult.value;
  const deltas = parseEvents(text).flatMap(({ choices }) =>
    (choices as { delta: object; finish_reason: string | null }[]).map(({ delta }) => delta),
  );
  expect(deltas).toEqual([
    { role: 'assistant', content: '' },
    { reasoning_content: 'hm' },
    { content: 'a' },
    {
      tool_calls: [
        { index: 0, id: 'call_1', type: 'function', function: { name: 'x', arguments: '' } },
      ],
    },
    { tool_calls: [{ index: 0, function: { arguments: '{}' } }] },
    {},
  ]);
  expect(text).toContain('"finish_reason":"tool_calls"');
  expect(parseEvents(text).at(-1)).toMatchObject({
    usage: {
      prompt_tokens: 7,
      completion_tokens: 5,
      total_tokens: 12,
      completion_tokens_details: { reasoning_tokens: 1 },
    },
  });
});

test('a script can end a streamed reply with an error', async () => {
  const service = await startTestService();
  const steps = [{ content: 'a' }, { error: { message: 'x', code: 'upstream_error' } }];
  await service.control.addScripts({ steps, times: 2 });
  const streamedReply = await postChat(service, createChatRequest('Hi', { stream: true }));
  expect(await streamedReply.text()).toMatch(
    /data: \{"error":\{"message":"x".*\n\ndata: \[DONE\]\n\n$/,
  );
  const completeReply = await postChat(service, createChatRequest('Hi'));
  expect(completeReply.status).toBe(500);
});

test("the Date header of replies uses the service's clock", async () => {
  const { baseUrl, control } = await startTestService();
  await control.changeClock({ set: '2030-01-02T03:04:05.000Z' });
  const { headers } = await fetch(`${baseUrl}/models`);
  expect(headers.get('date')).toBe('Wed, 02 Jan 2030 03:04:05 GMT');
  expect(headers.get('x-service-timestamp')).toMatch(/^2030-01-02T03:04:0/);
});

test('the reset request restores the initial state of the service', async () => {
  const service = await startTestService();
  const { control } = service;
  await control.changeAccount({ usd: 0, bundled: 0, stakedDiem: 0 });
  await control.injectFault({ fault: { kind: 'status', status: 500 }, times: 9 });
  await control.addScripts({ steps: [{ content: 'scripted' }] });
  await control.setLimits({ rpm: 0, tpm: 0 });
  await control.reset();
  expect(await control.getRequests()).toEqual([]);
  const reply = await postChat(service, createChatRequest('Hi'));
  expect(reply.status).toBe(200);
  expect(await reply.text()).not.toContain('scripted');
  expect((await control.getAccounts()).charges).toHaveLength(1);
});

test('the port of the API does not serve the control plane', async () => {
  const { baseUrl, controlUrl } = await startTestService();
  expect(new URL(baseUrl).port).not.toBe(new URL(controlUrl).port);
  for (const path of ['/requests', '/api/v1/requests', '/accounts']) {
    expect((await fetch(new URL(path, baseUrl))).status).toBe(404);
  }
  for (const url of [baseUrl, controlUrl]) expect(new URL(url).hostname).toBe('127.0.0.1');
});

test('the control plane rejects a request from a web page, whatever the host name', async () => {
  const { controlUrl } = await startTestService();
  const requestStatus = (headers: Record<string, string>): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      // Node's HTTP client sends the given Host header; `fetch` would replace it.
      get(`${controlUrl}/requests`, { headers }, (reply) => resolve(reply.resume().statusCode)).on(
        'error',
        reject,
      );
    });
  expect(await requestStatus({})).toBe(200);
  expect(await requestStatus({ host: 'evil.example' })).toBe(421);
  expect(await requestStatus({ host: 'localhost' })).toBe(421);
  expect(await requestStatus({ origin: 'https://evil.example' })).toBe(403);
});

test('requests to the control plane mine blocks, set timestamps and revert the chain to a snapshot', async () => {
  const { control, chain } = await startTestService({ chain: true });
  const callRpc = createRpc(chain!.rpcUrl);
  const readLatestBlock = async () =>
    (await callRpc('eth_getBlockByNumber', ['latest', false])) as Block;
  const initialBlock = await readLatestBlock();
  const snapshot = await control.takeChainSnapshot();
  const time = Number(initialBlock.timestamp) + 1_000_000;
  await control.changeChain({ nextBlockTime: time, mine: 3 });
  const minedBlock = await readLatestBlock();
  expect(Number(minedBlock.number)).toBeGreaterThanOrEqual(Number(initialBlock.number) + 3);
  expect(Number(minedBlock.timestamp)).toBeGreaterThanOrEqual(time);
  await control.changeChain({ revert: snapshot });
  expect(Number((await readLatestBlock()).timestamp)).toBeLessThan(time);
});

interface Block {
  readonly number: string;
  readonly timestamp: string;
}
