import type * as vscode from 'vscode';
import { type KeyPlace, slotOf } from '../../account/key-place.ts';
import { decodeKeyRecord, encodeKeyRecord, type KeyRecord } from '../../account/key-record.ts';

const prefix = 'keyRecord.';

/** What is known of the key in one place; absent when nothing is. It may be of a key that was there before. */
export const keyRecord = (
  state: vscode.Memento,
  profileId: string,
  place?: KeyPlace,
): KeyRecord | undefined => decodeKeyRecord(state.get(prefix + slotOf(profileId, place)));

/** Keeps what is known of the key in one place, for all windows; `undefined` forgets it. */
export async function saveKeyRecord(
  state: vscode.Memento,
  { profileId, place }: { readonly profileId: string; readonly place?: KeyPlace },
  record: KeyRecord | undefined,
): Promise<void> {
  const name = prefix + slotOf(profileId, place);
  await state.update(name, record === undefined ? undefined : encodeKeyRecord(record));
}

/** The keys of a profile that are for one workspace each, by the names of the workspaces. */
export const workspaceKeyRecords = (
  state: vscode.Memento,
  profileId: string,
): readonly KeyRecord[] =>
  state
    .keys()
    .filter((name) => name.startsWith(`${prefix}${profileId}.`))
    .flatMap((name) => decodeKeyRecord(state.get(name)) ?? [])
    .filter(({ workspace }) => workspace !== undefined)
    .sort((a, b) => (a.workspace?.name ?? '').localeCompare(b.workspace?.name ?? ''));
