import { expect, test } from 'vitest';
import { decodeKnownAccounts, type KnownAccount, putAccountFirst } from './known-account.ts';

const firstAddress = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const secondAddress = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

test('decodeKnownAccounts restores stored accounts', () => {
  const accounts: KnownAccount[] = [
    { kind: 'browser', address: firstAddress },
    { kind: 'keystore', address: secondAddress, file: 'file:///home/me/key.json' },
    { kind: 'private-key', address: firstAddress },
    { kind: 'mnemonic', address: secondAddress },
  ];
  expect(decodeKnownAccounts(accounts)).toEqual(accounts);
});

test.each([
  undefined,
  'canary',
  { kind: 'browser', address: firstAddress },
  [null],
  [{ kind: 'browser' }],
  [{ kind: 'browser', address: '0x1' }],
  [{ kind: 'other', address: firstAddress }],
  [{ kind: 'keystore', address: firstAddress }],
  [{ kind: 'keystore', address: firstAddress, file: 'x'.repeat(5_000) }],
])('decodeKnownAccounts returns no accounts for the stored value %j', (value) => {
  expect(decodeKnownAccounts(value)).toEqual([]);
});

test('decodeKnownAccounts restores only the known fields of an account', () => {
  const [account] = decodeKnownAccounts([
    { kind: 'private-key', address: firstAddress.toLowerCase(), key: 'canary' },
  ]);
  expect(account).toEqual({ kind: 'private-key', address: firstAddress });
});

test('putAccountFirst moves the current account to the front without duplicates and stores at most 20 accounts', () => {
  const manyAccounts = Array.from({ length: 20 }, (_, index): KnownAccount => ({
    kind: 'browser',
    address: `0x${String(index).padStart(40, '0')}`,
  }));
  const localAccount: KnownAccount = { kind: 'private-key', address: firstAddress };
  const accounts = putAccountFirst(putAccountFirst(manyAccounts, localAccount), {
    kind: 'mnemonic',
    address: firstAddress,
  });
  expect(accounts).toHaveLength(20);
  expect(accounts.slice(0, 2)).toEqual([
    { kind: 'mnemonic', address: firstAddress },
    manyAccounts[0],
  ]);
});
