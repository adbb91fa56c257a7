import type * as vscode from 'vscode';
import type { Balance, Outcome } from '../health.ts';
import { isSignedInBy, type KeySlot, type KeyState } from '../key-state.ts';
import type { Profile } from '../profile.ts';
import type { KeyRetention } from './key-store.ts';
import type { Disposable } from '../../base/disposable.ts';
import type { Event } from '../../base/event.ts';
import type { AccountView } from '../protocol.ts';
import type { ContextKeys } from '../../platform/commands.ts';
import type { TransportSource } from '../../platform/network.ts';
import type { Endpoint, ServiceContext } from '../../service/http/client.ts';
import { baseUrlFailure } from '../../service/http/endpoint.ts';
import type { ServiceClock } from '../../service/http/service-clock.ts';

/** The active profile with its key, and how it is doing. */
export interface Account {
  /** Id of the active profile: its name, or `default`. Stable; used to key caches. */
  readonly profileId: string;
  readonly profile: Profile;
  /** As last read; `readKey` and `endpoint` read anew. */
  readonly key: KeyState;
  readKey(): Promise<KeyState>;
  readonly view: AccountView;
  /** As the last reply told it, in the service's units. */
  readonly balance: Balance;
  /** The profile, its key, its health or its balance changed. */
  readonly onDidChange: Event<void>;
  /**
   * Where calls go now, with the key when one is stored for exactly that origin.
   * @throws ServiceError `no-address`, `invalid-address`
   */
  endpoint(): Promise<Endpoint>;
  /**
   * Takes what a finished call says about the account: failures are logged, and those that need the person show in
   * the status. Only the log counts when `profile`, as it was when the call began, is not the active one any more.
   */
  report(outcome: Outcome, profile: Profile): void;
  /** Takes a balance that a call with another key of the account told; nothing else follows from such a call. */
  reportBalance(balance: Balance, profile: Profile): void;
  /**
   * Keeps `key` for the origin of the profile's address, in the place of the one that is there. Without a place it is what
   * the person chose last: requests use it, and are not paid with a wallet any more.
   * @throws ServiceError `no-address`, `invalid-address`, `invalid-key`
   * @throws KeyNotStoredError when secret storage refuses or forgets it at once
   */
  storeKey(profile: Profile, key: string, place?: KeySlot): Promise<void>;
  /** Forgets the stored key of a profile; a key from the environment stays. */
  removeKey(profileId: string, place?: KeySlot): Promise<void>;
  /** Forgets the keys of a profile in all places, and what is known of them. */
  removeKeys(profileId: string): Promise<void>;
  /** What is stored for the origin of the profile's address in one place; never the environment's. */
  readStoredKey(profile: Profile, place: KeySlot): Promise<string | undefined>;
  /** What is kept between sessions, for all windows. Nothing secret. */
  readonly state: vscode.Memento;
  /** Whether stored keys survive a restart of the editor. */
  readonly keyRetention: KeyRetention;
  readonly service: ServiceContext;
  /** The time as the service has it, by the replies to {@link service}. */
  readonly serviceClock: ServiceClock;
  /** Reads the key anew: what signs the calls was changed. */
  refresh(): Promise<void>;
  readonly transports: TransportSource;
}

/** Whether calls can be signed in, as far as is known: before the key was read, whether there was one the last time. */
export function isSignedIn({ key, profile }: Pick<Account, 'key' | 'profile'>): boolean {
  const hasKey = isSignedInBy(key) || (key.kind === 'unread' && key.expected);
  return hasKey && baseUrlFailure(profile.baseUrl) === undefined;
}

/**
 * The walkthrough ticks off its first step, and what needs a key is shown, from now on until disposed. What is told
 * before the editor has read the walkthrough is no event for it: so the manifest names its page as well.
 */
export function observeSignIn(
  account: Pick<Account, 'key' | 'profile' | 'onDidChange'>,
  keys: Pick<ContextKeys, 'set'>,
): Disposable {
  const tell = (): void => keys.set('signedIn', isSignedIn(account));
  tell();
  return account.onDidChange(tell);
}
