import type { BoundKey } from './stored-key.ts';

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
