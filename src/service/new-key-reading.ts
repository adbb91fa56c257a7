import { isRecord } from '../base/json.ts';
import { isApiKey } from './http/api-key.ts';
import { readKeyRecord } from './key-record-reading.ts';
import type { KeyType, NewKey } from './key-record.ts';

/**
 * A new key with what the service says it is: in an envelope `data` or without (service facts §5.3). Absent when there
 * is no key that can stand in a header; whatever else is not as it should be is left out.
 * @param wanted The type that was asked for, where the reply names none.
 */
export function readNewKey(json: unknown, wanted: KeyType): NewKey | undefined {
  if (!isRecord(json)) return undefined;
  const data = isRecord(json['data']) ? json['data'] : json;
  const apiKey = data['apiKey'] ?? json['apiKey'];
  if (typeof apiKey !== 'string' || !isApiKey(apiKey)) return undefined;
  return { apiKey, record: readKeyRecord(data, { type: wanted, apiKey }) };
}
