import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { createChatRequest, postChat, postImage, startTestService } from '../test-service.ts';
import type { ModelRecord } from '../catalog/model.ts';
import type { LocalService } from '../server.ts';

interface CallOptions {
  readonly key?: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request, by default with the key of type ADMIN. `line` is a method and a path, such as `GET /api_keys`. */
async function callService(
  service: LocalService,
  line: string,
  { key, body, headers }: CallOptions = {},
) {
  const [method = '', path = ''] = line.split(' ');
  const reply = await fetch(service.baseUrl + path, {
    method,
    headers: {
      authorization: `Bearer ${key ?? service.adminKey}`,
      ...(body && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  const isJson = reply.headers.get('content-type')?.startsWith('application/json');
  return {
    status: reply.status,
    headers: reply.headers,
    text,
    body: isJson ? JSON.parse(text) : {},
  };
}

async function createKey(service: LocalService, fields: object = {}) {
  const body = { apiKeyType: 'INFERENCE', description: 'Mine', ...fields };
  return (await callService(service, 'POST /api_keys', { body })).body.data;
}

const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const routes = [
  'GET /api_keys',
  'POST /api_keys',
  'PATCH /api_keys',
  'DELETE /api_keys?id=1',
  'GET /api_keys/1',
  'GET /api_keys/rate_limits/log',
  'GET /billing/balance',
  'GET /billing/usage-history',
  'GET /billing/usage-analytics',
  'GET /billing/usage',
];

describe('access to key management', () => {
  test.each(routes)('requires an ADMIN key for the request %s', async (line) => {
    const service = await startTestService({ missingKeyStatus: 401 });
    const body = /^(?:POST|PATCH)/.test(line) ? { body: {} } : {};
    const rejectedReply = await callService(service, line, { key: service.apiKey, ...body });
    expect(rejectedReply).toMatchObject({ status: 401, body: { error: 'Admin API key required' } });
    const unknownKeyReply = await callService(service, line, { key: 'wrong', ...body });
    expect(unknownKeyReply).toMatchObject({
      status: 401,
      body: { error: 'Authentication failed' },
    });
    const acceptedReply = await callService(service, line, body);
    expect(acceptedReply.status).not.toBe(401);
  });

  test('excludes the keys of other accounts', async () => {
    const service = await startTestService();
    const keys = [{ secret: 'other-admin-key', id: 'other', type: 'ADMIN' as const }];
    await service.control.changeAccount({ id: 'other', keys });
    const listedKeys = (await callService(service, 'GET /api_keys')).body.data;
    expect(listedKeys).toHaveLength(2);
    expect((await callService(service, 'GET /api_keys/other')).status).toBe(400);
    expect((await callService(service, 'DELETE /api_keys?id=other')).status).toBe(400);
    const { body } = await callService(service, 'GET /api_keys', { key: 'other-admin-key' });
    expect(body.data).toMatchObject([{ id: 'other', last6Chars: 'in-key' }]);
  });
});

describe('a managed key', () => {
  test('is created, is valid, is listed without its secret, and can be revoked', async () => {
    const service = await startTestService();
    const consumptionLimit = { usd: 5, diem: null };
    const createdKey = await createKey(service, { consumptionLimit, limitPeriod: 'MONTH' });
    expect(createdKey).toEqual({
      id: expect.stringMatching(uuidPattern),
      apiKey: expect.stringMatching(/^SERVICE_INFERENCE_KEY_[A-Za-z0-9]{43}$/),
      apiKeyType: 'INFERENCE',
      description: 'Mine',
      expiresAt: null,
      consumptionLimit: { usd: 5, diem: null, vcu: null },
      limitPeriod: 'MONTH',
      modelPrivacy: 'ALL',
    });
    const { apiKey: key, id } = createdKey;
    expect((await postChat(service, createChatRequest('Hi'), { key })).status).toBe(200);
    const { text, body } = await callService(service, 'GET /api_keys');
    expect(text).not.toContain(key);
    expect(body.object).toBe('list');
    expect(body.data[0]).toEqual({
      id,
      apiKeyType: 'INFERENCE',
      description: 'Mine',
      createdAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      expiresAt: null,
      lastUsedAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      last6Chars: key.slice(-6),
      consumptionLimits: { usd: 5, diem: null, vcu: null },
      limitPeriod: 'MONTH',
      modelPrivacy: 'ALL',
      usage: {
        trailingSevenDays: {
          usd: '0.0000',
          vcu: expect.stringMatching(/^0\.00[1-9]\d$/),
          diem: expect.stringMatching(/^0\.00[1-9]\d$/),
        },
      },
      currentPeriodUsage: { usd: '0.0000', diem: expect.stringMatching(/^0\.00[1-9]\d$/) },
    });
    expect((await callService(service, `GET /api_keys/${id}`)).body).toEqual({
      data: body.data[0],
    });
    expect((await callService(service, `DELETE /api_keys?id=${id}`)).body).toEqual({
      success: true,
    });
    expect((await postChat(service, createChatRequest('Hi'), { key })).status).toBe(401);
    expect((await callService(service, `GET /api_keys/${id}`)).body).toEqual({
      error: 'API key not found',
    });
  });

  test.each([
    ['without a content length', {}],
    ['with the content length 0', { 'content-length': '0' }],
  ])('can be revoked by a request without a body, %s', async (_, headers) => {
    const service = await startTestService();
    const { id } = await createKey(service);
    const url = new URL(`${service.baseUrl}/api_keys?id=${id}`);
    const clientRequest = request(url, {
      method: 'DELETE',
      headers: {
        authorization: `Bearer ${service.adminKey}`,
        'content-type': 'application/json',
        ...headers,
      },
    }).end();
    const [reply] = (await once(clientRequest, 'response')) as [IncomingMessage];
    expect(reply.statusCode).toBe(200);
    expect(JSON.parse((await reply.toArray()).join(''))).toEqual({ success: true });
  });

  test('can be revoked by its id in the request body', async () => {
    const service = await startTestService();
    const { id } = await createKey(service);
    const deletionReply = await callService(service, 'DELETE /api_keys', { body: { id } });
    expect(deletionReply.body).toEqual({ success: true });
    const secondDeletionReply = await callService(service, 'DELETE /api_keys', { body: { id } });
    expect(secondDeletionReply).toMatchObject({
      status: 400,
      body: { error: 'API key could not be found' },
    });
  });

  test('is stored as a hash, so that the state of the service does not contain the secret', async () => {
    const service = await startTestService();
    const { apiKey } = await createKey(service);
    const accountsJson = JSON.stringify(await service.control.getAccounts());
    for (const secret of [apiKey, service.apiKey, service.adminKey]) {
      expect(accountsJson).not.toContain(secret);
      expect(accountsJson).not.toContain(secret.slice(-12));
    }
  });

  test('is invalid and unlisted after its expiry', async () => {
    const service = await startTestService();
    const { control } = service;
    await control.changeClock({ set: '2026-11-20T10:00:00Z' });
    const { apiKey: key, id, expiresAt } = await createKey(service, { expiresAt: '2026-11-21' });
    expect(expiresAt).toBe('2026-11-21T00:00:00.000Z');
    const rateLimitsReply = await callService(service, 'GET /api_keys/rate_limits', { key });
    expect(rateLimitsReply.body.data.keyExpiration).toBe(expiresAt);
    await control.changeClock({ set: '2026-11-20T23:59:50Z' });
    expect((await postChat(service, createChatRequest('Hi'), { key })).status).toBe(200);
    await control.changeClock({ set: '2026-11-21T00:00:00Z' });
    const rejectedReply = await postChat(service, createChatRequest('Hi'), { key });
    expect(rejectedReply.status).toBe(401);
    expect(await rejectedReply.json()).toEqual({ error: 'Authentication failed' });
    const listedKeys = (await callService(service, 'GET /api_keys')).body.data as { id: string }[];
    expect(listedKeys.map((key) => key.id)).not.toContain(id);
  });

  test('keeps each field that an update request omits', async () => {
    const service = await startTestService();
    const initialFields = {
      expiresAt: '2099-01-01',
      consumptionLimit: { usd: 1 },
      limitPeriod: 'EPOCH',
    };
    const { id } = await createKey(service, initialFields);
    const patchKey = async (body: object) =>
      (await callService(service, 'PATCH /api_keys', { body: { id, ...body } })).body;
    const renameReply = await patchKey({ description: 'Rename' });
    expect(renameReply).toMatchObject({
      success: true,
      data: {
        description: 'Rename',
        expiresAt: '2099-01-01T00:00:00.000Z',
        consumptionLimits: { usd: 1, diem: null },
        limitPeriod: 'EPOCH',
      },
    });
    expect(renameReply.data).not.toHaveProperty('usage');
    const limitReply = await patchKey({
      consumptionLimit: { vcu: 2 },
      modelPrivacy: 'PRIVATE_ONLY',
    });
    expect(limitReply.data).toMatchObject({
      consumptionLimits: { usd: null, diem: 2, vcu: 2 },
      modelPrivacy: 'PRIVATE_ONLY',
    });
    const unlimitedReply = await patchKey({ consumptionLimit: null });
    expect(unlimitedReply.data.consumptionLimits).toEqual({ usd: null, diem: null, vcu: null });
    for (const expiresAt of [null, '']) {
      await patchKey({ expiresAt: '2099-01-01' });
      expect((await patchKey({ expiresAt })).data.expiresAt).toBe(null);
    }
    // Only replies use the plural name; requests use `consumptionLimit`.
    expect((await patchKey({ consumptionLimits: { usd: 9 } })).data.consumptionLimits.usd).toBe(
      null,
    );
    const unknownIdReply = await callService(service, 'PATCH /api_keys', { body: { id: 'x' } });
    expect(unknownIdReply).toMatchObject({
      status: 400,
      body: { error: 'API key could not be found' },
    });
  });
});

describe('a request for a new key', () => {
  test.each([
    [
      'an unknown key type',
      { apiKeyType: 'ROOT' },
      "Invalid enum value. Expected 'INFERENCE' | 'ADMIN', received 'ROOT'",
    ],
    ['no key type', { apiKeyType: undefined }, 'Required'],
    ['no description', { description: undefined }, 'Required'],
    [
      'a description of 65 characters',
      { description: 'x'.repeat(65) },
      'String must contain at most 64 character(s)',
    ],
    ['an expiry in the past', { expiresAt: '2020-01-01' }, 'Expiry must be in the future'],
    ['an expiry on February 31', { expiresAt: '2099-02-31' }, 'Invalid date'],
    ['an expiry with a space', { expiresAt: '2099-01-01 10:00' }, 'Invalid date'],
    ['an expiry that is not in UTC', { expiresAt: '2099-01-01T10:00:00+01:00' }, 'Invalid date'],
    ['null as the expiry', { expiresAt: null }, 'Expected string, received null'],
    [
      'a negative spending limit',
      { consumptionLimit: { usd: -1 } },
      'Number must be greater than or equal to 0',
    ],
    [
      'a spending limit above the maximum',
      { consumptionLimit: { usd: 1e10 } },
      'Number must be less than or equal to 9999999999',
    ],
    [
      'a text as a spending limit',
      { consumptionLimit: { diem: '5' } },
      'Expected number, received string',
    ],
    [
      'a number in place of the spending limits',
      { consumptionLimit: 5 },
      'Expected object, received number',
    ],
    [
      'an unknown limit period',
      { limitPeriod: 'WEEK' },
      "Expected 'EPOCH' | 'MONTH' | 'LIFETIME', received 'WEEK'",
    ],
    ['an unknown model privacy', { modelPrivacy: 'SOME' }, "received 'SOME'"],
    [
      'an unknown field',
      { consumptionLimits: {} },
      "Unrecognized key(s) in object: 'consumptionLimits'",
    ],
  ])('is rejected if it contains %s', async (_, fields, message) => {
    const service = await startTestService();
    const body = { apiKeyType: 'INFERENCE', description: 'Mine', ...fields };
    const reply = await callService(service, 'POST /api_keys', { body });
    expect(reply).toMatchObject({ status: 400, body: { error: 'Invalid request parameters' } });
    expect(reply.body.issues).toHaveLength(1);
    expect(reply.body.issues[0].message).toContain(message);
  });

  test.each(['', '2099-01-01', '2099-01-01T10:00:00Z', '2099-01-01T10:00:00.123Z', '2096-02-29'])(
    'is accepted with the expiry "%s"',
    async (expiresAt) => {
      const service = await startTestService();
      const createdKey = await createKey(service, { expiresAt });
      const expected = expiresAt === '' ? null : new Date(expiresAt).toISOString();
      expect(createdKey.expiresAt).toBe(expected);
    },
  );

  test('is rejected after 20 new keys in a minute', async () => {
    const service = await startTestService();
    await service.control.changeClock({ set: '2026-11-20T10:00:00Z' });
    for (let count = 0; count < 20; count++) await createKey(service);
    const body = { apiKeyType: 'INFERENCE', description: '' };
    const rejectedReply = await callService(service, 'POST /api_keys', { body });
    expect(rejectedReply.status).toBe(429);
    expect(Number(rejectedReply.headers.get('retry-after'))).toBe(60);
    await service.control.changeClock({ advance: 60_000 });
    expect((await callService(service, 'POST /api_keys', { body })).status).toBe(200);
  });
});

test('a new key is rejected if its account has 500 active keys', async () => {
  const service = await startTestService();
  const { control } = service;
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const keys = Array.from({ length: 498 }, (_, index) => ({ secret: `key-${index}`, expiresAt }));
  await control.changeAccount({ keys });
  const body = { apiKeyType: 'INFERENCE', description: '' };
  const rejectedReply = await callService(service, 'POST /api_keys', { body });
  expect(rejectedReply).toMatchObject({
    status: 400,
    body: { error: 'An account has at most 500 active API keys' },
  });
  await control.changeClock({ advance: 3_600_000 });
  expect((await callService(service, 'POST /api_keys', { body })).status).toBe(200);
});

describe('the spending limits of a key', () => {
  const secret = 'capped-key';
  const sendChat = async (service: LocalService): Promise<number> =>
    (await postChat(service, createChatRequest('Hi'), { key: secret })).status;

  test.each([
    ['until the day ends', 'EPOCH', '2026-11-29T23:59:50Z', '2026-11-30T00:00:00Z'],
    ['until the month ends', 'MONTH', '2026-11-30T23:59:50Z', '2026-12-01T00:00:00Z'],
    ['for the lifetime of the key', 'LIFETIME', '2027-10-01T00:00:00Z', undefined],
    ['by default for the lifetime of the key', undefined, '2027-10-01T00:00:00Z', undefined],
  ] as const)('apply %s', async (_, limitPeriod, before, after) => {
    const service = await startTestService();
    const { control } = service;
    await control.changeClock({ set: '2026-11-29T10:00:00Z' });
    const limit = { usd: 0, diem: 0.001 };
    await control.changeAccount({
      keys: [{ secret, limit, ...(limitPeriod && { limitPeriod }) }],
    });
    expect(await sendChat(service)).toBe(200);
    expect(await sendChat(service)).toBe(402);
    await control.changeClock({ set: before });
    expect(await sendChat(service)).toBe(402);
    if (after === undefined) return;
    await control.changeClock({ set: after });
    expect(await sendChat(service)).toBe(200);
    const { keys } = await control.getAccounts();
    expect(keys.at(-1)?.spent.diem).toBe(2000);
  });

  test('are listed with the usage in the period and in the last seven days', async () => {
    const service = await startTestService();
    const { control } = service;
    await control.changeClock({ set: '2026-11-20T10:00:00Z' });
    const limit = { usd: 0, diem: 0.001 };
    await control.changeAccount({ keys: [{ secret, id: 'capped', limit, limitPeriod: 'EPOCH' }] });
    const readUsage = async () => {
      const { data } = (await callService(service, 'GET /api_keys/capped')).body;
      return [data.currentPeriodUsage.diem, data.usage.trailingSevenDays.diem];
    };
    await sendChat(service);
    expect(await readUsage()).toEqual(['0.0010', '0.0010']);
    await control.changeClock({ set: '2026-11-26T10:00:00Z' });
    await sendChat(service);
    expect(await readUsage()).toEqual(['0.0010', '0.0020']);
    await control.changeClock({ set: '2026-11-27T10:00:00Z' });
    expect(await readUsage()).toEqual(['0.0000', '0.0010']);
  });

  test('are not exceeded by 50 concurrent requests', async () => {
    const service = await startTestService();
    const { control } = service;
    await control.setLimits({ rpm: 1000, tpm: 1e9 });
    await control.changeAccount({ usd: 1, bundled: 0.004, stakedDiem: 0.1 });
    const limit = { usd: 0.005, diem: 0.01 };
    await control.changeAccount({ keys: [{ secret, id: 'capped', limit }] });
    const statuses = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const reply = await postChat(service, createChatRequest(`Q ${index}`, { stream: true }), {
          key: secret,
        });
        await reply.text();
        return reply.status;
      }),
    );
    // The service blocks a caller after 20 failures, so the test waits for the end of the block.
    await control.changeClock({ advance: 30_000 });
    expect(await sendChat(service)).toBe(402);
    const { charges, keys } = await control.getAccounts();
    const spentAmounts = keys.find(({ id }) => id === 'capped')!.spent;
    expect(spentAmounts).toEqual({ diem: 10_000, bundled: 4000, usd: 1000 });
    expect(charges).toHaveLength(statuses.filter((status) => status === 200).length);
    for (const source of ['diem', 'bundled', 'usd'] as const) {
      expect(charges.reduce((sum, charge) => sum + charge[source], 0)).toBe(spentAmounts[source]);
    }
  });
});

test.each([
  ['ALL', 'all models', [200, 200, 200, 200]],
  ['PRIVATE_TEXT', 'private text models and all image models', [200, 403, 200, 200]],
  ['PRIVATE_ONLY', 'private models', [200, 403, 200, 403]],
] as const)(
  'a key with the model privacy %s is accepted exactly for %s',
  async (modelPrivacy, _, statuses) => {
    const service = await startTestService();
    await service.control.changeAccount({ keys: [{ secret: 'private-key', modelPrivacy }] });
    const init = { key: 'private-key' };
    const { data } = (await callService(service, 'GET /models?type=all')).body as {
      data: { id: string; type: string; model_spec: { privacy: string; offline: boolean } }[];
    };
    const findModelId = (type: string, privacy: string): string =>
      data.find(
        ({ id, ...model }) =>
          model.type === type &&
          model.model_spec.privacy === privacy &&
          !/absent|frontier|print/.test(id),
      )!.id;
    const replies = [
      await postChat(
        service,
        createChatRequest('Hi', { model: findModelId('text', 'private') }),
        init,
      ),
      await postChat(
        service,
        createChatRequest('Hi', { model: findModelId('text', 'anonymized') }),
        init,
      ),
      await postImage(service, { model: findModelId('image', 'private') }, init),
      await postImage(service, { model: findModelId('image', 'anonymized') }, init),
    ];
    expect(replies.map(({ status }) => status)).toEqual(statuses);
  },
);

test.each([
  ['ALL', false, false],
  ['PRIVATE_TEXT', true, false],
  ['PRIVATE_ONLY', true, true],
] as const)(
  'the model list for a key with the model privacy %s contains only models that the key can use',
  async (modelPrivacy, isTextPrivate, isAllPrivate) => {
    const service = await startTestService();
    await service.control.changeAccount({ keys: [{ secret: 'private-key', modelPrivacy }] });
    const list = async (path: string) =>
      (await callService(service, `GET ${path}`, { key: 'private-key' })).body.data;
    const models = (await list('/models?type=all')) as ModelRecord[];
    const isPrivate = ({ model_spec }: ModelRecord): boolean => model_spec.privacy === 'private';
    expect(models.filter(({ type }) => type === 'text').every(isPrivate)).toBe(isTextPrivate);
    expect(models.filter(({ type }) => type !== 'text').every(isPrivate)).toBe(isAllPrivate);
    expect(models.some(({ type }) => type === 'image')).toBe(true);
    for (const type of ['text', 'image']) {
      const ids = models.filter((model) => model.type === type).map(({ id }) => id);
      const traits = (await list(`/models/traits?type=${type}`)) as Record<string, string>;
      expect(ids).toEqual(expect.arrayContaining(Object.values(traits)));
    }
    const limits = (await list('/api_keys/rate_limits')) as {
      rateLimits: { apiModelId: string }[];
    };
    expect(models.map(({ id }) => id)).toEqual(
      expect.arrayContaining(limits.rateLimits.map(({ apiModelId }) => apiModelId)),
    );
  },
);

test('the rejection log contains requests that exceed a rate limit', async () => {
  const service = await startTestService();
  await service.control.setLimits({ rpm: 1, tpm: 1000 });
  for (let count = 0; count < 2; count++) await postChat(service, createChatRequest('Hi'));
  const { body } = await callService(service, 'GET /api_keys/rate_limits/log');
  expect(body).toEqual({
    object: 'list',
    data: [
      {
        apiKeyId: expect.stringMatching(uuidPattern),
        modelId: 'assistant-large-480b',
        rateLimitTier: expect.any(String),
        rateLimitType: 'RPM',
        timestamp: expect.any(String),
      },
    ],
  });
});

test('the rejection log contains the block of a key after too many failed requests', async () => {
  const service = await startTestService();
  for (let count = 0; count < 52; count++) await postChat(service, {});
  const { data } = (await callService(service, 'GET /api_keys/rate_limits/log')).body;
  expect(data).toMatchObject([{ modelId: null, rateLimitType: 'FAILED_REQUESTS' }]);
});

describe('the billing API', () => {
  async function startUsedService() {
    const service = await startTestService();
    const { control } = service;
    await control.setLimits({ rpm: 1000, tpm: 1e9 });
    await control.changeClock({ set: '2026-11-20T10:00:00Z' });
    await control.changeAccount({ stakedDiem: 0.1, bundled: 0, usd: 1 });
    const steps = [{ content: 'x' }];
    const usage = { prompt_tokens: 0, completion_tokens: 1e5 };
    await control.addScripts({ steps, usage, times: 2 });
    const chatRequest = createChatRequest('Hi', { model: 'vision-plain-32b' });
    await postChat(service, chatRequest);
    await control.changeClock({ set: '2026-11-20T11:00:00Z' });
    await postChat(service, chatRequest);
    return service;
  }

  test('returns the balance and the currency of the next charge', async () => {
    const service = await startTestService();
    const fundedBalance = (await callService(service, 'GET /billing/balance')).body;
    expect(fundedBalance).toEqual({
      canConsume: true,
      consumptionCurrency: 'DIEM',
      balances: { diem: 5, usd: 50, bundledCredits: 10 },
      diemEpochAllocation: 5,
    });
    await service.control.changeAccount({ usd: 0.09, bundled: 0, stakedDiem: 0 });
    const lowBalance = (await callService(service, 'GET /billing/balance')).body;
    expect(lowBalance).toEqual({
      canConsume: false,
      consumptionCurrency: 'USD',
      balances: { diem: null, usd: 0.09, bundledCredits: 0 },
      diemEpochAllocation: 0,
    });
  });

  test('lists the history newest first, with one row per currency of a charge', async () => {
    const service = await startUsedService();
    const { body } = await callService(service, 'GET /billing/usage-history');
    const rows = body.data as { timestamp: string; currency: string; amount: number }[];
    expect(rows.map(({ currency, amount }) => [currency, amount])).toEqual([
      ['USD', -0.15],
      ['USD', -0.05],
      ['DIEM', -0.1],
    ]);
    expect(rows[0]!.timestamp).toMatch(/^2026-11-20T11:00/);
    expect(body).toMatchObject({ nextCursor: null, data: [{ notes: 'API Inference' }, {}, {}] });
    const query = 'currency=USD&endTimestamp=2026-11-20T10:30:00Z';
    const filteredHistory = (await callService(service, `GET /billing/usage-history?${query}`))
      .body;
    expect(filteredHistory.data).toMatchObject([{ amount: -0.05 }]);
    const tableReply = await callService(service, 'GET /billing/usage-history', {
      headers: { accept: 'text/csv' },
    });
    expect(tableReply.text.split('\n')).toHaveLength(5);
    expect(tableReply.headers.get('content-disposition')).toContain('usage.csv');
  });

  test('returns the history in pages', async () => {
    const service = await startTestService();
    await service.control.setLimits({ rpm: 1000, tpm: 1e9 });
    await Promise.all(Array.from({ length: 25 }, () => postChat(service, createChatRequest('Hi'))));
    const sizes: number[] = [];
    let query = 'pageSize=10';
    while (query !== '') {
      const { body } = await callService(service, `GET /billing/usage-history?${query}`);
      sizes.push(body.data.length);
      query = body.nextCursor === null ? '' : `cursor=${body.nextCursor}`;
    }
    expect(sizes).toEqual([10, 10, 5]);
  });

  test.each([
    'usage-history?pageSize=9',
    'usage-history?pageSize=1001',
    'usage-history?startTimestamp=yesterday',
    'usage-history?currency=EUR',
    'usage-history?cursor=e30',
    'usage-history?cursor=!&pageSize=10',
    'usage-analytics?lookback=91d',
    'usage-analytics?lookback=week',
    'usage-analytics?lookback=0d',
    'usage-analytics?startDate=2026-01-02&endDate=2026-01-01',
    'usage-analytics?startDate=2026-01-02',
  ])('rejects the invalid parameters in the path %s', async (path) => {
    const service = await startTestService();
    const reply = await callService(service, `GET /billing/${path}`);
    expect(reply).toMatchObject({ status: 400, body: { error: 'Invalid request parameters' } });
  });

  test('returns the total usage by day, model and key', async () => {
    const service = await startUsedService();
    const { body } = await callService(service, 'GET /billing/usage-analytics');
    const sum = { USD: 0.2, DIEM: 0.1 };
    expect(body).toMatchObject({
      lookback: '7d',
      byDate: [{ date: '2026-11-20', ...sum }],
      byModel: [{ model: 'vision-plain-32b', ...sum }],
      byModelDaily: [{ date: '2026-11-20', model: 'vision-plain-32b', ...sum }],
      topModels: ['vision-plain-32b'],
      byKey: [{ name: 'Main', ...sum }],
      byKeyDaily: [{ date: '2026-11-20', name: 'Main', ...sum }],
      topKeyNames: ['Main'],
    });
    const earlierSpan = 'startDate=2026-11-01&endDate=2026-11-19';
    const emptyAnalytics = (
      await callService(service, `GET /billing/usage-analytics?${earlierSpan}`)
    ).body;
    expect(emptyAnalytics).toMatchObject({ lookback: null, byDate: [], byKey: [] });
  });

  test('sorts the daily totals by date', async () => {
    const service = await startTestService();
    for (const day of ['18', '19', '20']) {
      await service.control.changeClock({ set: `2026-11-${day}T10:00:00Z` });
      for (let count = 0; count < Number(day) % 3; count++)
        await postChat(service, createChatRequest('Hi'));
    }
    const { byDate } = (await callService(service, 'GET /billing/usage-analytics')).body;
    const dates = (byDate as { date: string }[]).map(({ date }) => date);
    expect(dates).toEqual(['2026-11-19', '2026-11-20']);
  });

  test('returns 410 for the former usage endpoint', async () => {
    const service = await startTestService();
    const { status, headers } = await callService(service, 'GET /billing/usage');
    expect(status).toBe(410);
    for (const name of ['deprecation', 'sunset', 'link']) expect(headers.get(name)).toBeTruthy();
  });
});
