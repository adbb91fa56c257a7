import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { writeFileAtomically } from './atomic-file.ts';

/** Long enough to join the keys of a word, short enough that a crash costs no more than that. */
const delayMs = 300;

/**
 * Short texts by name, one file each, written a moment after their last change. VS Code's own state is
 * written only every few seconds: a crash would cost what was typed last.
 */
export class KeptTexts {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  readonly #waiting = new Map<string, string>();
  #cancel: (() => void) | undefined;
  #writes: Promise<void> = Promise.resolve();

  /** @param onError Told when the disk refuses; the text is tried again with its next change. */
  constructor(folder: string, clock: Clock, onError: (error: unknown) => void) {
    this.#folder = folder;
    this.#clock = clock;
    this.#onError = onError;
  }

  /** Empty when there is none. */
  async get(name: string): Promise<string> {
    const waiting = this.#waiting.get(name);
    return waiting ?? (await readFile(this.#path(name), 'utf8').catch(() => ''));
  }

  /** An empty text removes the file. */
  set(name: string, text: string): void {
    this.#waiting.set(name, text);
    // Not put off by the next key: someone who types without a pause is saved as well.
    this.#cancel ??= this.#clock.after(delayMs, () => void this.flush());
  }

  /** Resolves when everything set is on disk, or the disk refused. */
  flush(): Promise<void> {
    this.#cancel?.();
    this.#cancel = undefined;
    const texts = [...this.#waiting];
    this.#writes = this.#writes.then(() => this.#writeAll(texts));
    return this.#writes;
  }

  async #writeAll(texts: readonly (readonly [string, string])[]): Promise<void> {
    for (const [name, text] of texts) await this.#write(name, text);
  }

  async #write(name: string, text: string): Promise<void> {
    try {
      if (text === '') await rm(this.#path(name), { force: true });
      else await writeFileAtomically(this.#path(name), text);
      if (this.#waiting.get(name) === text) this.#waiting.delete(name);
    } catch (error) {
      this.#onError(error);
    }
  }

  #path(name: string): string {
    return join(this.#folder, name);
  }
}
