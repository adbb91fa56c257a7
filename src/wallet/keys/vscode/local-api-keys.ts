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

/** A key of this machine. */
export interface LocalApiKey {
  readonly last6: string;
  /** The service's id, when it is known. */
  readonly id?: string;
  /** What was told of it when it was made or tested. */
  readonly kept?: StoredKey;
  readonly place: KeySlot | 'environment';
  /** Of the workspace that it is for. */
  readonly workspaceName?: string;
  /** What requests of this window carry now. */
  readonly isInUse: boolean;
}

/** All keys of a profile on this machine, that in use first. */
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
    const last = readStoredKeyInfo(account.state, profile.id, place);
    // What is kept may be of a key that was there before.
    const kept = last !== undefined && describesKey(last, key) ? last : undefined;
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

/** Whether a key that the service lists is this one. */
export const isSameApiKey = (
  own: Pick<LocalApiKey, 'id' | 'last6'>,
  listed: { readonly id: string; readonly last6?: string },
): boolean => (own.id === undefined ? own.last6 === listed.last6 : own.id === listed.id);

/** Removes a key from this machine; the environment keeps its own. */
export async function removeLocalApiKey(
  account: Account,
  profileId: string,
  { place }: LocalApiKey,
): Promise<void> {
  if (place === 'environment') return;
  await account.removeKey(profileId, place);
  await saveStoredKeyInfo(account.state, { profileId, place }, undefined);
}
