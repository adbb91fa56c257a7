import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { writeFileAtomically } from './atomic-file.ts';

/**
 * Delay in milliseconds between a change and its write. Combines several keystrokes into one write; a crash loses at
 * most this much typing.
 */
const delayMs = 300;

/**
 * Stores short texts by name, each in its own file, shortly after a change. VS Code saves extension state only every
 * few seconds, so a crash would lose recent typing.
 */
export class StoredTexts {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  readonly #pending = new Map<string, string>();
  #cancel: (() => void) | undefined;
  #writeQueue: Promise<void> = Promise.resolve();

  /** @param onError Called when a write fails. The text is written again with its next change. */
  constructor(folder: string, clock: Clock, onError: (error: unknown) => void) {
    this.#folder = folder;
    this.#clock = clock;
    this.#onError = onError;
  }

  /** Returns an empty text if none is stored. */
  async get(name: string): Promise<string> {
    const pending = this.#pending.get(name);
    return pending ?? (await readFile(this.#path(name), 'utf8').catch(() => ''));
  }

  /** Stores a text. An empty text deletes the file. */
  set(name: string, text: string): void {
    this.#pending.set(name, text);
    // Further changes do not postpone the write, so that continuous typing is saved too.
    this.#cancel ??= this.#clock.after(delayMs, () => void this.flush());
  }

  /** Resolves once every text is written or its write has failed. */
  flush(): Promise<void> {
    this.#cancel?.();
    this.#cancel = undefined;
    const texts = [...this.#pending];
    this.#writeQueue = this.#writeQueue.then(() => this.#writeAll(texts));
    return this.#writeQueue;
  }

  async #writeAll(texts: readonly (readonly [string, string])[]): Promise<void> {
    for (const [name, text] of texts) await this.#write(name, text);
  }

  async #write(name: string, text: string): Promise<void> {
    try {
      if (text === '') await rm(this.#path(name), { force: true });
      else await writeFileAtomically(this.#path(name), text);
      if (this.#pending.get(name) === text) this.#pending.delete(name);
    } catch (error) {
      this.#onError(error);
    }
  }

  #path(name: string): string {
    return join(this.#folder, name);
  }
}
