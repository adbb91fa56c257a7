import { describe, expect, test } from 'vitest';
import {
  scriptedKey,
  createScriptedService,
  type ScriptedAnswer,
} from '../../../test/support/scripted-transport.ts';
import { streamChat } from '../chat/stream-chat.ts';
import { flattenBatches } from '../../../test/support/batches.ts';
import type { ChatEvent } from '../chat/chat-types.ts';
import type { ServiceContext } from './client.ts';
import { ServiceError, type FailureCode, type ServiceFailure } from './failure.ts';
import { listModels } from '../models.ts';
import { createInterruptedError, createTimeoutError } from './network-failure.ts';
import { sendCall } from './request.ts';

const signal = new AbortController().signal;
const offlineError = new ServiceError({ code: 'offline', message: 'x' });
const createStatusAnswer = (
  code: number,
  headers: Record<string, string> = {},
): ScriptedAnswer => ({
  status: code,
  headers,
  body: [JSON.stringify({ error: `said ${scriptedKey}` })],
});

/** Calls of two endpoints. Each function returns the failure of the call. */
const endpointCalls: readonly [string, (context: ServiceContext) => Promise<ServiceFailure>][] = [
  ['chat', async (context) => getFinalFailure(await collectEvents(context))],
  ['models', (context) => getFailure(listModels(context, { signal }))],
];

describe.each(endpointCalls)('a call of the %s endpoint', (_endpoint, call) => {
  test.each<[string, ScriptedAnswer, number, FailureCode]>([
    ['status 400', createStatusAnswer(400), 1, 'invalid-request'],
    ['status 401', createStatusAnswer(401), 1, 'unauthorized'],
    ['status 402', createStatusAnswer(402), 1, 'out-of-funds'],
    ['status 403', createStatusAnswer(403), 1, 'forbidden'],
    ['status 404', createStatusAnswer(404), 1, 'not-found'],
    ['status 413', createStatusAnswer(413), 1, 'payload-too-large'],
    ['status 415', createStatusAnswer(415), 1, 'unsupported-media-type'],
    ['status 422', createStatusAnswer(422), 1, 'invalid-request'],
    ['status 408', createStatusAnswer(408), 3, 'timeout'],
    ['status 429', createStatusAnswer(429), 3, 'rate-limited'],
    [
      'status 429 and a retry delay of 60 s',
      createStatusAnswer(429, { 'retry-after': '60' }),
      3,
      'rate-limited',
    ],
    [
      'status 429 and a retry delay of 61 s',
      createStatusAnswer(429, { 'retry-after': '61' }),
      1,
      'rate-limited',
    ],
    ['status 500', createStatusAnswer(500), 3, 'server-error'],
    ['status 503', createStatusAnswer(503), 3, 'overloaded'],
    ['an offline error', offlineError, 3, 'offline'],
    ['a connection closed without a response', createInterruptedError(), 3, 'interrupted'],
    ['a certificate error', new ServiceError({ code: 'tls', message: 'x' }), 1, 'tls'],
    ['a proxy error', new ServiceError({ code: 'proxy', message: 'x' }), 1, 'proxy'],
    ['a redirect', new ServiceError({ code: 'redirected', message: 'x' }), 1, 'redirected'],
  ])(
    'fails with the code "$3" if each attempt ends with %s (number of requests: $2)',
    async (_description, answer, requestCount, code) => {
      const service = createScriptedService(answer);
      const failurePromise = call(service.context);
      await service.clock.advance(300_000);
      const failure = await failurePromise;
      expect(failure.code).toBe(code);
      expect(service.requests).toHaveLength(requestCount);
      expect(JSON.stringify(failure)).not.toContain(scriptedKey);
    },
  );
});

test.each<[string, number, string, number]>([
  ['chat', 502, 'one request', 1],
  ['chat', 504, 'one request', 1],
  ['chat', 524, 'one request', 1],
  ['chat', 520, 'one request', 1],
  ['chat', 522, 'one request', 1],
  ['chat', 530, 'one request', 1],
  ['chat', 500, 'three requests', 3],
  ['chat', 503, 'three requests', 3],
  ['chat', 529, 'three requests', 3],
  ['models', 502, 'three requests', 3],
  ['models', 504, 'three requests', 3],
  ['models', 524, 'three requests', 3],
])(
  'the %s endpoint, if it always responds with status %d, receives %s in total',
  async (name, status, _total, count) => {
    const service = createScriptedService(createStatusAnswer(status));
    const result = new Map(endpointCalls).get(name)?.(service.context);
    await service.clock.advance(300_000);
    expect(await result).toMatchObject({ status });
    expect(service.requests).toHaveLength(count);
  },
);

test.each<[string, string, number]>([
  ['chat', 'one request', 1],
  ['models', 'three requests', 3],
])(
  'the %s endpoint receives %s in total if each attempt ends with a header timeout',
  async (name, _total, count) => {
    const service = createScriptedService(createTimeoutError('headers'));
    const result = new Map(endpointCalls).get(name)?.(service.context);
    await service.clock.advance(300_000);
    expect(await result).toMatchObject({ code: 'timeout' });
    expect(service.requests).toHaveLength(count);
  },
);

test('sendWithRetries waits for the retry-after delay and emits a retry-wait event', async () => {
  const service = createScriptedService(
    createStatusAnswer(429, { 'retry-after': '2' }),
    doneAnswer,
  );
  const events: ChatEvent[] = [];
  const readPromise = (async () => {
    for await (const event of flattenBatches(streamChat(service.context, chatRequest, { signal })))
      events.push(event);
  })();
  await service.clock.advance(1_999);
  expect(service.requests).toHaveLength(1);
  expect(events).toMatchObject([{ type: 'retry-wait', attempt: 2, delayMs: 2_000 }]);
  await service.clock.advance(1);
  await readPromise;
  expect(service.requests).toHaveLength(2);
  expect(events.at(-1)).toMatchObject({ outcome: { kind: 'complete' } });
});

test.each(['0', '-5', 'Thu, 01 Jan 1970 00:00:00 GMT'])(
  'sendWithRetries waits for its own backoff delay if the Retry-After header has the unusable value %j',
  async (value) => {
    const service = createScriptedService(
      createStatusAnswer(429, { 'retry-after': value }),
      createStatusAnswer(429, { 'retry-after': value }),
      { body: ['data: [DONE]\n\n'] },
    );
    const events = collectEvents(service.context);
    await service.clock.advance(60_000);
    const delays = (await events).flatMap((event) =>
      event.type === 'retry-wait' ? [event.delayMs] : [],
    );
    expect(delays).toEqual([500, 1_000]);
  },
);

test('sendWithRetries doubles the retry delay if the service sends none', async () => {
  const service = createScriptedService(createStatusAnswer(500));
  const events = collectEvents(service.context);
  await service.clock.advance(60_000);
  const delays = (await events).flatMap((event) =>
    event.type === 'retry-wait' ? [event.delayMs] : [],
  );
  expect(delays).toEqual([500, 1_000]);
});

test('sendWithRetries resends a request immediately and without an event if an idle connection closes', async () => {
  const service = createScriptedService(createInterruptedError(), doneAnswer);
  const events = await collectEvents(service.context);
  expect(service.requests).toHaveLength(2);
  expect(events.map((event) => event.type)).toEqual(['stream-start', 'stream-end']);
});

test('sendWithRetries does not retry after the response has begun', async () => {
  const interruptedAnswer = {
    body: ['data: {"choices":[{"delta":{"content":"Hi"}}]}\n\n', createInterruptedError()],
  };
  const service = createScriptedService(interruptedAnswer);
  const events = await collectEvents(service.context);
  expect(service.requests).toHaveLength(1);
  expect(getFinalFailure(events).code).toBe('interrupted');
});

test('sendWithRetries does not retry a call whose `canRetry` function returns false', async () => {
  const service = createScriptedService(createStatusAnswer(500));
  const call = { method: 'POST', path: '/x402/top-up', canRetry: () => false } as const;
  expect((await getFailure(sendCall(service.context, call, signal))).code).toBe('server-error');
  expect(service.requests).toHaveLength(1);
});

test('sendWithRetries stops waiting for a retry on abort', async () => {
  const abortController = new AbortController();
  const service = createScriptedService(createStatusAnswer(429, { 'retry-after': '30' }));
  const events = collectEvents(service.context, abortController.signal);
  await service.clock.advance(1_000);
  abortController.abort();
  expect(getFinalFailure(await events).code).toBe('stopped');
  expect(service.clock.pendingTimerCount).toBe(0);
});

test('sendCall sends at most 15 requests in 30 s for 30 failing calls in a row', async () => {
  const service = createScriptedService(createStatusAnswer(401));
  const codes: FailureCode[] = [];
  for (let callIndex = 0; callIndex < 30; callIndex++)
    codes.push(getFinalFailure(await collectEvents(service.context)).code);
  expect(service.requests).toHaveLength(15);
  expect(codes.slice(15)).toEqual(Array(15).fill('paused'));
  await service.clock.advance(30_000);
  expect(getFinalFailure(await collectEvents(service.context)).code).toBe('unauthorized');
});

test('sendCall sends at most 15 requests in 30 s for 40 failing concurrent calls', async () => {
  const service = createScriptedService(createStatusAnswer(401));
  const eventLists = await Promise.all(
    Array.from({ length: 40 }, () => collectEvents(service.context)),
  );
  expect(service.requests).toHaveLength(15);
  expect(eventLists.filter((events) => getFinalFailure(events).code === 'paused')).toHaveLength(25);
});

test('sendCall sends all 40 concurrent calls if no call fails', async () => {
  const service = createScriptedService(doneAnswer);
  await Promise.all(Array.from({ length: 40 }, () => collectEvents(service.context)));
  expect(service.requests).toHaveLength(40);
});

test('sendCall sends the key only in the authorization header, and sends no such header without a key', async () => {
  const service = createScriptedService(doneAnswer);
  await collectEvents(service.context);
  const [request] = service.requests;
  expect(request?.url.href).toBe('https://api.service.test/api/v1/chat/completions');
  expect(request?.headers).toEqual({
    accept: 'text/event-stream',
    authorization: `Bearer ${scriptedKey}`,
    'content-type': 'application/json',
  });
  const { apiKey: _key, ...endpointWithoutKey } = await service.context.getEndpoint();
  await collectEvents({ ...service.context, getEndpoint: async () => endpointWithoutKey });
  expect(service.requests[1]?.headers).not.toHaveProperty('authorization');
});

test('sendCall rejects a key with invalid header characters before a request is sent, without the key in the error', async () => {
  const service = createScriptedService(doneAnswer);
  const endpoint = { ...(await service.context.getEndpoint()), apiKey: 'canary\nkey-123' };
  const failure = getFinalFailure(
    await collectEvents({ ...service.context, getEndpoint: async () => endpoint }),
  );
  expect(failure.code).toBe('invalid-key');
  expect(JSON.stringify(failure)).not.toContain('canary');
  expect(service.requests).toHaveLength(0);
});

test.each<[string, Partial<ServiceContext>]>([
  ['endpoint', { getEndpoint: () => Promise.reject(new TypeError(`no ${scriptedKey}`)) }],
  ['transport', { getTransport: () => Promise.reject(new TypeError(`no ${scriptedKey}`)) }],
])(
  'sendCall fails with an internal error and sends no request if the %s cannot be created',
  async (_description, overrides) => {
    const service = createScriptedService(doneAnswer);
    const [onlyEvent, ...otherEvents] = await collectEvents({ ...service.context, ...overrides });
    expect(otherEvents).toEqual([]);
    const failure = getFinalFailure(onlyEvent === undefined ? [] : [onlyEvent]);
    expect(failure).toMatchObject({ code: 'internal-error', detail: 'TypeError' });
    expect(JSON.stringify(failure)).not.toContain(scriptedKey);
    expect(service.requests).toHaveLength(0);
  },
);

const chatRequest = { model: 'm', messages: [] };
const doneAnswer: ScriptedAnswer = { body: ['data: [DONE]\n\n'] };

async function collectEvents(context: ServiceContext, abortSignal = signal): Promise<ChatEvent[]> {
  return Array.fromAsync(flattenBatches(streamChat(context, chatRequest, { signal: abortSignal })));
}

function getFinalFailure(events: readonly ChatEvent[]): ServiceFailure {
  const lastEvent = events.at(-1);
  if (lastEvent?.type === 'stream-end' && lastEvent.outcome.kind === 'failed')
    return lastEvent.outcome.failure;
  throw new Error(`expected a failed end, not ${JSON.stringify(lastEvent)}`);
}

async function getFailure(promise: Promise<unknown>): Promise<ServiceFailure> {
  const error: unknown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (error instanceof ServiceError) return error.failure;
  throw new Error('expected a ServiceError', { cause: error });
}

test.each<[string, (context: ServiceContext, signature: string) => Promise<unknown>]>([
  [
    'sign-in',
    async (context, signature) => {
      const endpoint = {
        ...(await context.getEndpoint()),
        signIn: async () => ({ 'x-in': signature }),
      };
      return listModels({ ...context, getEndpoint: async () => endpoint }, { signal });
    },
  ],
  [
    'payment',
    (context, signature) =>
      sendCall(
        context,
        { method: 'POST', path: '/pay', headers: { 'x-payment': signature } },
        signal,
      ),
  ],
])('sendCall redacts a %s header that the response quotes', async (_description, call) => {
  const signature = 'canarySigned0123456789';
  const body = [JSON.stringify({ error: `said ${signature}` })];
  const failure = await getFailure(
    call(createScriptedService({ status: 400, body }).context, signature),
  );
  expect(failure.detail).toContain('said [redacted]');
  expect(JSON.stringify(failure)).not.toContain(signature);
});

describe('a confirmed unencrypted address in the local network', () => {
  const createLocalContext = (signIn?: () => Promise<Record<string, string>>) => {
    const service = createScriptedService({ body: ['{"data":[]}'] });
    const getEndpoint: ServiceContext['getEndpoint'] = async () => ({
      ...(await service.context.getEndpoint()),
      baseUrl: new URL('http://192.168.1.5:8080/v1'),
      ...(signIn === undefined ? {} : { signIn }),
    });
    return { requests: service.requests, context: { ...service.context, getEndpoint } };
  };
  const { signal } = new AbortController();

  test('receives requests with the API key', async () => {
    const { context, requests } = createLocalContext();
    await sendCall(context, { method: 'GET', path: '/models' }, signal);
    expect(requests[0]?.headers).toHaveProperty('authorization');
  });

  test.each(['/x402/balance/0x1', '/x402/top-up', '/api_keys/generate_web3_key'])(
    'receives no wallet request to %s',
    async (path) => {
      const { context, requests } = createLocalContext();
      await expect(
        sendCall(context, { method: 'POST', path, body: {} }, signal),
      ).rejects.toMatchObject({
        failure: { code: 'invalid-address', message: expect.stringContaining('https://') },
      });
      expect(requests).toEqual([]);
    },
  );

  test('receives no wallet sign-in, and the wallet signs nothing', async () => {
    let signatureCount = 0;
    const { context, requests } = createLocalContext(async () => {
      signatureCount++;
      return { 'x-sign-in': 'signed' };
    });
    await expect(
      sendCall(context, { method: 'GET', path: '/models' }, signal),
    ).rejects.toMatchObject({
      failure: { code: 'invalid-address' },
    });
    expect([signatureCount, requests]).toEqual([0, []]);
  });
});

describe('a request', () => {
  const createBody = (vendorPrefix: string) => ({
    [`${vendorPrefix}_parameters`]: { a: 1 },
    seed: 1,
  });
  const call = {
    method: 'POST',
    path: '/x',
    body: createBody,
    optionalFields: [{ path: 'seed', key: 'seed' }],
  } as const;

  test('is repeated at most once per optional field and once for a new vendor prefix, even if each reply rejects a field', async () => {
    const createOtherPrefixAnswer = (word: string): ScriptedAnswer =>
      createStatusAnswer(400, {
        [`x-${word}-version`]: '20261123.101112',
        [`x-${word}-model-id`]: 'm',
      });
    const answers = Array.from({ length: 50 }, (_, index) =>
      createOtherPrefixAnswer(index % 2 === 0 ? 'aa' : 'bb'),
    );
    const { context, requests } = createScriptedService(...answers);
    expect((await getFailure(sendCall(context, call, signal))).code).toBe('invalid-request');
    expect(requests).toHaveLength(3);
  });

  test.each([
    ['without a base URL', {}],
    ['with the base URL of the active service', { baseUrl: 'https://api.service.test/api/v1' }],
  ])(
    '%s is not sent to another service if the active service changes before a retry',
    async (_description, pinnedOptions) => {
      const { context, requests, clock } = createScriptedService(
        createStatusAnswer(503, { 'retry-after': '5' }),
      );
      let host = 'api.service.test';
      const getEndpoint = async () => ({
        ...(await context.getEndpoint()),
        baseUrl: new URL(`https://${host}/api/v1`),
      });
      const result = getFailure(
        sendCall({ ...context, getEndpoint }, { ...call, ...pinnedOptions }, signal),
      );
      await clock.advance(1_000);
      host = 'other.service.test';
      await clock.advance(60_000);
      expect((await result).code).toBe('address-changed');
      expect(requests.map(({ url }) => url.host)).toEqual(['api.service.test']);
    },
  );

  test('fails if the request was built for another service', async () => {
    const { context, requests } = createScriptedService({});
    const pinnedCall = { ...call, baseUrl: 'https://other.service.test/api/v1' };
    expect((await getFailure(sendCall(context, pinnedCall, signal))).code).toBe('address-changed');
    expect(requests).toHaveLength(0);
  });
});
