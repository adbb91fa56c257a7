import type * as vscode from 'vscode';
import type { Balance, CallOutcome } from '../health.ts';
import { isSignedInState, type KeySlot, type KeyState } from '../key-state.ts';
import type { Profile } from '../profile.ts';
import type { RecentOutcome } from '../recent-outcomes.ts';
import type { KeyRetention } from './key-store.ts';
import type { Disposable } from '../../base/disposable.ts';
import type { Event } from '../../base/event.ts';
import type { AccountView } from '../protocol.ts';
import type { ContextKeys } from '../../platform/commands.ts';
import type { TransportSource } from '../../platform/network.ts';
import type { Endpoint, ServiceContext } from '../../service/http/client.ts';
import { Connection, readConnectionFacts } from '../../service/http/connection.ts';
import { findBaseUrlFailure, type ConfirmedOrigins } from '../../service/http/endpoint.ts';
import type { ServiceClock } from '../../service/http/service-clock.ts';
import { isRecord } from '../../base/json.ts';

/** The active profile with its key, status and balance. */
export interface Account {
  /**
   * Id of the active profile: its name, or `default`. Does not change while the profile exists, so caches can use it as
   * a key.
   */
  readonly profileId: string;
  readonly profile: Profile;
  /** State of the key when it was last read. The methods `readKey` and `getEndpoint` read the key again. */
  readonly key: KeyState;
  readKey(): Promise<KeyState>;
  readonly view: AccountView;
  /** Balance from the last reply, in US dollars and DIEM. */
  readonly balance: Balance;
  /** Outcomes of the last calls of the active profile, oldest first. */
  readonly recentOutcomes: readonly RecentOutcome[];
  /** Fires when the profile, its key, its health or its balance changes. */
  readonly onDidChange: Event<void>;
  /**
   * Returns the base URL for calls, with the key if one is stored for exactly that origin.
   * @throws ServiceError `no-address`, `invalid-address` or `unencrypted-address` if the base URL is missing, invalid,
   *   or unencrypted without the user's permission
   */
  getEndpoint(): Promise<Endpoint>;
  /**
   * Records the outcome of a finished call: logs a failure, and changes the status if the failure needs the user's
   * action.
   * @param profile Profile at the start of the call. If it is no longer active, the method only logs the failure.
   */
  reportOutcome(outcome: CallOutcome, profile: Profile): void;
  /**
   * Records the balance from a reply to a call with a key other than the active key. Does not change the account's
   * health.
   */
  reportBalance(balance: Balance, profile: Profile): void;
  /**
   * Stores `key` for the origin of the profile's base URL and replaces the previous key. Without `slot`, all later
   * requests use this key, and a wallet no longer pays for requests.
   * @throws ServiceError `no-address`, `invalid-address`, `unencrypted-address` or `invalid-key` if the base URL or the
   *   key cannot be used
   * @throws KeyNotStoredError if secret storage rejects or loses the key
   */
  storeKey(profile: Profile, key: string, slot?: KeySlot): Promise<void>;
  /** Removes the stored key of a profile. A key from the environment remains. */
  removeKey(profileId: string, slot?: KeySlot): Promise<void>;
  /** Removes a profile's keys from all slots, and the stored information about these keys. */
  removeKeys(profileId: string): Promise<void>;
  /**
   * Reads the stored key in one slot. Returns `undefined` if the key is not bound to the origin of the profile's base
   * URL. Does not return a key from the environment.
   */
  readStoredKey(profile: Profile, slot: KeySlot): Promise<string | undefined>;
  /** State stored between sessions and shared by all windows. Contains no secrets. */
  readonly state: vscode.Memento;
  /** Indicates whether stored keys survive a restart of VS Code. */
  readonly keyRetention: KeyRetention;
  readonly service: ServiceContext;
  /**
   * Facts about the service of the active profile, such as the request fields that it rejects, read from its replies.
   * @throws ServiceError if the profile has no valid base URL
   */
  readonly connection: Connection;
  /**
   * Returns the facts about the service at a base URL, such as the request fields that it rejects, read from its
   * replies.
   */
  getConnection(baseUrl: URL): Connection;
  /** Forgets which fields services have rejected, so that later requests contain these fields again. */
  forgetRefusedFields(): void;
  /** Estimate of the service's clock, computed from the replies to the account's requests. */
  readonly serviceClock: ServiceClock;
  /**
   * Records that the profile's server needs no key. Has an effect only for a server on this machine. After the server
   * has rejected a call without a key, only the source `user` (the user confirmed an empty key) has an effect.
   */
  reportKeylessServer(profile: Profile, source: KeylessSource): void;
  /** Origins in the local network to which the user permits unencrypted requests. */
  readonly unencryptedOrigins: ConfirmedOrigins;
  /**
   * Address from the connect form for the active profile: as the user typed it or, if the extension completed it, the
   * completed address. Empty if the profile has changed since then. Not stored across restarts of VS Code.
   */
  typedAddress: string;
  /** Permits unencrypted requests to an origin. Call this only after the user agreed. */
  allowUnencryptedOrigin(origin: string): Promise<void>;
  /** Reads the key again. Call this function after the sign-in method changes, for example to a wallet. */
  reloadKey(): Promise<void>;
  readonly transports: TransportSource;
}

/**
 * Checks whether calls can be authenticated. Until the key is read, assumes the state of the last
 * session.
 */
export function isSignedIn({
  key,
  profile,
  unencryptedOrigins,
}: Pick<Account, 'key' | 'profile' | 'unencryptedOrigins'>): boolean {
  const hasKey = isSignedInState(key) || (key.kind === 'unread' && key.isKeyExpected);
  return hasKey && findBaseUrlFailure(profile.baseUrl, unencryptedOrigins) === undefined;
}

/**
 * Sets the context keys `signedIn` and `environmentKey` now and after each change of the account, until the returned
 * object is disposed. `environmentKey` hides the command "Remove API Key" for a key from the environment. `signedIn`
 * shows the UI that needs a key, and completes the first walkthrough step. The manifest contains a second completion
 * event for this step, because VS Code ignores changes of context keys until the walkthrough is loaded.
 */
export function observeSignIn(
  account: Pick<Account, 'key' | 'profile' | 'unencryptedOrigins' | 'onDidChange'>,
  keys: Pick<ContextKeys, 'set'>,
): Disposable {
  const setContextKeys = (): void => {
    const { key } = account;
    keys.set('signedIn', isSignedIn(account));
    keys.set('environmentKey', key.kind === 'usable' && key.source === 'environment');
  };
  setContextKeys();
  return account.onDidChange(setContextKeys);
}

const stateKey = 'service.connections';
/** Maximum number of deployments for which {@link Connections} stores facts. */
const maxStoredDeployments = 30;

/**
 * Stores facts about each deployment by base URL, such as the request fields that it rejects. The facts are read from
 * its replies and persist across restarts of VS Code.
 */
export class Connections {
  readonly #state: vscode.Memento;
  readonly #connectionsByUrl = new Map<string, Connection>();

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  get(baseUrl: URL): Connection {
    const { href } = baseUrl;
    const existingConnection = this.#connectionsByUrl.get(href);
    if (existingConnection !== undefined) return existingConnection;
    const connection = new Connection(
      readConnectionFacts(this.#readStoredRecords()[href]),
      (facts) => {
        const { [href]: _, ...otherRecords } = this.#readStoredRecords();
        const otherEntries = Object.entries(otherRecords).slice(1 - maxStoredDeployments);
        void this.#state.update(stateKey, { ...Object.fromEntries(otherEntries), [href]: facts });
      },
    );
    this.#connectionsByUrl.set(href, connection);
    return connection;
  }

  /** Forgets which fields any service has rejected, so that later requests contain these fields again. */
  forgetRefusedFields(): void {
    const addresses = new Set([
      ...Object.keys(this.#readStoredRecords()),
      ...this.#connectionsByUrl.keys(),
    ]);
    for (const href of addresses)
      if (URL.canParse(href)) forgetRefusedFields(this.get(new URL(href)));
  }

  #readStoredRecords(): Record<string, unknown> {
    const storedValue = this.#state.get(stateKey);
    return isRecord(storedValue) ? storedValue : {};
  }
}

/** Name of the stored fact that a deployment answers requests without an API key (true) or rejects them (false). */
const answersWithoutKeyFactKey = 'no-key';

/**
 * Evidence that a server needs no key. `model-list`: the server listed its models without a key, which does not prove
 * that chats need no key. `user`: the user confirmed an empty key.
 */
export type KeylessSource = 'model-list' | 'user';

export const needsNoKey = ({ facts }: Connection): boolean =>
  facts.fields?.[answersWithoutKeyFactKey] === true;

/**
 * Records that the server answers without a key. After the server has rejected a call without a key, only the source
 * `user` (the user confirmed an empty key) has an effect.
 */
export function recordNoKeyNeeded(connection: Connection, source: KeylessSource): void {
  const isRefuted = connection.facts.fields?.[answersWithoutKeyFactKey] === false;
  if (source === 'user' || !isRefuted) connection.recordField(answersWithoutKeyFactKey, true);
}

/** Records that the server refused a call without a key. */
export const recordKeyNeeded = (connection: Connection): void =>
  connection.recordField(answersWithoutKeyFactKey, false);

/** Forgets which fields the server has rejected, but remembers whether it rejected a call without a key. */
function forgetRefusedFields(connection: Connection): void {
  const isRefuted = connection.facts.fields?.[answersWithoutKeyFactKey] === false;
  connection.clearRefusals();
  if (isRefuted) recordKeyNeeded(connection);
}
