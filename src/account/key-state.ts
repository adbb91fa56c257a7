import { omitUndefined, isRecord, type JsonRecord, parseJson, stringOr } from '../base/json.ts';
import { isApiKey } from '../service/http/endpoint.ts';
import { type KeyRecord, readKeyRecord } from '../service/key-record.ts';

/** A key together with the only origin it may be sent to. */
export interface BoundKey {
  readonly origin: string;
  readonly key: string;
}

const version = 1;

/** The text kept in secret storage: one small record, so that it is written as a whole. */
export const encodeBoundKey = ({ origin, key }: BoundKey): string =>
  JSON.stringify({ version, origin, key });

/** Reads what {@link encodeBoundKey} wrote. `unreadable` is for asking again, never for deleting. */
export function decodeBoundKey(text: string): BoundKey | 'unreadable' {
  const record = parseJson(text);
  if (!isRecord(record) || record['version'] !== version) return 'unreadable';
  const { origin, key } = record;
  if (typeof origin !== 'string' || !URL.canParse(origin)) return 'unreadable';
  if (typeof key !== 'string' || !isApiKey(key)) return 'unreadable';
  return { origin, key };
}

/** What is known of the active profile's key. */
export type KeyState =
  /** Not read yet; `expected` when there was one the last time. */
  | { readonly kind: 'unread'; readonly expected: boolean }
  | { readonly kind: 'none' }
  | { readonly kind: 'usable'; readonly key: string; readonly source: KeySource }
  /** A wallet signs each request in place of a key. */
  | { readonly kind: 'wallet'; readonly address: string }
  /** One should, and none is chosen. */
  | { readonly kind: 'no-wallet' }
  /** There is a key, but for another origin than the profile's address now: it is not sent. */
  | { readonly kind: 'other-origin'; readonly origin: string; readonly source?: 'workspace' }
  /** Something is stored that is not a key record. It stays until the person enters the key again. */
  | { readonly kind: 'unreadable'; readonly source?: 'workspace' }
  /** A key was stored before, and secret storage has forgotten it. */
  | { readonly kind: 'lost'; readonly source?: 'workspace' };

/** `workspace`: bound to the workspace that is open. */
export type KeySource = 'workspace' | 'stored' | 'environment';

/** There is a key that is not sent, or there should be one, or a wallet. */
export type KeyProblem = Extract<
  KeyState,
  { kind: 'no-wallet' | 'other-origin' | 'unreadable' | 'lost' }
>;

/** Whether calls are signed in: by a key or by a wallet. */
export const isSignedInBy = ({ kind }: KeyState): boolean => kind === 'usable' || kind === 'wallet';

export interface KeySources {
  /** Of the workspace that is open; `lost` when one was stored and is gone. */
  readonly workspace?: BoundKey | 'unreadable' | 'lost' | undefined;
  readonly stored: BoundKey | 'unreadable' | undefined;
  /** From the environment, bound to the origin that was configured when it was first seen. */
  readonly environment: BoundKey | undefined;
  /** Whether this profile's key was stored at some time and not removed since. */
  readonly expected: boolean;
  /** Of the profile's address; absent when it has none. */
  readonly origin: string | undefined;
}

/**
 * The key for exactly `origin`. Where the workspace has its own no other counts, since that one has the narrower limit;
 * else the stored one comes first, so that what a person entered last is what counts.
 */
export function keyState(sources: KeySources): KeyState {
  const { workspace, stored, environment, expected, origin } = sources;
  if (workspace !== undefined) return ofWorkspace(workspace, origin);
  for (const source of ['stored', 'environment'] as const) {
    const bound = sources[source];
    if (bound === undefined || bound === 'unreadable' || bound.origin !== origin) continue;
    return { kind: 'usable', key: bound.key, source };
  }
  if (stored === 'unreadable') return { kind: 'unreadable' };
  const other = stored ?? environment;
  if (other !== undefined) return { kind: 'other-origin', origin: other.origin };
  return expected ? { kind: 'lost' } : { kind: 'none' };
}

function ofWorkspace(
  bound: NonNullable<KeySources['workspace']>,
  origin: string | undefined,
): KeyState {
  const source = 'workspace';
  if (bound === 'unreadable' || bound === 'lost') return { kind: bound, source };
  if (bound.origin !== origin) return { kind: 'other-origin', origin: bound.origin, source };
  return { kind: 'usable', key: bound.key, source };
}

/** Where a key lies that calls are made with: those of a profile, or those made in one workspace. */
export type ActiveKeySlot = 'profile' | { readonly workspace: string };

/**
 * What a key of a profile is kept for: calls, the management of keys alone, or to take the place of another once it is
 * proved to work.
 */
export type KeySlot = ActiveKeySlot | 'management' | { readonly next: ActiveKeySlot };

/** Whether a slot is a place of the profile, whichever. */
export const isSlotOfProfile = (profileId: string, slot: string): boolean =>
  slot === profileId || slot.startsWith(`${profileId}.`);

/** Names the place among all profiles. Ids of profiles have no dots, those of workspaces are hexadecimal digits. */
export function slotId(profileId: string, place: KeySlot = 'profile'): string {
  if (place === 'profile') return profileId;
  if (place === 'management') return `${profileId}.management`;
  if ('next' in place) return `${slotId(profileId, place.next)}.next`;
  return `${profileId}.${place.workspace}`;
}

/** What is known of a key that is kept on this machine. Nothing of it is secret. */
export interface StoredKey extends KeyRecord {
  /** The last six characters, as the service shows them. */
  readonly last6: string;
  /** The only one that the key is sent to. */
  readonly origin: string;
  /** The workspace that the key is for; absent for the key of a profile. */
  readonly workspace?: KeyWorkspace;
}

export interface KeyWorkspace {
  /** Stands for the workspace on this machine. */
  readonly id: string;
  /** Its name, for people. */
  readonly name: string;
}

export const lastSix = (key: string): string => key.slice(-6);

/** Whether this is known of `key`, and not of one that was there before. */
export const describesKey = ({ last6 }: StoredKey, key: string): boolean => last6 === lastSix(key);

/** As plain JSON. */
export const encodeStoredKey = ({ type, ...rest }: StoredKey): JsonRecord => ({
  apiKeyType: type,
  ...rest,
});

/** Reads what {@link encodeStoredKey} made; `undefined` for anything else. */
export function decodeStoredKey(value: unknown): StoredKey | undefined {
  if (!isRecord(value)) return undefined;
  const { last6, origin } = value;
  if (typeof last6 !== 'string' || typeof origin !== 'string') return undefined;
  const record = readKeyRecord(value, { type: 'INFERENCE' });
  return omitUndefined({ ...record, last6, origin, workspace: readWorkspace(value['workspace']) });
}

function readWorkspace(value: unknown): KeyWorkspace | undefined {
  if (!isRecord(value) || typeof value['id'] !== 'string') return undefined;
  return { id: value['id'], name: stringOr(value['name'], '') };
}
