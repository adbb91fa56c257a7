import { expect, test } from 'vitest';
import { createScriptedService } from '../../test/support/scripted-transport.ts';
import { listApiKeys, revokeApiKey, updateApiKey } from './api-keys.ts';
import { ServiceError } from './http/failure.ts';

const { signal } = new AbortController();
const listKeys = (json: unknown) =>
  listApiKeys(createScriptedService({ body: [JSON.stringify(json)] }).context, { signal });

const completeRecord = {
  id: '7f1c',
  apiKeyType: 'INFERENCE',
  description: 'This laptop',
  createdAt: '2026-11-01T10:00:00.000Z',
  expiresAt: '2027-02-01T00:00:00.000Z',
  lastUsedAt: null,
  last6Chars: 'a1b2c3',
  consumptionLimits: { usd: 5, diem: null, vcu: null },
  limitPeriod: 'MONTH',
  modelPrivacy: 'ALL',
  usage: { trailingSevenDays: { usd: '0.1230', vcu: '0.0000', diem: '2.5000' } },
  currentPeriodUsage: { usd: '1.2500', diem: '0.0000' },
};

test('listApiKeys reads a complete key record', async () => {
  expect(await listKeys({ object: 'list', data: [completeRecord] })).toEqual([
    {
      id: '7f1c',
      type: 'INFERENCE',
      description: 'This laptop',
      createdAt: '2026-11-01T10:00:00.000Z',
      expiresAt: '2027-02-01T00:00:00.000Z',
      last6: 'a1b2c3',
      consumptionLimit: { usd: 5 },
      limitPeriod: 'MONTH',
      modelPrivacy: 'ALL',
      weekUsage: { usd: 123_000_000n, diem: 2_500_000_000n },
      periodUsage: { usd: 1_250_000_000n, diem: 0n },
    },
  ]);
});

const minimalKey = { id: 'k', type: 'INFERENCE', weekUsage: { usd: 0n, diem: 0n } };

test.each([
  [{ id: 'k' }, minimalKey],
  [
    { id: 'k', usage: 7, currentPeriodUsage: [], consumptionLimits: 'all', createdAt: 7 },
    minimalKey,
  ],
  [{ id: 'k', usage: { trailingSevenDays: { usd: '-1', diem: '1e99' } } }, minimalKey],
  [
    { id: 'k', expiresAt: 'soon', limitPeriod: 'WEEK', apiKeyType: 'ROOT', last6Chars: 7 },
    minimalKey,
  ],
  [
    { id: 'k', description: `a\n\u202eb${'x'.repeat(5_000)}` },
    { ...minimalKey, description: `a b${'x'.repeat(125)}` },
  ],
  [
    { id: 'k', consumptionLimits: { vcu: 2 } },
    { ...minimalKey, consumptionLimit: { diem: 2 } },
  ],
])('listApiKeys reads the key record %j, omitting invalid fields', async (key, expected) => {
  expect(await listKeys({ data: [key] })).toEqual([expected]);
});

test.each([{}, { id: 7 }, { id: '' }, null, 'key'])(
  'listApiKeys skips the invalid key record %j',
  async (key) => {
    expect(await listKeys({ data: [key] })).toEqual([]);
  },
);

test('listApiKeys reads at most 1,000 keys', async () => {
  const data = Array.from({ length: 5_000 }, (_, index) => ({ id: `k${index}` }));
  expect(await listKeys({ data })).toHaveLength(1_000);
});

test.each([null, 7, [], {}, { data: {} }])('listApiKeys rejects %j as a key list', async (json) => {
  await expect(listKeys(json)).rejects.toMatchObject({ failure: { code: 'unexpected-response' } });
});

test('updateApiKey sends only the changed fields of a key, and sends a changed limit for both currencies', async () => {
  const { context, requests } = createScriptedService({ body: ['{"success":true}'] });
  const change = {
    description: 'CI',
    consumptionLimit: { diem: 2 },
    limitPeriod: 'EPOCH',
  } as const;
  await updateApiKey(context, { id: 'k', ...change, expiresAt: '' }, { signal });
  await updateApiKey(context, { id: 'k', description: 'CI' }, { signal });
  expect(requests.map(({ method, body }) => [method, JSON.parse(String(body))])).toEqual([
    [
      'PATCH',
      {
        id: 'k',
        description: 'CI',
        limitPeriod: 'EPOCH',
        expiresAt: '',
        consumptionLimit: { usd: null, diem: 2 },
      },
    ],
    ['PATCH', { id: 'k', description: 'CI' }],
  ]);
});

test('revokeApiKey sends the id of the key to revoke as an encoded query parameter', async () => {
  const { context, requests } = createScriptedService({ body: ['{"success":true}'] });
  await revokeApiKey(context, 'a&b=/../c', { signal });
  expect(requests.map(({ method, url }) => [method, url.searchParams.get('id')])).toEqual([
    ['DELETE', 'a&b=/../c'],
  ]);
  expect(requests[0]?.url.pathname).toBe('/api/v1/api_keys');
});

test('listApiKeys fails with the code "forbidden" and the service’s error message if the key lacks admin access', async () => {
  const { context } = createScriptedService({
    status: 401,
    body: ['{"error":"Admin API key required"}'],
  });
  const error = await listApiKeys(context, { signal }).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(ServiceError);
  expect(error).toMatchObject({
    failure: { code: 'forbidden', detail: 'Admin API key required' },
  });
});

test('updateApiKey names the rejected option in its error, and sends no option that the caller omits', async () => {
  const message = "Unrecognized key(s) in object: 'limitPeriod'";
  const refusal = { status: 400, body: [JSON.stringify({ error: message })] };
  const { context, requests } = createScriptedService(refusal, { body: ['{"success":true}'] });
  const change = { id: 'k', consumptionLimit: { usd: 2 }, limitPeriod: 'EPOCH' } as const;
  await expect(updateApiKey(context, change, { signal })).rejects.toMatchObject({
    failure: { code: 'unsupported-option', refusedField: 'api-key.limitPeriod' },
  });
  await updateApiKey(context, change, { signal, omittedOptions: ['limitPeriod'] });
  expect(JSON.parse(String(requests[1]?.body))).toEqual({
    id: 'k',
    consumptionLimit: { usd: 2, diem: null },
  });
  await updateApiKey(context, change, { signal, omittedOptions: ['consumptionLimit'] });
  expect(requests).toHaveLength(2);
});
