import * as vscode from 'vscode';
import { listApiKeys, revokeApiKey } from '../../../service/api-keys.ts';
import type { Host } from '../../../host.ts';
import { ask } from '../../../platform/notifications.ts';
import { type ShownKey, shownName } from './key-list.ts';
import type { Management } from './management.ts';
import { type OwnKey, removeOwnKey } from './own-keys.ts';
import { tellingFailure } from './tell-key-failure.ts';

/** Ends a key at the service after a confirmation, and removes it from this machine. */
export async function revokeKey(
  { account }: Pick<Host, 'account'>,
  management: Management,
  key: ShownKey,
): Promise<void> {
  const { listed, own } = key;
  const isOnlyHere = listed === undefined;
  const button = isOnlyHere ? vscode.l10n.t('Remove') : vscode.l10n.t('Revoke');
  const question = isOnlyHere
    ? vscode.l10n.t('Remove the key “{0}” from this machine?', shownName(key))
    : vscode.l10n.t('Revoke the key “{0}”?', shownName(key));
  if ((await ask({ question, detail: consequences(own, isOnlyHere) }, button)) !== button) return;
  const isDone = isOnlyHere || (await revokeAtService(management, listed.id, shownName(key)));
  if (isDone && own !== undefined) await removeOwnKey(account, management.profile.id, own);
}

const revokeAtService = ({ service }: Management, id: string, name: string): Promise<boolean> =>
  tellingFailure(vscode.l10n.t('Revoking {0}', name), async (signal) => {
    try {
      await revokeApiKey(service, id, { signal });
    } catch (error) {
      // Somebody else may have been first, and then there is nothing left to do.
      const left = await listApiKeys(service, { signal }).catch(() => undefined);
      if (left === undefined || left.some((each) => each.id === id)) throw error;
    }
  });

function consequences(own: OwnKey | undefined, isOnlyHere: boolean): string {
  const lines = [
    isOnlyHere
      ? vscode.l10n.t(
          'The service does not list it here, so it may stay valid there until it is revoked with an ADMIN key.',
        )
      : vscode.l10n.t('Whatever uses it stops working at once. This cannot be undone.'),
  ];
  if (own?.isInUse === true) lines.push(inUseText(own));
  else if (own?.place === 'management') {
    lines.push(vscode.l10n.t('It is the key that manages keys here: they cannot be listed then.'));
  }
  return lines.join('\n\n');
}

function inUseText({ place }: OwnKey): string {
  if (place === 'profile') {
    return vscode.l10n.t('It is the key in use here: you are signed out then.');
  }
  if (place === 'environment') {
    return vscode.l10n.t('It is the key in use here, and comes from the environment.');
  }
  return vscode.l10n.t('It is the key of this workspace: the key of the profile counts here then.');
}
