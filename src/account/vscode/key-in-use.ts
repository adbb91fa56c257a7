import { isOfKey, type KeptKey, last6Of, type UsedPlace } from '../key-state.ts';
import { addressFailure, parseBaseUrl } from '../../service/http/endpoint.ts';
import { workspaceName } from '../../platform/window.ts';
import type { Account } from './account.ts';
import { keptKey, saveKeptKey } from './kept-keys.ts';

/** The key that requests carry now, where it is kept here, and what is known of it. */
export interface KeyInUse {
  readonly last6: string;
  readonly place: UsedPlace;
  readonly kept?: KeptKey;
}

/** Undefined when there is none, or it comes from the environment. */
export function keyInUse({ key, profileId, state }: Account): KeyInUse | undefined {
  if (key.kind !== 'usable' || key.source === 'environment') return undefined;
  const place = key.source === 'workspace' ? { workspace: workspaceName() } : 'profile';
  const kept = keptKey(state, profileId, place);
  const last6 = last6Of(key.key);
  return kept !== undefined && isOfKey(kept, key.key) ? { last6, place, kept } : { last6, place };
}

/** Keeps when the key in use ends, as the service told it. @param expiresAt ISO instant; nothing happens without one */
export async function rememberExpiry(
  account: Account,
  expiresAt: string | undefined,
): Promise<void> {
  const used = keyInUse(account);
  const { id, baseUrl } = account.profile;
  if (used === undefined || !Number.isFinite(Date.parse(expiresAt ?? ''))) return;
  if (addressFailure(baseUrl) !== undefined) return;
  const { last6, place, kept } = used;
  const { origin } = parseBaseUrl(baseUrl);
  const known = kept ?? { type: 'INFERENCE', last6, origin };
  const key = { ...known, expiresAt: new Date(expiresAt ?? '').toISOString() };
  await saveKeptKey(account.state, { profileId: id, place }, key);
}
