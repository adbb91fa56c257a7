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
      const text = encodeStoredKey(bound);
      await this.#secrets.store(secretName(profileId), text).then(undefined, refuse);
      if ((await this.#secrets.get(secretName(profileId)).then(undefined, refuse)) !== text)
        refuse();
      await this.#state.update(markName(profileId), vscode.env.sessionId);
    });
  }

  async remove(profileId: string): Promise<void> {
    await this.#inTurn(async () => {
      await this.#secrets.delete(secretName(profileId));
      await this.#state.update(markName(profileId), undefined);
    });
  }

  /** Another window, or this one, changed the profile's key. */
  onDidChange(profileId: () => string, run: () => void): Disposable {
    return this.#secrets.onDidChange(({ key }) => {
      if (key === secretName(profileId())) run();
    });
  }

  /** Secret storage splits large values on some systems, so writes that overlap can mix. */
  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.#writing.then(run);
    this.#writing = turn.catch(() => {});
    return turn;
  }
}

// The storage's own error is dropped: it may quote the value.
function refuse(): never {
  throw new KeyNotStoredError();
}
