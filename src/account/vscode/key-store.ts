import * as vscode from 'vscode';
import { type BoundKey, decodeStoredKey, encodeStoredKey, isSlotOf } from '../key-state.ts';
import type { Disposable } from '../../base/disposable.ts';

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
      return text === undefined ? undefined : decodeStoredKey(text);
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
      .filter((slot) => isSlotOf(profileId, slot));
  }

  /** @throws KeyNotStoredError */
  async store(slot: string, bound: BoundKey): Promise<void> {
    await this.#inTurn(async () => {
      const before = this.storedIn(slot);
      // First, so that nobody who hears of the new key takes it for one of an earlier session.
      await this.#mark(slot, vscode.env.sessionId);
      try {
        await this.#storeChecked(secretName(slot), encodeStoredKey(bound));
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
