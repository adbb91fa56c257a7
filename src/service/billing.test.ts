import { expect, test } from 'vitest';
import { createScriptedService } from '../../test/support/scripted-transport.ts';
import { getBalance, getDailyUsage } from './billing.ts';

const { signal } = new AbortController();
const createContext = (json: unknown) =>
  createScriptedService({ body: [JSON.stringify(json)] }).context;

test.each([
  [
    'all balances of a complete response',
    {
      canConsume: true,
      consumptionCurrency: 'DIEM',
      balances: { diem: 90.5, usd: 25, bundledCredits: 0.1 },
      diemEpochAllocation: 100,
    },
    {
      diem: 90_500_000_000n,
      usd: 25_000_000_000n,
      bundled: 100_000_000n,
      diemAllocation: 100_000_000_000n,
    },
  ],
  [
    'no balances from a response with invalid values',
    { canConsume: 'yes', balances: { diem: null, usd: -1 } },
    {},
  ],
  [
    'the balance `vcu` of a nested response as DIEM',
    { data: { canConsume: true, balances: { vcu: '1.5' } } },
    { diem: 1_500_000_000n },
  ],
])('getBalance reads %s', async (_name, json, balance) => {
  expect(await getBalance(createContext(json), { signal })).toEqual(balance);
});

test.each([null, [], {}, { balances: 7 }])(
  'getBalance rejects %j as an account balance',
  async (json) => {
    await expect(getBalance(createContext(json), { signal })).rejects.toMatchObject({
      failure: { code: 'unexpected-response' },
    });
  },
);

test('getDailyUsage returns daily usage sorted by date and skips invalid entries', async () => {
  const byDate = [
    { date: '2026-11-21', USD: 1.5, DIEM: 0 },
    { date: '2026-11-20T00:00:00.000Z', USD: '0.25', DIEM: 2 },
    { date: 'yesterday', USD: 1 },
    7,
  ];
  expect(
    await getDailyUsage(createContext({ lookback: '7d', byDate }), { days: 7, signal }),
  ).toEqual([
    { date: '2026-11-20', usd: 250_000_000n, diem: 2_000_000_000n },
    { date: '2026-11-21', usd: 1_500_000_000n, diem: 0n },
  ]);
});

test.each([
  [0, '1d'],
  [7.9, '7d'],
  [1_000, '90d'],
])('getDailyUsage, given %s days, requests usage with the lookback %s', async (days, lookback) => {
  const { context, requests } = createScriptedService({ body: ['{"byDate":[]}'] });
  expect(await getDailyUsage(context, { days, signal })).toEqual([]);
  expect(requests[0]?.url.searchParams.get('lookback')).toBe(lookback);
});

test.each([null, {}, { byDate: {} }])('getDailyUsage rejects %j as daily usage', async (json) => {
  await expect(getDailyUsage(createContext(json), { days: 7, signal })).rejects.toMatchObject({
    failure: { code: 'unexpected-response' },
  });
});
