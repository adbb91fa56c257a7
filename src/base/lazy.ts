/**
 * Value that is created on first use and then shared by all callers. If the creation fails, the
 * next call of `get` repeats the creation.
 */
export class Lazy<T> {
  readonly #create: () => Promise<T>;
  #valuePromise: Promise<T> | undefined;

  constructor(create: () => Promise<T>) {
    this.#create = create;
  }

  /**
   * Returns the value. The first call creates the value.
   * @throws the error of the function that creates the value; the next call of `get` repeats the creation
   */
  get(): Promise<T> {
    if (this.#valuePromise !== undefined) return this.#valuePromise;
    const valuePromise = this.#create();
    this.#valuePromise = valuePromise;
    valuePromise.catch(() => {
      if (this.#valuePromise === valuePromise) this.#valuePromise = undefined;
    });
    return valuePromise;
  }

  /**
   * Returns the value if it was created or is being created, but does not start the creation. Returns `undefined`
   * before the first call of `get` and after a failed creation. Never throws.
   */
  async getIfCreated(): Promise<T | undefined> {
    return this.#valuePromise?.catch(() => undefined);
  }
}
