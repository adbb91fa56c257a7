import { omitUndefined, isRecord, type JsonRecord, parseJson, readStringOr } from '../base/json.ts';
import { isApiKey } from '../service/http/endpoint.ts';
import { type KeyRecord, readKeyRecord } from '../service/key-record.ts';

/** An API key and the only origin to which the key may be sent. */
export interface BoundKey {
  readonly origin: string;
  readonly key: string;
}

const keyStateVersion = 1;

/**
 * Serializes a key for secret storage. One record contains origin and key, so both are written
 * together.
 */
export const encodeBoundKey = ({ origin, key }: BoundKey): string =>
  JSON.stringify({ version: keyStateVersion, origin, key });

/**
 * Parses the output of {@link encodeBoundKey}. Returns `unreadable` for any other text; the caller must then prompt for
 * the key and must not delete the text.
 */
export function decodeBoundKey(text: string): BoundKey | 'unreadable' {
  const record = parseJson(text);
  if (!isRecord(record) || record['version'] !== keyStateVersion) return 'unreadable';
  const { origin, key } = record;
  if (typeof origin !== 'string' || !URL.canParse(origin)) return 'unreadable';
  if (typeof key !== 'string' || !isApiKey(key, new URL(origin))) return 'unreadable';
  return { origin, key };
}

/** State of the active profile's key. */
export type KeyState =
  /** The key is not read yet. `isKeyExpected` is true if a key was available in the last session of VS Code. */
  | { readonly kind: 'unread'; readonly isKeyExpected: boolean }
  | { readonly kind: 'none' }
  /** No key is set. The profile's server runs on this machine and needs none. */
  | { readonly kind: 'keyless' }
  | { readonly kind: 'usable'; readonly key: string; readonly source: KeySource }
  /** A wallet signs each request, so no key is sent. */
  | { readonly kind: 'wallet'; readonly address: string }
  /** The settings select payment by wallet, but the user has not chosen a wallet. */
  | { readonly kind: 'no-wallet' }
  /** The key is bound to an origin other than that of the profile's base URL, so it is not sent. */
  | { readonly kind: 'other-origin'; readonly origin: string; readonly source?: 'workspace' }
  /** The stored text is not a key record. It remains until the user enters the key again. */
  | { readonly kind: 'unreadable'; readonly source?: 'workspace' }
  /** A key was stored, but secret storage no longer returns the key. */
  | { readonly kind: 'lost'; readonly source?: 'workspace' };

/**
 * Returns false if requests are sent without a key and without a wallet. Returns true otherwise, even if the key or the
 * wallet is missing or unusable.
 */
export const canSpend = ({ kind }: KeyState): boolean => kind !== 'none' && kind !== 'keyless';

/**
 * Source of a key: stored for the open workspace, stored for the profile, or read from the
 * environment.
 */
export type KeySource = 'workspace' | 'stored' | 'environment';

/** Key states that need the user's action: an unusable or missing key, or a missing wallet. */
export type KeyProblem = Extract<
  KeyState,
  { kind: 'no-wallet' | 'other-origin' | 'unreadable' | 'lost' }
>;

/** Checks whether calls can be sent: with a key, with a wallet, or to a server that needs neither. */
export const isSignedInState = ({ kind }: KeyState): boolean =>
  kind === 'usable' || kind === 'wallet' || kind === 'keyless';

export interface KeySources {
  /**
   * Key of the open workspace; `lost` if a key was stored but secret storage no longer returns the
   * key.
   */
  readonly workspace?: BoundKey | 'unreadable' | 'lost' | undefined;
  readonly stored: BoundKey | 'unreadable' | undefined;
  /** Key from the environment variable, bound to the origin that was configured when the key was first read. */
  readonly environment: BoundKey | undefined;
  /** True if a key of this profile was stored and not removed since. */
  readonly isKeyExpected: boolean;
  /** Origin of the profile's base URL; undefined without a base URL. */
  readonly origin: string | undefined;
  /** True if the server at `origin` is on this machine and needs no key. */
  readonly isKeyless?: boolean;
}

/**
 * Selects the key that requests to `origin` use. The key must be bound to exactly this origin. If the workspace has a
 * key, no other key is used, because the limits of the workspace key are narrower. Otherwise the stored key takes
 * precedence over the key from the environment, because the user entered it.
 */
export function resolveKeyState(sources: KeySources): KeyState {
  const { workspace, stored, environment, isKeyExpected, origin } = sources;
  if (workspace !== undefined) return resolveWorkspaceKeyState(workspace, origin);
  for (const source of ['stored', 'environment'] as const) {
    const boundKey = sources[source];
    if (boundKey === undefined || boundKey === 'unreadable' || boundKey.origin !== origin) continue;
    return { kind: 'usable', key: boundKey.key, source };
  }
  if (stored === 'unreadable') return { kind: 'unreadable' };
  const otherKey = stored ?? environment;
  if (otherKey !== undefined) return { kind: 'other-origin', origin: otherKey.origin };
  if (isKeyExpected) return { kind: 'lost' };
  return sources.isKeyless === true ? { kind: 'keyless' } : { kind: 'none' };
}

function resolveWorkspaceKeyState(
  boundKey: NonNullable<KeySources['workspace']>,
  origin: string | undefined,
): KeyState {
  const source = 'workspace';
  if (boundKey === 'unreadable' || boundKey === 'lost') return { kind: boundKey, source };
  if (boundKey.origin !== origin) return { kind: 'other-origin', origin: boundKey.origin, source };
  return { kind: 'usable', key: boundKey.key, source };
}

/** Storage slot of a key that authenticates calls: the slot of the profile or of a workspace. */
export type ActiveKeySlot = 'profile' | { readonly workspace: string };

/**
 * Storage slot of a key. {@link ActiveKeySlot}: a key that authenticates calls. `management`: a key that manages other
 * keys. `next`: a new key that replaces an active key after the new key is verified.
 */
export type KeySlot = ActiveKeySlot | 'management' | { readonly next: ActiveKeySlot };

/** Checks whether a slot belongs to the profile. */
export const isSlotOfProfile = (profileId: string, slot: string): boolean =>
  slot === profileId || slot.startsWith(`${profileId}.`);

/** Returns the id of a slot. Ids are unique, because profile ids contain no dots and workspace ids are hexadecimal. */
export function getSlotId(profileId: string, slot: KeySlot = 'profile'): string {
  if (slot === 'profile') return profileId;
  if (slot === 'management') return `${profileId}.management`;
  if ('next' in slot) return `${getSlotId(profileId, slot.next)}.next`;
  return `${profileId}.${slot.workspace}`;
}

/** Information about a key that is stored on this machine. Does not contain the key. */
export interface StoredKey extends KeyRecord {
  /** Last six characters of the key, as in the service's list of keys. */
  readonly last6: string;
  /** Origin of the service. The key is sent to no other origin. */
  readonly origin: string;
  /** Workspace that the key belongs to; undefined for a profile's key. */
  readonly workspace?: KeyWorkspace;
}

export interface KeyWorkspace {
  /** Identifier of the workspace on this machine. */
  readonly id: string;
  readonly name: string;
}

export const getLastSixCharacters = (key: string): string => key.slice(-6);

/** Checks whether the stored information describes `key`, not a previous key. */
export const matchesKey = ({ last6 }: StoredKey, key: string): boolean =>
  last6 === getLastSixCharacters(key);

/** Converts the information about a stored key to plain JSON. */
export const encodeStoredKey = ({ type, ...rest }: StoredKey): JsonRecord => ({
  apiKeyType: type,
  ...rest,
});

/** Parses the output of {@link encodeStoredKey}. Returns `undefined` for any other value. */
export function decodeStoredKey(value: unknown): StoredKey | undefined {
  if (!isRecord(value)) return undefined;
  const { last6, origin } = value;
  if (typeof last6 !== 'string' || typeof origin !== 'string') return undefined;
  const record = readKeyRecord(value, { type: 'INFERENCE' });
  return omitUndefined({
    ...record,
    last6,
    origin,
    workspace: readKeyWorkspace(value['workspace']),
  });
}

function readKeyWorkspace(value: unknown): KeyWorkspace | undefined {
  if (!isRecord(value) || typeof value['id'] !== 'string') return undefined;
  return { id: value['id'], name: readStringOr(value['name'], '') };
}
