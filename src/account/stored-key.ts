import { isRecord, parseJson } from '../base/json.ts';
import { isApiKey } from '../service/http/api-key.ts';

/** A key together with the only origin it may be sent to. */
export interface BoundKey {
  readonly origin: string;
  readonly key: string;
}

const version = 1;

/** The text kept in secret storage: one small record, so that it is written as a whole. */
export const encodeStoredKey = ({ origin, key }: BoundKey): string =>
  JSON.stringify({ version, origin, key });

/** Reads what {@link encodeStoredKey} wrote. `unreadable` is for asking again, never for deleting. */
export function decodeStoredKey(text: string): BoundKey | 'unreadable' {
  const record = parseJson(text);
  if (!isRecord(record) || record['version'] !== version) return 'unreadable';
  const { origin, key } = record;
  if (typeof origin !== 'string' || !URL.canParse(origin)) return 'unreadable';
  if (typeof key !== 'string' || !isApiKey(key)) return 'unreadable';
  return { origin, key };
}
