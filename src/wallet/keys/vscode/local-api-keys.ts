import { describesKey, type StoredKey, type KeySlot, lastSix } from '../../../account/key-state.ts';
import type { Profile } from '../../../account/profile.ts';
import { omitUndefined } from '../../../base/json.ts';
import type { Account } from '../../../account/vscode/account.ts';
import {
  readStoredKeyInfo,
  saveStoredKeyInfo,
  workspaceKeys,
} from '../../../account/vscode/key-store.ts';
import { workspaceId } from '../../../platform/window.ts';

/** An API key on this machine. */
export interface LocalApiKey {
  readonly last6: string;
  /** The service's id of the key; absent when unknown. */
  readonly id?: string;
  /** Stored record of the key, written when the key was created or tested. */
  readonly kept?: StoredKey;
  readonly place: KeySlot | 'environment';
  /** Name of the key's workspace. */
  readonly workspaceName?: string;
  /** True when requests of this window use the key. */
  readonly isInUse: boolean;
}

/** Returns all keys of a profile on this machine, the key in use first. */
export async function listLocalApiKeys(
  account: Account,
  profile: Profile,
): Promise<readonly LocalApiKey[]> {
  const state = await account.readKey();
  const used = state.kind === 'usable' && account.profile === profile ? state : undefined;
  const source = used?.source;
  const own: LocalApiKey[] = [];
  if (used !== undefined && source === 'environment') {
    own.push({ last6: lastSix(used.key), place: 'environment', isInUse: true });
  }
  for (const place of ['profile', 'management'] as const) {
    const key = await account.readStoredKey(profile, place);
    if (key === undefined) continue;
    const isInUse = place === 'profile' && source === 'stored';
    const record = readStoredKeyInfo(account.state, profile.id, place);
    // The stored record may describe an earlier key.
    const kept = record !== undefined && describesKey(record, key) ? record : undefined;
    own.push({ last6: lastSix(key), place, isInUse, ...omitUndefined({ id: kept?.id, kept }) });
  }
  for (const kept of workspaceKeys(account.state, profile.id)) {
    const { last6, id, workspace } = kept;
    if (workspace === undefined) continue;
    const isInUse = source === 'workspace' && workspace.id === workspaceId();
    const place = { workspace: workspace.id };
    own.push({
      last6,
      place,
      isInUse,
      workspaceName: workspace.name,
      kept,
      ...omitUndefined({ id }),
    });
  }
  return own.sort((a, b) => Number(b.isInUse) - Number(a.isInUse));
}

/**
 * Checks whether a listed key is the same as a local key: by id, or by the last 6 characters if the
 * id is unknown.
 */
export const isSameApiKey = (
  own: Pick<LocalApiKey, 'id' | 'last6'>,
  listed: { readonly id: string; readonly last6?: string },
): boolean => (own.id === undefined ? own.last6 === listed.last6 : own.id === listed.id);

/** Removes a key from this machine. Does nothing for a key from the environment. */
export async function removeLocalApiKey(
  account: Account,
  profileId: string,
  { place }: LocalApiKey,
): Promise<void> {
  if (place === 'environment') return;
  await account.removeKey(profileId, place);
  await saveStoredKeyInfo(account.state, { profileId, place }, undefined);
}
