import { expect, test } from 'vitest';
import type { TopUpRecord } from '../signed-top-up.ts';
import { TopUpStore } from './top-up-store.ts';

const record: TopUpRecord = {
  origin: 'https://api.service.test',
  chainId: 31_337,
  asset: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
  symbol: 'USDC',
  decimals: 6,
  from: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  to: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  value: 10_000_000n,
  nonce: `0x${'1a'.repeat(32)}`,
  validBefore: 1_700_000_300n,
  block: 7n,
};

function storeOf(values = new Map<string, unknown>()): TopUpStore {
  return new TopUpStore({
    keys: () => [...values.keys()],
    get: (name: string) => values.get(name),
    update: async (name: string, value: unknown) => {
      if (value === undefined) values.delete(name);
      else values.set(name, value);
    },
  } as never);
}

test('TopUpStore remembers the payee of a signed payment after its record is removed', async () => {
  const store = storeOf();
  expect(store.getPayee(record)).toBeUndefined();
  await store.add(record);
  expect(store.list()).toEqual([record]);
  await store.remove(record);
  expect(store.list()).toEqual([]);
  expect(store.getPayee(record)).toBe(record.to);
});

test.each<[string, Partial<TopUpRecord>]>([
  ['another service', { origin: 'https://other.test' }],
  ['another chain', { chainId: 1 }],
  ['another token', { asset: '0x0000000000000000000000000000000000000aaa' }],
])('TopUpStore returns no stored payee for %s', async (_name, change) => {
  const store = storeOf();
  await store.add(record);
  expect(store.getPayee({ ...record, ...change })).toBeUndefined();
});
