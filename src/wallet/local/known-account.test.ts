import { expect, test } from 'vitest';
import { decodeKnownAccounts, type KnownAccount, putAccountFirst } from './known-account.ts';

const first = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const second = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

test('decodeKnownAccounts restores stored accounts', () => {
  const accounts: KnownAccount[] = [
    { kind: 'browser', address: first },
    { kind: 'keystore', address: second, file: 'file:///home/me/key.json' },
    { kind: 'private-key', address: first },
    { kind: 'mnemonic', address: second },
  ];
  expect(decodeKnownAccounts(accounts)).toEqual(accounts);
});

test.each([
  undefined,
  'canary',
  { kind: 'browser', address: first },
  [null],
  [{ kind: 'browser' }],
  [{ kind: 'browser', address: '0x1' }],
  [{ kind: 'other', address: first }],
  [{ kind: 'keystore', address: first }],
  [{ kind: 'keystore', address: first, file: 'x'.repeat(5_000) }],
])('decodeKnownAccounts returns no accounts for the stored value %j', (value) => {
  expect(decodeKnownAccounts(value)).toEqual([]);
});

test('decodeKnownAccounts restores only the known fields of an account', () => {
  const [account] = decodeKnownAccounts([
    { kind: 'private-key', address: first.toLowerCase(), key: 'canary' },
  ]);
  expect(account).toEqual({ kind: 'private-key', address: first });
});

test('putAccountFirst moves the current account to the front without duplicates and stores at most 20 accounts', () => {
  const manyAccounts = Array.from({ length: 20 }, (_, index): KnownAccount => ({
    kind: 'browser',
    address: `0x${String(index).padStart(40, '0')}`,
  }));
  const localAccount: KnownAccount = { kind: 'private-key', address: first };
  const after = putAccountFirst(putAccountFirst(manyAccounts, localAccount), {
    kind: 'mnemonic',
    address: first,
  });
  expect(after).toHaveLength(20);
  expect(after.slice(0, 2)).toEqual([{ kind: 'mnemonic', address: first }, manyAccounts[0]]);
});
