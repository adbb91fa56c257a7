import { expect, test } from 'vitest';
import { createScriptedService } from '../../test/support/scripted-transport.ts';
import { getRateLimits } from './api-keys.ts';

const signal = new AbortController().signal;
const readLimits = (json: unknown) =>
  getRateLimits(createScriptedService({ body: [JSON.stringify(json)] }).context, { signal });

test('getRateLimits reads the permission and balances of a key', async () => {
  const data = {
    accessPermitted: false,
    apiTier: { id: 'paid', isCharged: true },
    balances: { USD: 1.5, DIEM: 0, BUNDLED_CREDITS: 7 },
    keyExpiration: null,
    nextEpochBegins: '2026-11-22T00:00:00.000Z',
    rateLimits: [{ apiModelId: 'm', rateLimits: [{ type: 'RPM', amount: 20 }, { type: 7 }] }],
  };
  expect(await readLimits({ data })).toEqual({
    isAccessPermitted: false,
    balances: { usd: 1.5, diem: 0, bundled: 7 },
  });
});

test.each([{}, { data: {} }, { data: { balances: [], rateLimits: 7 } }])(
  'getRateLimits returns no permission and no balances for the malformed response %j',
  async (json) => {
    expect(await readLimits(json)).toEqual({
      isAccessPermitted: true,
      balances: {},
    });
  },
);
