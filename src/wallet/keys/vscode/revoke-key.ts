import * as vscode from 'vscode';
import type { Host } from '../../../host.ts';
import { confirm, showCancellable, showWarning } from '../../../platform/notifications.ts';
import { listApiKeys, revokeApiKey } from '../../../service/api-keys.ts';
import { ServiceError } from '../../../service/http/failure.ts';
import type { KeyRotation, RotationRun } from './key-rotation.ts';
import { type KeyEntry, formatKeyEntryName } from './key-labels.ts';
import {
  promptForManagementKey,
  type KeyManagement,
  needsAdminKey,
  tryWithProgress,
} from './management.ts';
import { isSameApiKey, type LocalApiKey, removeLocalApiKey } from './local-api-keys.ts';

/** Revokes a key at the service after a confirmation, and removes it from this machine. */
export async function revokeKey(
  { account }: Pick<Host, 'account'>,
  management: KeyManagement,
  key: KeyEntry,
): Promise<void> {
  const { managedKey, localKey } = key;
  const isLocalOnly = managedKey === undefined;
  const revokeLabel = isLocalOnly ? vscode.l10n.t('Remove') : vscode.l10n.t('Revoke');
  const question = isLocalOnly
    ? vscode.l10n.t('Remove the API key of “{0}” from this machine?', formatKeyEntryName(key))
    : vscode.l10n.t('Revoke the key “{0}”?', formatKeyEntryName(key));
  if (
    (await confirm(
      { question, detail: describeRevocationEffects(localKey, isLocalOnly) },
      revokeLabel,
    )) !== revokeLabel
  )
    return;
  const isRevoked =
    isLocalOnly || (await revokeKeyAtService(management, managedKey.id, formatKeyEntryName(key)));
  if (isRevoked && localKey !== undefined)
    await removeLocalApiKey(account, management.profile.id, localKey);
}

const revokeKeyAtService = (
  management: KeyManagement,
  id: string,
  name: string,
): Promise<boolean> =>
  tryWithProgress({
    ...management,
    title: `${vscode.l10n.t('Revoke')}: ${name}`,
    run: async ({ signal, withCountdown }) => {
      const service = withCountdown(management.service);
      try {
        await revokeApiKey(service, id, { signal });
      } catch (error) {
        // Another client may have revoked the key already. Then only the local copy must be removed.
        const remainingKeys = await listApiKeys(service, { signal }).catch(() => undefined);
        if (remainingKeys === undefined || remainingKeys.some((key) => key.id === id)) throw error;
      }
    },
  });

function describeRevocationEffects(
  localKey: LocalApiKey | undefined,
  isLocalOnly: boolean,
): string {
  const lines = [
    isLocalOnly
      ? vscode.l10n.t(
          'The service does not list it here, so it may stay valid there until it is revoked with an ADMIN key.',
        )
      : vscode.l10n.t("Everything that uses it stops working at once. You can't undo this."),
  ];
  if (localKey?.isInUse === true) lines.push(describeInUseEffect(localKey));
  else if (localKey?.slot === 'management') {
    lines.push(vscode.l10n.t('It manages the keys here, so they can no longer be listed.'));
  }
  return lines.join('\n\n');
}

function describeInUseEffect({ slot }: LocalApiKey): string {
  if (slot === 'profile') {
    return vscode.l10n.t('It is in use here, so you will be signed out.');
  }
  if (slot === 'environment') {
    return vscode.l10n.t('It is the key in use here, and comes from the environment.');
  }
  return vscode.l10n.t("This workspace uses it. Afterward, it uses the connection's key.");
}

/**
 * Revokes the old key at the end of a rotation. If that fails, explains the remaining steps to the
 * user.
 * @returns false when the old key is still valid
 */
export async function revokeReplacedKey(
  run: RotationRun,
  oldKey: KeyRotation['oldKey'],
): Promise<boolean> {
  for (;;) {
    const problem = await tryToRevokeKey(run, oldKey);
    if (problem === undefined) return true;
    const lacksPermission = needsAdminKey(problem);
    const enterKeyLabel = vscode.l10n.t('Enter an ADMIN key…');
    const retryLabel = vscode.l10n.t('Retry');
    const choice = await showWarning(
      lacksPermission
        ? vscode.l10n.t(
            'The new API key is in use. The old one (…{0}) is still valid: revoking it takes a key of type ADMIN, or the service’s website.',
            oldKey.last6,
          )
        : vscode.l10n.t(
            'The new API key is in use. The old one (…{0}) could not be revoked and is still valid: {1}',
            oldKey.last6,
            problem.failure.message,
          ),
      lacksPermission ? enterKeyLabel : retryLabel,
    );
    if (choice === undefined) return false;
    if (lacksPermission && !(await promptForManagementKey(run.host.account, run.profile)))
      return false;
  }
}

/** Revokes a key at the service. A key that the service no longer lists counts as revoked. */
async function tryToRevokeKey(
  { management: { service } }: RotationRun,
  oldKey: KeyRotation['oldKey'],
): Promise<ServiceError | undefined> {
  try {
    await showCancellable(vscode.l10n.t('Revoking…'), async (signal) => {
      const foundKey = (await listApiKeys(service, { signal })).find((apiKey) =>
        isSameApiKey(oldKey, apiKey),
      );
      if (foundKey !== undefined) await revokeApiKey(service, foundKey.id, { signal });
    });
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}
