import type { Disposable } from './disposable.ts';

/** Subscribes `listener`; it stays subscribed until the returned disposable is disposed. */
export type Event<T> = (listener: (value: T) => void) => Disposable;

/** The firing side of an {@link Event}. A listener that throws does not prevent the others from being called. */
export class Emitter<T> implements Disposable {
  readonly #listeners = new Set<(value: T) => void>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void = () => {}) {
    this.#onError = onError;
  }

  readonly event: Event<T> = (listener) => {
    // A wrapper, so that the same function subscribed twice is two subscriptions.
    const entry = (value: T): void => listener(value);
    this.#listeners.add(entry);
    return { dispose: () => this.#listeners.delete(entry) };
  };

  fire(value: T): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(value);
      } catch (error) {
        this.#onError(error);
      }
    }
  }

  dispose(): void {
    this.#listeners.clear();
  }
}
