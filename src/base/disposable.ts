/** Holds a resource until disposed. Disposing twice has no effect. */
export interface Disposable {
  dispose(): void;
}

/** Owns disposables and disposes them together, in reverse order of their registration. */
export class DisposableStore implements Disposable {
  #owned: Disposable[] = [];
  #disposed = false;

  /** Registers `item` and returns it; after disposal the item is disposed at once. */
  add<T extends Disposable>(item: T): T {
    if (this.#disposed) item.dispose();
    else this.#owned.push(item);
    return item;
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    for (const item of this.#owned.reverse()) item.dispose();
    this.#owned = [];
  }
}
