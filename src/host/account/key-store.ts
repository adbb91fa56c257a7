import * as vscode from 'vscode';
import { type BoundKey, decodeStoredKey, encodeStoredKey } from '../../account/stored-key.ts';
import type { Disposable } from '../../base/disposable.ts';

/** Secret storage refused a key, or did not give it back. The message holds no part of the key. */
export class KeyNotStoredError extends Error {
  constructor() {
    super('The editor’s secret storage did not keep the API key.');
    this.name = 'KeyNotStoredError';
  }
}

const secretName = (profileId: string): string => `inferenceService.key.${profileId}`;
/** Which editor session stored the key. Holds nothing secret, and outlives a forgetful secret storage. */
const markName = (profileId: string): string => `keyStored.${profileId}`;

/** The keys in the editor's secret storage, one small record per profile. */
export class KeyStore {
  readonly #secrets: vscode.SecretStorage;
  readonly #state: vscode.Memento;
  #writing: Promise<unknown> = Promise.resolve();

  constructor({ secrets, globalState }: Pick<vscode.ExtensionContext, 'secrets' | 'globalState'>) {
    this.#secrets = secrets;
    this.#state = globalState;
  }

  /** A storage that cannot be read counts as one that holds nothing readable. */
  async read(profileId: string): Promise<BoundKey | 'unreadable' | undefined> {
    try {
      const text = await this.#secrets.get(secretName(profileId));
      return text === undefined ? undefined : decodeStoredKey(text);
    } catch {
      return 'unreadable';
    }
  }

  /** The editor session in which a key was stored that was not removed since, whatever secret storage says now. */
  storedIn(profileId: string): string | undefined {
    return this.#state.get<string>(markName(profileId));
  }

  /** @throws KeyNotStoredError */
  async store(profileId: string, bound: BoundKey): Promise<void> {
    await this.#inTurn(async () => {
      const before = this.storedIn(profileId);
      // First, so that nobody who hears of the new key takes it for one of an earlier session.
      await this.#mark(profileId, vscode.env.sessionId);
      try {
        await this.#storeChecked(secretName(profileId), encodeStoredKey(bound));
      } catch {
        await this.#mark(profileId, before);
        // The storage's own error is dropped: it may quote the key.
        throw new KeyNotStoredError();
      }
    });
  }

  async remove(profileId: string): Promise<void> {
    await this.#inTurn(async () => {
      await this.#secrets.delete(secretName(profileId));
      await this.#mark(profileId, undefined);
    });
  }

  /** Another window, or this one, changed the profile's key. */
  onDidChange(profileId: () => string, run: () => void): Disposable {
    return this.#secrets.onDidChange(({ key }) => {
      if (key === secretName(profileId())) run();
    });
  }

  async #storeChecked(name: string, text: string): Promise<void> {
    await this.#secrets.store(name, text);
    if ((await this.#secrets.get(name)) !== text) throw new Error('not there');
  }

  async #mark(profileId: string, session: string | undefined): Promise<void> {
    await this.#state.update(markName(profileId), session);
  }

  /** Secret storage splits large values on some systems, so writes that overlap can mix. */
  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.#writing.then(run);
    this.#writing = turn.catch(() => {});
    return turn;
  }
}
