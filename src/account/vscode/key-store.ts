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
  getSlotId,
} from '../key-state.ts';
import { defaultProfileId, type Profile } from '../profile.ts';
import { apiKeyVariable } from './account-view.ts';
import type { Disposable } from '../../base/disposable.ts';
import type { Log } from '../../platform/log.ts';
import { isApiKey, minKeyLength } from '../../service/http/endpoint.ts';

/** Error for a key that secret storage rejected or lost. The message contains no part of the key. */
export class KeyNotStoredError extends Error {
  constructor() {
    super('The editor’s secret storage did not keep the API key.');
    this.name = 'KeyNotStoredError';
  }
}

export const getKeyNotStoredMessage = (): string =>
  vscode.l10n.t(
    'The editor’s secret storage did not accept the API key, so it is not set. Set the environment variable {0} before the editor starts instead.',
    apiKeyVariable,
  );

const getSecretName = (slot: string): string => `inferenceService.key.${slot}`;
/**
 * Returns the name of the state entry for a slot. The entry contains the id of the VS Code session in which the key was
 * stored, and no secret. The entry still exists if secret storage loses the key.
 */
const getSessionEntryName = (slot: string): string => `keyStored.${slot}`;

/** Keys in VS Code's secret storage, one small record per slot. `getSlotId` creates the slot ids. */
export class KeyStore {
  readonly #secrets: vscode.SecretStorage;
  readonly #state: vscode.Memento;
  #lastWritePromise: Promise<unknown> = Promise.resolve();

  constructor({ secrets, globalState }: Pick<vscode.ExtensionContext, 'secrets' | 'globalState'>) {
    this.#secrets = secrets;
    this.#state = globalState;
  }

  /** Reads the key in a slot. Returns `unreadable` if secret storage fails. */
  async read(slot: string): Promise<BoundKey | 'unreadable' | undefined> {
    try {
      const text = await this.#secrets.get(getSecretName(slot));
      return text === undefined ? undefined : decodeBoundKey(text);
    } catch {
      return 'unreadable';
    }
  }

  /**
   * Returns the id of the session that stored the slot's key, even if secret storage lost the key.
   * Undefined after `remove`.
   */
  findStoringSessionId(slot: string): string | undefined {
    return this.#state.get<string>(getSessionEntryName(slot));
  }

  /** Returns the ids of all slots that contain a key of the profile. */
  listSlots(profileId: string): readonly string[] {
    const prefix = getSessionEntryName('');
    const entryNames = this.#state.keys().filter((name) => name.startsWith(prefix));
    return entryNames
      .map((name) => name.slice(prefix.length))
      .filter((slot) => isSlotOfProfile(profileId, slot));
  }

  /**
   * Stores a key, and reads it back to verify that secret storage returns it.
   * @throws KeyNotStoredError if secret storage rejects or loses the key
   */
  async store(slot: string, boundKey: BoundKey): Promise<void> {
    await this.#runSequentially(async () => {
      const previousSessionId = this.findStoringSessionId(slot);
      // Records the session first, so that no listener attributes the new key to an earlier
      // session.
      await this.#saveSessionId(slot, vscode.env.sessionId);
      try {
        await this.#storeAndVerify(getSecretName(slot), encodeBoundKey(boundKey));
      } catch {
        await this.#saveSessionId(slot, previousSessionId);
        // Drops the error of secret storage, because the message may quote the key.
        throw new KeyNotStoredError();
      }
    });
  }

  async remove(slot: string): Promise<void> {
    await this.#runSequentially(async () => {
      await this.#secrets.delete(getSecretName(slot));
      await this.#saveSessionId(slot, undefined);
    });
  }

  /**
   * Calls `run` when any window changes a key in one of the given slots.
   * @param getSlots Returns the ids of the slots. Called after each change of a secret.
   */
  onDidChange(getSlots: () => readonly string[], run: () => void): Disposable {
    return this.#secrets.onDidChange(({ key }) => {
      if (getSlots().map(getSecretName).includes(key)) run();
    });
  }

  async #storeAndVerify(name: string, text: string): Promise<void> {
    await this.#secrets.store(name, text);
    if ((await this.#secrets.get(name)) !== text)
      throw new Error('Secret storage did not return the stored key.');
  }

  async #saveSessionId(slot: string, sessionId: string | undefined): Promise<void> {
    await this.#state.update(getSessionEntryName(slot), sessionId);
  }

  /**
   * Runs writes one after another. Some systems split large values, so parts of concurrent writes
   * could mix.
   */
  #runSequentially<T>(run: () => Promise<T>): Promise<T> {
    const resultPromise = this.#lastWritePromise.then(run);
    this.#lastWritePromise = resultPromise.catch(() => {});
    return resultPromise;
  }
}

export type KeyRetention = 'kept' | 'forgotten' | 'unsure';

const lossEntryName = 'keysForgotten';

/**
 * Detects whether stored keys survive a restart of VS Code. VS Code has no API for this, so the class records whether
 * the keys of earlier sessions were found or lost.
 */
export class KeyMemory {
  readonly #state: vscode.Memento;

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  get retention(): KeyRetention {
    const wereKeysLost = this.#state.get<boolean>(lossEntryName);
    if (wereKeysLost === undefined) return getExpectedRetention();
    return wereKeysLost ? 'forgotten' : 'kept';
  }

  /**
   * Records whether a key of an earlier session was found or lost.
   * @param storingSessionId Id of the session that stored the key.
   * @param isFound True if secret storage still contains the key.
   */
  async recordKeyLookup({
    storingSessionId,
    isFound,
  }: {
    storingSessionId: string | undefined;
    isFound: boolean;
  }): Promise<void> {
    if (storingSessionId === undefined || storingSessionId === vscode.env.sessionId) return;
    if (this.#state.get(lossEntryName) !== !isFound)
      await this.#state.update(lossEntryName, !isFound);
  }
}

/**
 * Returns the retention to assume until a key of an earlier session is found or lost. In a browser, the server
 * determines whether keys survive; a local Linux desktop without a session bus has no keyring.
 */
function getExpectedRetention(): KeyRetention {
  if (vscode.env.uiKind === vscode.UIKind.Web) return 'unsure';
  const isLocalLinux = process.platform === 'linux' && vscode.env.remoteName === undefined;
  return isLocalLinux && !process.env['DBUS_SESSION_BUS_ADDRESS'] ? 'forgotten' : 'kept';
}

const storageKeyPrefix = 'keptKey.';

/**
 * Reads the stored information about the key in one slot. The information may describe a previous
 * key.
 */
export const readStoredKeyInfo = (
  state: vscode.Memento,
  profileId: string,
  slot?: KeySlot,
): StoredKey | undefined =>
  decodeStoredKey(state.get(storageKeyPrefix + getSlotId(profileId, slot)));

/** Saves the information about the key in one slot. All windows share the information. `undefined` deletes it. */
export async function saveStoredKeyInfo(
  state: vscode.Memento,
  { profileId, slot }: { readonly profileId: string; readonly slot?: KeySlot },
  key: StoredKey | undefined,
): Promise<void> {
  const name = storageKeyPrefix + getSlotId(profileId, slot);
  await state.update(name, key === undefined ? undefined : encodeStoredKey(key));
}

/**
 * Prefixes of the names of state entries with information about keys. Only earlier versions of the extension used the
 * last prefix, for records of the expiration warnings that were shown.
 */
const keyInfoPrefixes = ['keptKey.', 'keyRotation.', 'keyExpiryTold.'];

/**
 * Deletes the information about all keys of a profile. Includes unfinished key rotations, and the records of shown
 * expiration warnings that earlier versions of the extension stored.
 */
export async function deleteStoredKeyInfo(state: vscode.Memento, profileId: string): Promise<void> {
  for (const name of state.keys()) {
    const storedPrefix = keyInfoPrefixes.find((candidate) => name.startsWith(candidate));
    const slot = name.slice(storedPrefix?.length);
    if (storedPrefix !== undefined && isSlotOfProfile(profileId, slot))
      await state.update(name, undefined);
  }
}

/** Returns the workspace keys of a profile, sorted by workspace name. */
export const readWorkspaceKeys = (state: vscode.Memento, profileId: string): readonly StoredKey[] =>
  state
    .keys()
    .filter((name) => name.startsWith(`${storageKeyPrefix}${profileId}.`))
    .flatMap((name) => decodeStoredKey(state.get(name)) ?? [])
    .filter(({ workspace }) => workspace !== undefined)
    .sort((a, b) => (a.workspace?.name ?? '').localeCompare(b.workspace?.name ?? ''));

/**
 * Key from the environment, for the default profile. The environment contains no base URL, so the key is bound to the
 * first configured origin until the window reloads.
 */
export class EnvironmentKey {
  /** The key; undefined if the environment variable is missing or invalid. */
  readonly key: string | undefined;
  #boundKey: BoundKey | undefined;

  constructor(environment: NodeJS.ProcessEnv, log: Log) {
    const key = environment[apiKeyVariable]?.trim() ?? '';
    // A server on this machine may have a shorter key. The length is checked again with the origin.
    if (isApiKey(key.padEnd(minKeyLength, '_')) && key !== '') this.key = key;
    else if (key !== '') log.warn(`${apiKeyVariable} contains no API key and is not used.`);
  }

  isForProfile({ id }: Profile): boolean {
    return id === defaultProfileId && this.key !== undefined;
  }

  /**
   * Returns the key from the environment with the origin to which it is bound. Returns `undefined` if the profile is
   * not the default profile, if the key is missing or invalid, or if no origin is known yet.
   * @param origin Origin of the profile's base URL; undefined without a base URL.
   */
  getBoundKey(profile: Profile, origin: string | undefined): BoundKey | undefined {
    if (!this.isForProfile(profile)) return undefined;
    const { key } = this;
    if (key !== undefined && origin !== undefined && isApiKey(key, new URL(origin)))
      this.#boundKey ??= { origin, key };
    return this.#boundKey;
  }
}
