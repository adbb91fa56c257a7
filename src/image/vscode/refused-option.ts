import type { Account } from '../../account/vscode/account.ts';
import type { FailureAction } from '../../service/http/failure.ts';
import type { ImageFailure } from './image-failure.ts';

type Connections = Pick<Account, 'connection' | 'connectionFor'>;

/** Returns the actions of a failure that can still be run. Another service may be active since the failure. */
export const availableActions = (
  { actions, service }: ImageFailure,
  account: Connections,
): readonly FailureAction[] =>
  actions.filter((action) => action !== 'send-without' || isActive(service?.connection, account));

/**
 * Leaves out the refused option in further requests to the service that refused it. Returns false if another service is
 * active, or if no option was refused.
 */
export function omitRefusedField(
  { service }: Pick<ImageFailure, 'service'>,
  account: Connections,
): boolean {
  const { refusedField, connection } = service ?? {};
  if (refusedField === undefined || connection === undefined) return false;
  account.connectionFor(new URL(connection)).omit(refusedField);
  return isActive(connection, account);
}

/** Checks whether a base URL is the active one. */
function isActive(baseUrl: string | undefined, account: Connections): boolean {
  try {
    return baseUrl !== undefined && account.connectionFor(new URL(baseUrl)) === account.connection;
  } catch {
    // The active profile has no valid base URL.
    return false;
  }
}
