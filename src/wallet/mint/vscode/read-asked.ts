import type { JsonRecord } from '../../../base/json.ts';
import { type ReadOptions, readMintOptions, recommendedOptions } from '../mint-options.ts';

/** What a program asks for, as far as it could be read. */
interface AskedMint {
  readonly read: ReadOptions;
  /** Of a keystore file; absent when the environment names the account. */
  readonly keystore?: string;
  /** Whether the editor is to keep the key. */
  readonly stores: boolean;
}

/**
 * Reads what a program asks for, with what is recommended in place of what it leaves out.
 * @param now Milliseconds since the Unix epoch.
 */
export function readAsked(asked: JsonRecord, now: number): AskedMint {
  const { keystore, store, ...fields } = asked;
  const read = readMintOptions({ ...recommendedOptions(now, 'Editor'), ...fields }, now);
  const isPath = typeof keystore === 'string' && keystore !== '';
  return { read, stores: store !== false, ...(isPath ? { keystore } : {}) };
}
