import { defined, isRecord, type JsonRecord, stringOr } from '../base/json.ts';
import { type KeyRecord, readKeyRecord } from '../service/key-record.ts';

/** What is known of a key that is kept on this machine. Nothing of it is secret. */
export interface KeptKey extends KeyRecord {
  /** The last six characters, as the service shows them. */
  readonly last6: string;
  /** The only one that the key is sent to. */
  readonly origin: string;
  /** The workspace that the key is for; absent for the key of a profile. */
  readonly workspace?: WorkspaceOfKey;
}

export interface WorkspaceOfKey {
  /** Stands for the workspace on this machine. */
  readonly id: string;
  /** Its name, for people. */
  readonly name: string;
}

export const last6Of = (key: string): string => key.slice(-6);

/** Whether this is known of `key`, and not of one that was there before. */
export const isOfKey = ({ last6 }: KeptKey, key: string): boolean => last6 === last6Of(key);

/** As plain JSON. */
export const encodeKeptKey = ({ type, ...rest }: KeptKey): JsonRecord => ({
  apiKeyType: type,
  ...rest,
});

/** Reads what {@link encodeKeptKey} made; `undefined` for anything else. */
export function decodeKeptKey(value: unknown): KeptKey | undefined {
  if (!isRecord(value)) return undefined;
  const { last6, origin } = value;
  if (typeof last6 !== 'string' || typeof origin !== 'string') return undefined;
  const record = readKeyRecord(value, { type: 'INFERENCE' });
  return defined({ ...record, last6, origin, workspace: readWorkspace(value['workspace']) });
}

function readWorkspace(value: unknown): WorkspaceOfKey | undefined {
  if (!isRecord(value) || typeof value['id'] !== 'string') return undefined;
  return { id: value['id'], name: stringOr(value['name'], '') };
}
