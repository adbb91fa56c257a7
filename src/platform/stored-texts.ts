import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { renameUnreadableFile, writeFileAtomically } from './atomic-file.ts';

/**
 * Delay in milliseconds between a change of a text and its write, so that one write covers several key presses. A crash
 * loses at most the text typed during this delay.
 */
const writeDelayMs = 300;

/**
 * Storage for short texts by name, each in a separate file. Texts are written shortly after a
 * change, because VS Code saves extension state only every few seconds.
 */
export class StoredTexts {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  readonly #pendingTexts = new Map<string, string>();
  #cancel: (() => void) | undefined;
  #writeQueue: Promise<void> = Promise.resolve();

  /** @param onError Called if a write fails. The next change of the same text retries the write. */
  constructor(folder: string, clock: Clock, onError: (error: unknown) => void) {
    this.#folder = folder;
    this.#clock = clock;
    this.#onError = onError;
  }

  /** Returns the stored text with this name, or an empty string if none is stored. */
  async get(name: string): Promise<string> {
    const pendingText = this.#pendingTexts.get(name);
    return pendingText ?? (await readFile(this.#getPath(name), 'utf8').catch(() => ''));
  }

  /** Returns the time of the last change in milliseconds since the epoch; 0 if no text is stored. */
  async getChangeTime(name: string): Promise<number> {
    if (this.#pendingTexts.has(name)) return this.#clock.now();
    return (await stat(this.#getPath(name)).catch(() => undefined))?.mtimeMs ?? 0;
  }

  /** Returns all stored texts, including those that other windows stored. */
  async list(): Promise<readonly string[]> {
    return Promise.all((await this.listNames()).map((name) => this.get(name)));
  }

  /** Returns the names of all texts, including those that other windows stored. */
  async listNames(): Promise<readonly string[]> {
    const names = await readdir(this.#folder).catch(() => []);
    return [...new Set([...names, ...this.#pendingTexts.keys()])];
  }

  /**
   * Renames the file of a stored text that cannot be decoded, so that the next text with this name does not replace the
   * file.
   */
  async renameUnreadableText(name: string): Promise<void> {
    await renameUnreadableFile(this.#getPath(name)).catch(this.#onError);
  }

  /** Stores a text after a short delay. An empty text deletes the file. */
  set(name: string, text: string): void {
    this.#pendingTexts.set(name, text);
    // Further changes do not delay the write, so that continuous typing is saved as well.
    this.#cancel ??= this.#clock.after(writeDelayMs, () => void this.flush());
  }

  /** Writes all pending texts immediately. Resolves when every write has completed or failed. */
  flush(): Promise<void> {
    this.#cancel?.();
    this.#cancel = undefined;
    const texts = [...this.#pendingTexts];
    this.#writeQueue = this.#writeQueue.then(() => this.#writeTexts(texts));
    return this.#writeQueue;
  }

  async #writeTexts(texts: readonly (readonly [string, string])[]): Promise<void> {
    for (const [name, text] of texts) await this.#writeText(name, text);
  }

  async #writeText(name: string, text: string): Promise<void> {
    try {
      if (text === '') await rm(this.#getPath(name), { force: true });
      else await writeFileAtomically(this.#getPath(name), text);
      if (this.#pendingTexts.get(name) === text) this.#pendingTexts.delete(name);
    } catch (error) {
      this.#onError(error);
    }
  }

  #getPath(name: string): string {
    return join(this.#folder, name);
  }
}
