import * as vscode from 'vscode';
import {
  type BoundKey,
  decodeStoredKey,
  decodeBoundKey,
  encodeStoredKey,
  encodeBoundKey,
  isSlotOfProfile,
  type StoredKey,
  type KeySlot,
  slotId,
} from '../key-state.ts';
import { defaultProfileId, type Profile } from '../profile.ts';
import { keyVariable } from './account-view.ts';
import type { Disposable } from '../../base/disposable.ts';
import type { Log } from '../../platform/log.ts';
import { isApiKey } from '../../service/http/endpoint.ts';

/** Secret storage refused a key, or did not give it back. The message holds no part of the key. */
export class KeyNotStoredError extends Error {
  constructor() {
    super('The editor’s secret storage did not keep the API key.');
    this.name = 'KeyNotStoredError';
  }
}

const secretName = (slot: string): string => `inferenceService.key.${slot}`;
/** Which editor session stored the key. Holds nothing secret, and outlives a forgetful secret storage. */
const markName = (slot: string): string => `keyStored.${slot}`;

/** The keys in the editor's secret storage, one small record per slot: a place of a profile, as `slotOf` names it. */
export class KeyStore {
  readonly #secrets: vscode.SecretStorage;
  readonly #state: vscode.Memento;
  #writing: Promise<unknown> = Promise.resolve();

  constructor({ secrets, globalState }: Pick<vscode.ExtensionContext, 'secrets' | 'globalState'>) {
    this.#secrets = secrets;
    this.#state = globalState;
  }

  /** A storage that cannot be read counts as one that holds nothing readable. */
  async read(slot: string): Promise<BoundKey | 'unreadable' | undefined> {
    try {
      const text = await this.#secrets.get(secretName(slot));
      return text === undefined ? undefined : decodeBoundKey(text);
    } catch {
      return 'unreadable';
    }
  }

  /** The editor session in which a key was stored that was not removed since, whatever secret storage says now. */
  storedIn(slot: string): string | undefined {
    return this.#state.get<string>(markName(slot));
  }

  /** All that have a key of the profile. */
  slotsOf(profileId: string): readonly string[] {
    const start = markName('');
    const marks = this.#state.keys().filter((name) => name.startsWith(start));
    return marks
      .map((name) => name.slice(start.length))
      .filter((slot) => isSlotOfProfile(profileId, slot));
  }

  /** @throws KeyNotStoredError */
  async store(slot: string, bound: BoundKey): Promise<void> {
    await this.#inTurn(async () => {
      const before = this.storedIn(slot);
      // First, so that nobody who hears of the new key takes it for one of an earlier session.
      await this.#mark(slot, vscode.env.sessionId);
      try {
        await this.#storeChecked(secretName(slot), encodeBoundKey(bound));
      } catch {
        await this.#mark(slot, before);
        // The storage's own error is dropped: it may quote the key.
        throw new KeyNotStoredError();
      }
    });
  }

  async remove(slot: string): Promise<void> {
    await this.#inTurn(async () => {
      await this.#secrets.delete(secretName(slot));
      await this.#mark(slot, undefined);
    });
  }

  /** Another window, or this one, changed the key in one of the slots. */
  onDidChange(slots: () => readonly string[], run: () => void): Disposable {
    return this.#secrets.onDidChange(({ key }) => {
      if (slots().map(secretName).includes(key)) run();
    });
  }

  async #storeChecked(name: string, text: string): Promise<void> {
    await this.#secrets.store(name, text);
    if ((await this.#secrets.get(name)) !== text) throw new Error('not there');
  }

  async #mark(slot: string, session: string | undefined): Promise<void> {
    await this.#state.update(markName(slot), session);
  }

  /** Secret storage splits large values on some systems, so writes that overlap can mix. */
  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.#writing.then(run);
    this.#writing = turn.catch(() => {});
    return turn;
  }
}

export type KeyRetention = 'kept' | 'forgotten' | 'unsure';

const stateName = 'keysForgotten';

/**
 * Whether keys survive a restart of the editor here. No API tells, so it is learnt: a key that was stored in an
 * earlier session and is gone proves that they do not, one that is still there proves that they do.
 */
export class KeyMemory {
  readonly #state: vscode.Memento;

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  get retention(): KeyRetention {
    const forgot = this.#state.get<boolean>(stateName);
    if (forgot === undefined) return expectation();
    return forgot ? 'forgotten' : 'kept';
  }

  /** @param storedIn The editor session that stored the key; @param found whether storage still has it. */
  async learn({
    storedIn,
    found,
  }: {
    storedIn: string | undefined;
    found: boolean;
  }): Promise<void> {
    if (storedIn === undefined || storedIn === vscode.env.sessionId) return;
    if (this.#state.get(stateName) !== !found) await this.#state.update(stateName, !found);
  }
}

/** In a browser the server decides; a local Linux desktop without a session bus has no keyring. */
function expectation(): KeyRetention {
  if (vscode.env.uiKind === vscode.UIKind.Web) return 'unsure';
  const isLocalLinux = process.platform === 'linux' && vscode.env.remoteName === undefined;
  return isLocalLinux && !process.env['DBUS_SESSION_BUS_ADDRESS'] ? 'forgotten' : 'kept';
}

const prefix = 'keptKey.';

/** What is known of the key in one place; absent when nothing is. It may be of a key that was there before. */
export const readStoredKeyInfo = (
  state: vscode.Memento,
  profileId: string,
  place?: KeySlot,
): StoredKey | undefined => decodeStoredKey(state.get(prefix + slotId(profileId, place)));

/** Keeps what is known of the key in one place, for all windows; `undefined` forgets it. */
export async function saveStoredKeyInfo(
  state: vscode.Memento,
  { profileId, place: slot }: { readonly profileId: string; readonly place?: KeySlot },
  key: StoredKey | undefined,
): Promise<void> {
  const name = prefix + slotId(profileId, slot);
  await state.update(name, key === undefined ? undefined : encodeStoredKey(key));
}

/** Forgets what is known of the keys of a profile in all places: rotations and told warnings too. */
export async function deleteStoredKeyInfo(state: vscode.Memento, profileId: string): Promise<void> {
  for (const name of state.keys()) {
    const [, slot = ''] = /^(?:keptKey|keyRotation|keyExpiryTold)\.(.*)$/u.exec(name) ?? [];
    if (isSlotOfProfile(profileId, slot)) await state.update(name, undefined);
  }
}

/** The keys of a profile that are for one workspace each, by the names of the workspaces. */
export const workspaceKeys = (state: vscode.Memento, profileId: string): readonly StoredKey[] =>
  state
    .keys()
    .filter((name) => name.startsWith(`${prefix}${profileId}.`))
    .flatMap((name) => decodeStoredKey(state.get(name)) ?? [])
    .filter(({ workspace }) => workspace !== undefined)
    .sort((a, b) => (a.workspace?.name ?? '').localeCompare(b.workspace?.name ?? ''));

/**
 * The key that the environment gives to the default profile. The environment names no address, so the key belongs to
 * the first one that is configured; a reload binds anew.
 */
export class EnvironmentKey {
  /** Absent when the variable is not set, or holds no key. */
  readonly key: string | undefined;
  #bound: BoundKey | undefined;

  constructor(environment: NodeJS.ProcessEnv, log: Log) {
    const key = environment[keyVariable]?.trim() ?? '';
    if (isApiKey(key)) this.key = key;
    else if (key !== '') log.warn(`${keyVariable} does not hold an API key and is not used.`);
  }

  isFor({ id }: Profile): boolean {
    return id === defaultProfileId && this.key !== undefined;
  }

  /** @param origin Of the profile's address; absent when it has none. */
  of(profile: Profile, origin: string | undefined): BoundKey | undefined {
    if (!this.isFor(profile)) return undefined;
    if (this.key !== undefined && origin !== undefined) this.#bound ??= { origin, key: this.key };
    return this.#bound;
  }
}
