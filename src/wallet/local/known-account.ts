import { getAddress } from 'viem';
import { isRecord } from '../../base/json.ts';
import { otherEntries } from '../../base/stored-list.ts';
import type { Address } from '../chain.ts';

/** An account that the person has used, as it is remembered: nothing in it is secret. */
export type KnownAccount = BrowserAccount | LocalAccount;

/** Its key is in the person's wallet. */
export interface BrowserAccount {
  readonly kind: 'browser';
  readonly address: Address;
}

/** Its key is on this machine. */
export type LocalAccount = KeystoreAccount | StoredAccount;

/** The key is in a file, under a password. */
export interface KeystoreAccount {
  readonly kind: 'keystore';
  readonly address: Address;
  /** URI of the file. */
  readonly file: string;
}

/** The key is in the editor's secret storage. */
export interface StoredAccount {
  readonly kind: 'private-key' | 'mnemonic';
  readonly address: Address;
}

/** So many are remembered; those used longest ago go first. */
const limit = 20;

/** What was remembered, the account in use first. Whatever is not an account is left out. */
export function decodeKnownAccounts(value: unknown): KnownAccount[] {
  const entries: readonly unknown[] = Array.isArray(value) ? value.slice(0, limit) : [];
  return entries.map(decodeKnownAccount).filter((account) => account !== undefined);
}

/** Puts the account first, once. The other entries of the stored list stay as they are. */
export const putAccountFirst = (stored: unknown, account: KnownAccount): readonly unknown[] =>
  [account, ...removeAccount(stored, account)].slice(0, limit);

/** Removes the account. The other entries of the stored list stay as they are. */
export const removeAccount = (stored: unknown, account: KnownAccount): readonly unknown[] =>
  otherEntries(stored, (entry) => {
    const known = decodeKnownAccount(entry);
    return known !== undefined && isSameAccount(known, account);
  });

/** One address can be in a wallet and on this machine: these are two. */
export const isSameAccount = (a: KnownAccount, b: KnownAccount): boolean =>
  a.address === b.address && (a.kind === 'browser') === (b.kind === 'browser');

function decodeKnownAccount(value: unknown): KnownAccount | undefined {
  if (!isRecord(value)) return undefined;
  const { kind, address: text, file } = value;
  if (typeof text !== 'string' || !/^0x[\da-f]{40}$/i.test(text)) return undefined;
  const address = getAddress(text);
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
