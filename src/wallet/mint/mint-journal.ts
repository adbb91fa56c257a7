import { keccak256, stringToHex } from 'viem';
import type { Address, Hash } from '../chain.ts';

/** A request for a key that was sent, or is about to be. Nothing in it is secret. */
export interface MintEntry {
  readonly address: Address;
  /** Of the token; tells tries apart. */
  readonly tokenHash: Hash;
  /** Milliseconds since the Unix epoch. */
  readonly time: number;
}

/** Outlives a crash between the request for a key and the moment when the key is safe. */
export interface MintJournal {
  /** Resolves once the entry is handed to what outlives the crash. */
  begin(entry: MintEntry): Promise<void>;
  /** No key came of it, or the key is safe. */
  end(entry: MintEntry): Promise<void>;
}

export const tokenHash = (token: string): Hash => keccak256(stringToHex(token));
