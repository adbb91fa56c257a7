import {
  matchesKey,
  type StoredKey,
  type KeySlot,
  getLastSixCharacters,
} from '../../../account/key-state.ts';
import type { Profile } from '../../../account/profile.ts';
import { omitUndefined } from '../../../base/json.ts';
import type { Account } from '../../../account/vscode/account.ts';
import {
  readStoredKeyInfo,
  saveStoredKeyInfo,
  readWorkspaceKeys,
} from '../../../account/vscode/key-store.ts';
import { getWorkspaceId } from '../../../platform/window.ts';

/** An API key that is stored on this machine or set in the environment. */
export interface LocalApiKey {
  readonly last6: string;
  /** Id of the key at the service; absent when unknown. */
  readonly id?: string;
  /**
   * Information about the key, stored when the key was created or tested. Absent if neither happened on this machine.
   */
  readonly storedKey?: StoredKey;
  readonly slot: KeySlot | 'environment';
  /** Name of the workspace that uses the key. */
  readonly workspaceName?: string;
  /** True if requests of this window use the key. */
  readonly isInUse: boolean;
}

/** Returns all keys of a profile on this machine. The key in use comes first. */
export async function listLocalApiKeys(
  account: Account,
  profile: Profile,
): Promise<readonly LocalApiKey[]> {
  const state = await account.readKey();
  const usableKey = state.kind === 'usable' && account.profile === profile ? state : undefined;
  const source = usableKey?.source;
  const localKeys: LocalApiKey[] = [];
  if (usableKey !== undefined && source === 'environment') {
    localKeys.push({
      last6: getLastSixCharacters(usableKey.key),
      slot: 'environment',
      isInUse: true,
    });
  }
  for (const slot of ['profile', 'management'] as const) {
    const key = await account.readStoredKey(profile, slot);
    if (key === undefined) continue;
    const isInUse = slot === 'profile' && source === 'stored';
    const record = readStoredKeyInfo(account.state, profile.id, slot);
    // The stored record may describe an earlier key.
    const storedKey = record !== undefined && matchesKey(record, key) ? record : undefined;
    localKeys.push({
      last6: getLastSixCharacters(key),
      slot,
      isInUse,
      ...omitUndefined({ id: storedKey?.id, storedKey }),
    });
  }
  for (const workspaceKey of readWorkspaceKeys(account.state, profile.id)) {
    const { last6, id, workspace } = workspaceKey;
    if (workspace === undefined) continue;
    const isInUse = source === 'workspace' && workspace.id === getWorkspaceId();
    const slot = { workspace: workspace.id };
    localKeys.push({
      last6,
      slot,
      isInUse,
      workspaceName: workspace.name,
      storedKey: workspaceKey,
      ...omitUndefined({ id }),
    });
  }
  return localKeys.sort((a, b) => Number(b.isInUse) - Number(a.isInUse));
}

/**
 * Checks whether a key from the service's list is the same as a local key. Compares the ids, or the
 * last 6 characters if the local id is unknown.
 */
export const isSameApiKey = (
  localKey: Pick<LocalApiKey, 'id' | 'last6'>,
  managedKey: { readonly id: string; readonly last6?: string },
): boolean =>
  localKey.id === undefined ? localKey.last6 === managedKey.last6 : localKey.id === managedKey.id;

/** Removes a key from this machine. Does nothing for a key from the environment. */
export async function removeLocalApiKey(
  account: Account,
  profileId: string,
  { slot }: LocalApiKey,
): Promise<void> {
  if (slot === 'environment') return;
  await account.removeKey(profileId, slot);
  await saveStoredKeyInfo(account.state, { profileId, slot }, undefined);
}
