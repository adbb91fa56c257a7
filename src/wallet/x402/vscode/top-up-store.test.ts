import { expect, test } from 'vitest';
import type { TopUpRecord } from '../signed-top-up.ts';
import { topUpRecord } from '../top-up-record.fixture.ts';
import { TopUpStore } from './top-up-store.ts';

function createStore(values = new Map<string, unknown>()): TopUpStore {
  return new TopUpStore({
    keys: () => [...values.keys()],
    get: (name: string) => values.get(name),
    update: async (name: string, value: unknown) => {
      if (value === undefined) values.delete(name);
      else values.set(name, value);
    },
  } as never);
}

test('TopUpStore retains the payee of a signed payment after the payment’s record is removed', async () => {
  const store = createStore();
  expect(store.getPayee(topUpRecord)).toBeUndefined();
  await store.add(topUpRecord);
  expect(store.list()).toEqual([topUpRecord]);
  await store.remove(topUpRecord);
  expect(store.list()).toEqual([]);
  expect(store.getPayee(topUpRecord)).toBe(topUpRecord.to);
});

test.each<[string, Partial<TopUpRecord>]>([
  ['another service', { origin: 'https://other.test' }],
  ['another chain', { chainId: 1 }],
  ['another token', { asset: '0x0000000000000000000000000000000000000aaa' }],
])('TopUpStore returns no stored payee for %s', async (_name, change) => {
  const store = createStore();
  await store.add(topUpRecord);
  expect(store.getPayee({ ...topUpRecord, ...change })).toBeUndefined();
});
