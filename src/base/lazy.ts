/**
 * Value that is created on first use and then shared by all callers. If the creation fails, the
 * next call of `get` repeats the creation.
 */
export class Lazy<T> {
  readonly #create: () => Promise<T>;
  #value: Promise<T> | undefined;

  constructor(create: () => Promise<T>) {
    this.#create = create;
  }

  /**
   * Returns the value. The first call creates the value.
   * @throws the error of the function that creates the value; the next call of `get` repeats the creation
   */
  get(): Promise<T> {
    if (this.#value !== undefined) return this.#value;
    const createdValue = this.#create();
    this.#value = createdValue;
    createdValue.catch(() => {
      if (this.#value === createdValue) this.#value = undefined;
    });
    return createdValue;
  }

  /**
   * Returns the value if it was created or is being created, but does not start the creation. Returns `undefined`
   * before the first call of `get` and after a failed creation. Never throws.
   */
  async getIfCreated(): Promise<T | undefined> {
    return this.#value?.catch(() => undefined);
  }
}
