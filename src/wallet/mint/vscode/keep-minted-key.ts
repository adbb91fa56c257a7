import * as vscode from 'vscode';
import { type KeyPlace, last6Of } from '../../../account/key-state.ts';
import type { Profile } from '../../../account/profile.ts';
import { parseBaseUrl } from '../../../service/http/endpoint.ts';
import type { NewKey } from '../../../service/key-record.ts';
import type { Account } from '../../../account/vscode/account.ts';
import { saveKeptKey } from '../../../account/vscode/key-store.ts';
import { ask } from '../../../platform/notifications.ts';

/** Where a key is kept: one that can manage keys is never sent with chats. */
export const placeOf = ({ record }: NewKey): KeyPlace =>
  record.type === 'ADMIN' ? 'management' : 'profile';

/**
 * Keeps a new key for `profile`, with what is known of it.
 * @returns false when the editor's secret storage does not keep it
 */
export async function keepMintedKey(
  account: Account,
  profile: Profile,
  key: NewKey,
): Promise<boolean> {
  const place = placeOf(key);
  try {
    // Like one that is entered: it is used from now on, also where a wallet paid.
    await account.storeKey(profile, key.apiKey, place === 'profile' ? undefined : place);
  } catch {
    // Whatever the reason is: its text can hold the key.
    return false;
  }
  const { origin } = parseBaseUrl(profile.baseUrl);
  const kept = { ...key.record, last6: last6Of(key.apiKey), origin };
  // Only what is shown of the key is lost without it.
  await saveKeptKey(account.state, { profileId: profile.id, place }, kept).catch(() => {});
  return true;
}

/** Shows a key that is kept nowhere, for the only time; asks once more when it was not copied. */
export async function showUnkeptKey({ apiKey }: NewKey): Promise<void> {
  const copy = vscode.l10n.t('Copy API key');
  const detail = vscode.l10n.t(
    'The editor’s secret storage did not accept the API key. It is saved nowhere, and nobody can show it again. Copy it now, and set it with “Set API key” once the storage works.\n\n{0}',
    apiKey,
  );
  const question = vscode.l10n.t('The API key was created but could not be saved');
  const again = vscode.l10n.t('The API key was not copied and is lost when this is closed');
  for (const text of [question, again]) {
    if ((await ask({ question: text, detail }, copy)) !== copy) continue;
    await vscode.env.clipboard.writeText(apiKey);
    return;
  }
}
