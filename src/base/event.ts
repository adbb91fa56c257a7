import type { Disposable } from './disposable.ts';

/** Function that subscribes `listener` to an event. Disposing the result ends the subscription. */
export type Event<T> = (listener: (value: T) => void) => Disposable;

/**
 * Source of an {@link Event}. Calls all listeners, even if one of the listeners throws an error.
 */
export class Emitter<T> implements Disposable {
  readonly #listeners = new Set<(value: T) => void>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void = () => {}) {
    this.#onError = onError;
  }

  readonly event: Event<T> = (listener) => {
    // Without this wrapper, the set would contain a function only once if it subscribes twice.
    const callListener = (value: T): void => listener(value);
    this.#listeners.add(callListener);
    return { dispose: () => this.#listeners.delete(callListener) };
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

/** Value that notifies its listeners when it is set. */
export class ObservableValue<T> {
  readonly #onDidChangeEmitter = new Emitter<void>();
  #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  /** Fires after each call of {@link set}, even with the same value. */
  readonly onDidChange: Event<void> = (listener) => this.#onDidChangeEmitter.event(listener);

  set(value: T): void {
    this.#value = value;
    this.#onDidChangeEmitter.fire();
  }
}
