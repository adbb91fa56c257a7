import type * as vscode from 'vscode';
import type { Profile } from '../profile.ts';
import { findBaseUrlFailure, type ConfirmedOrigins } from '../../service/http/endpoint.ts';
import type { ServiceFailure } from '../../service/http/failure.ts';

const stateKey = 'service.unencryptedOrigins';
/** Maximum number of confirmed origins that are stored. */
const maxConfirmedOrigins = 100;

/**
 * Origins in the local network that the user confirmed for unencrypted connections. Stored for this machine and not in
 * settings, so that no workspace can confirm an origin.
 */
export class UnencryptedOrigins implements ConfirmedOrigins {
  readonly #state: vscode.Memento;

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  has(origin: string): boolean {
    return this.#listOrigins().includes(origin);
  }

  async storeConfirmedOrigin(origin: string): Promise<void> {
    const otherOrigins = this.#listOrigins().filter((storedOrigin) => storedOrigin !== origin);
    await this.#state.update(stateKey, [...otherOrigins, origin].slice(-maxConfirmedOrigins));
  }

  #listOrigins(): readonly string[] {
    const storedValue: unknown = this.#state.get(stateKey);
    return Array.isArray(storedValue)
      ? storedValue.filter((origin) => typeof origin === 'string')
      : [];
  }
}

/** Command of the button that permits unencrypted requests. The command is not in the manifest. */
export const allowUnencryptedCommand = 'inferenceService.allowUnencrypted';

/**
 * Argument of {@link allowUnencryptedCommand} that only this extension can pass, so that a workspace or a link cannot
 * confirm an origin.
 */
export const userConfirmation: object = Object.freeze({});

/** Members of an account that are necessary to confirm an origin for unencrypted requests. */
interface UnencryptedAccount {
  readonly profile: Pick<Profile, 'baseUrl'>;
  readonly unencryptedOrigins: ConfirmedOrigins;
  allowUnencryptedOrigin(origin: string): Promise<void>;
}

/** Arguments of {@link allowUnencryptedCommand}, and a callback that shows a failure. */
interface AllowUnencryptedOptions {
  readonly confirmation: unknown;
  /** Origin in the message whose button the user pressed. */
  readonly shownOrigin: unknown;
  readonly showFailure: (failure: ServiceFailure) => unknown;
}

/**
 * Permits unencrypted requests to the address of the active profile. The profile may have changed since the button was
 * shown. If the user saw another address, shows the address of the profile for confirmation first. Ignores calls
 * without {@link userConfirmation}.
 */
export async function allowUnencrypted(
  account: UnencryptedAccount,
  { confirmation, shownOrigin, showFailure }: AllowUnencryptedOptions,
): Promise<void> {
  const failure = findUnencryptedFailure(account);
  if (confirmation !== userConfirmation || failure?.origin === undefined) return;
  if (failure.origin === shownOrigin) await account.allowUnencryptedOrigin(failure.origin);
  else await showFailure(failure);
}

/** Returns a failure if the address of the active profile is unencrypted and the user has not confirmed the address. */
export function findUnencryptedFailure({
  profile,
  unencryptedOrigins,
}: Pick<UnencryptedAccount, 'profile' | 'unencryptedOrigins'>): ServiceFailure | undefined {
  const failure = findBaseUrlFailure(profile.baseUrl, unencryptedOrigins);
  return failure?.code === 'unencrypted-address' ? failure : undefined;
}
