import * as vscode from 'vscode';
import type { KeyRotation } from '../key-rotation.ts';
import { listApiKeys, revokeApiKey } from '../../../service/api-keys.ts';
import { ServiceError } from '../../../service/http/failure.ts';
import { showCancellable, tellWarning } from '../../../platform/notifications.ts';
import { enterManagementKey, needsAdminKey } from './management.ts';
import { isSameKey } from './own-keys.ts';
import type { RotationRun } from './rotation-run.ts';

/**
 * Revokes the key that was replaced; says what is left to do where that does not work.
 * @returns false when it is still valid
 */
export async function revokeReplaced(run: RotationRun, old: KeyRotation['old']): Promise<boolean> {
  for (;;) {
    const problem = await tryToRevoke(run, old);
    if (problem === undefined) return true;
    const isType = needsAdminKey(problem);
    const enter = vscode.l10n.t('Enter an ADMIN key…');
    const retry = vscode.l10n.t('Retry');
    const chosen = await tellWarning(
      isType
        ? vscode.l10n.t(
            'The new API key is in use. The old one (…{0}) is still valid: revoking it takes a key of type ADMIN, or the service’s website.',
            old.last6,
          )
        : vscode.l10n.t(
            'The new API key is in use. The old one (…{0}) could not be revoked and is still valid: {1}',
            old.last6,
            problem.failure.message,
          ),
      isType ? enter : retry,
    );
    if (chosen === undefined) return false;
    if (isType && !(await enterManagementKey(run.host.account, run.profile))) return false;
  }
}

/** A key that is not there any more counts as revoked. */
async function tryToRevoke(
  { management: { service } }: RotationRun,
  old: KeyRotation['old'],
): Promise<ServiceError | undefined> {
  try {
    await showCancellable(vscode.l10n.t('Revoking the old API key…'), async (signal) => {
      const found = (await listApiKeys(service, { signal })).find((each) => isSameKey(old, each));
      if (found !== undefined) await revokeApiKey(service, found.id, { signal });
    });
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}
