/**
 * Value that is created on its first use and then shared by all callers. After a failed creation,
 * the next call tries again.
 */
export class Lazy<T> {
  readonly #create: () => Promise<T>;
  #value: Promise<T> | undefined;

  constructor(create: () => Promise<T>) {
    this.#create = create;
  }

  /**
   * Returns the value; creates it on the first call.
   * @throws the error of the creation.
   */
  get(): Promise<T> {
    if (this.#value !== undefined) return this.#value;
    const created = this.#create();
    this.#value = created;
    created.catch(() => {
      if (this.#value === created) this.#value = undefined;
    });
    return created;
  }

  /**
   * Returns the value if it exists or is being created. Returns `undefined` before the first `get`
   * and after a failure. Never throws.
   */
  async getIfCreated(): Promise<T | undefined> {
    return this.#value?.catch(() => undefined);
  }
}
