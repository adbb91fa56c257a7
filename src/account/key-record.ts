import { defined } from '../base/defined.ts';
import { isRecord, type JsonRecord, numberOr, stringOr } from '../base/json.ts';
import { nanoText } from '../base/nano-amount.ts';
import { type KeyLimit, readKeyLimit } from '../service/key-limit.ts';

/** What is known of a key that is kept here. Nothing of it is secret. */
export interface KeyRecord {
  /** The service's id; absent when it did not say. */
  readonly id?: string;
  /** The last six characters, as the service shows them. */
  readonly last6: string;
  readonly type: KeyType;
  readonly description: string;
  /** The only one that the key is sent to. */
  readonly origin: string;
  /** Milliseconds since the epoch; absent for a key that never expires, or of which that is not known. */
  readonly expiresAt?: number;
  readonly limit: KeyLimit;
  /** The workspace that the key is for; absent for the key of a profile. */
  readonly workspace?: WorkspaceOfKey;
}

export type KeyType = 'INFERENCE' | 'ADMIN';

export interface WorkspaceOfKey {
  /** Stands for the workspace on this machine. */
  readonly id: string;
  /** Its name, for people. */
  readonly name: string;
}

export const last6Of = (key: string): string => key.slice(-6);

/** Whether a record is of `key`, and not of one that was there before. */
export const isOfKey = (record: KeyRecord, key: string): boolean => record.last6 === last6Of(key);

/** As plain JSON. */
export const encodeKeyRecord = ({ limit, ...record }: KeyRecord): JsonRecord => ({
  ...record,
  consumptionLimit: defined({
    usd: limit.usd === undefined ? undefined : nanoText(limit.usd),
    diem: limit.diem === undefined ? undefined : nanoText(limit.diem),
  }),
  ...defined({ limitPeriod: limit.period }),
});

/** Reads what {@link encodeKeyRecord} made; `undefined` for anything else. */
export function decodeKeyRecord(value: unknown): KeyRecord | undefined {
  if (!isRecord(value)) return undefined;
  const { last6, origin, type } = value;
  if (typeof last6 !== 'string' || typeof origin !== 'string') return undefined;
  return defined({
    id: stringOr(value['id'], undefined),
    last6,
    type: type === 'ADMIN' ? ('ADMIN' as const) : ('INFERENCE' as const),
    description: stringOr(value['description'], ''),
    origin,
    expiresAt: numberOr(value['expiresAt'], undefined),
    limit: readKeyLimit(value),
    workspace: readWorkspace(value['workspace']),
  });
}

function readWorkspace(value: unknown): WorkspaceOfKey | undefined {
  if (!isRecord(value) || typeof value['id'] !== 'string') return undefined;
  return { id: value['id'], name: stringOr(value['name'], '') };
}
