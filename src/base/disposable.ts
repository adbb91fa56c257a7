/** Resource that must be released with `dispose`. A second call of `dispose` has no effect. */
export interface Disposable {
  dispose(): void;
}

/** Collection of disposables that are disposed together, in reverse order of their registration. */
export class DisposableStore implements Disposable {
  #ownedDisposables: Disposable[] = [];
  #isDisposed = false;

  /**
   * Adds `item` to the store and returns the item. A store that is already disposed disposes the
   * item immediately.
   */
  add<T extends Disposable>(item: T): T {
    if (this.#isDisposed) item.dispose();
    else this.#ownedDisposables.push(item);
    return item;
  }

  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    for (const item of this.#ownedDisposables.reverse()) item.dispose();
    this.#ownedDisposables = [];
  }
}
