import { isRecord, numberOr, parseJson, stringOr } from '../base/json.ts';
import type { Model } from '../service/model-types.ts';
import { decodeCachedModel } from './cached-model.ts';

/** The last known answer of one address, as kept on disk. */
export interface CacheRecord {
  /** Whole base address; a record of another address is of no use. */
  readonly baseUrl: string;
  /** Milliseconds since the epoch. */
  readonly fetchedAt: number;
  readonly models: readonly Model[];
}

const version = 1;

export const encodeCacheRecord = (record: CacheRecord): string =>
  JSON.stringify({ version, ...record });

/** `undefined` for anything but a record of this version; models that are not models are left out. */
export function decodeCacheRecord(text: string): CacheRecord | undefined {
  const record = parseJson(text);
  if (!isRecord(record) || record['version'] !== version || !Array.isArray(record['models'])) {
    return undefined;
  }
  return {
    baseUrl: stringOr(record['baseUrl'], ''),
    fetchedAt: numberOr(record['fetchedAt'], 0),
    models: record['models'].map(decodeCachedModel).filter((model) => model !== undefined),
  };
}
