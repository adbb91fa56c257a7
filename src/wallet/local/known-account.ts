import { getAddress } from 'viem';
import { isRecord, listRetainedEntries } from '../../base/json.ts';
import type { Address } from '../chain.ts';

/** Stored form of an account that the user has connected. Contains no secrets. */
export type KnownAccount = BrowserAccount | LocalAccount;

/** An account whose key is in the user's browser wallet. */
export interface BrowserAccount {
  readonly kind: 'browser';
  readonly address: Address;
}

/** An account whose key is on this machine. */
export type LocalAccount = KeystoreAccount | StoredAccount;

/** An account whose key is in a password-protected file. */
export interface KeystoreAccount {
  readonly kind: 'keystore';
  readonly address: Address;
  /** URI of the keystore file. */
  readonly file: string;
}

/** An account whose key is in VS Code's secret storage. */
export interface StoredAccount {
  readonly kind: 'private-key' | 'mnemonic';
  readonly address: Address;
}

/** Maximum number of stored accounts. The least recently used accounts are dropped. */
const maxAccounts = 20;

/** Decodes the stored accounts. The current account comes first; invalid entries are skipped. */
export function decodeKnownAccounts(value: unknown): KnownAccount[] {
  const entries: readonly unknown[] = Array.isArray(value) ? value.slice(0, maxAccounts) : [];
  return entries.map(decodeKnownAccount).filter((account) => account !== undefined);
}

/**
 * Returns the stored list with the account as its first entry and without duplicates of this account. Other entries do
 * not change, except that the list is truncated to {@link maxAccounts}.
 */
export const putAccountFirst = (storedValue: unknown, account: KnownAccount): readonly unknown[] =>
  [account, ...removeAccount(storedValue, account)].slice(0, maxAccounts);

/** Returns the stored list without the account. Other entries do not change, even if they are invalid. */
export const removeAccount = (storedValue: unknown, account: KnownAccount): readonly unknown[] =>
  listRetainedEntries(storedValue, (entry) => {
    const knownAccount = decodeKnownAccount(entry);
    return knownAccount !== undefined && isSameAccount(knownAccount, account);
  });

/**
 * Checks whether two accounts are equal. An address in a browser wallet and the same address on this machine count as
 * two accounts.
 */
export const isSameAccount = (a: KnownAccount, b: KnownAccount): boolean =>
  a.address === b.address && (a.kind === 'browser') === (b.kind === 'browser');

function decodeKnownAccount(value: unknown): KnownAccount | undefined {
  if (!isRecord(value)) return undefined;
  const { kind, address: addressText, file } = value;
  if (typeof addressText !== 'string' || !/^0x[\da-f]{40}$/i.test(addressText)) return undefined;
  const address = getAddress(addressText);
  switch (kind) {
    case 'browser':
    case 'private-key':
    case 'mnemonic':
      return { kind, address };
    case 'keystore':
      return typeof file === 'string' && file.length <= 4_096 ? { kind, address, file } : undefined;
    default:
      return undefined;
  }
}
