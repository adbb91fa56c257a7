import type * as vscode from 'vscode';
import {
  decodeKeptKey,
  encodeKeptKey,
  isSlotOf,
  type KeptKey,
  type KeyPlace,
  slotOf,
} from '../key-state.ts';

const prefix = 'keptKey.';

/** What is known of the key in one place; absent when nothing is. It may be of a key that was there before. */
export const keptKey = (
  state: vscode.Memento,
  profileId: string,
  place?: KeyPlace,
): KeptKey | undefined => decodeKeptKey(state.get(prefix + slotOf(profileId, place)));

/** Keeps what is known of the key in one place, for all windows; `undefined` forgets it. */
export async function saveKeptKey(
  state: vscode.Memento,
  { profileId, place }: { readonly profileId: string; readonly place?: KeyPlace },
  key: KeptKey | undefined,
): Promise<void> {
  const name = prefix + slotOf(profileId, place);
  await state.update(name, key === undefined ? undefined : encodeKeptKey(key));
}

/** Forgets what is known of the keys of a profile in all places: rotations and told warnings too. */
export async function forgetKeptKeys(state: vscode.Memento, profileId: string): Promise<void> {
  for (const name of state.keys()) {
    const [, slot = ''] = /^(?:keptKey|keyRotation|keyExpiryTold)\.(.*)$/u.exec(name) ?? [];
    if (isSlotOf(profileId, slot)) await state.update(name, undefined);
  }
}

/** The keys of a profile that are for one workspace each, by the names of the workspaces. */
export const workspaceKeys = (state: vscode.Memento, profileId: string): readonly KeptKey[] =>
  state
    .keys()
    .filter((name) => name.startsWith(`${prefix}${profileId}.`))
    .flatMap((name) => decodeKeptKey(state.get(name)) ?? [])
    .filter(({ workspace }) => workspace !== undefined)
    .sort((a, b) => (a.workspace?.name ?? '').localeCompare(b.workspace?.name ?? ''));
