/** Value that is created on first use and shared by all callers. A failed creation is not cached: the next call retries. */
export class Lazy<T> {
  readonly #create: () => Promise<T>;
  #value: Promise<T> | undefined;

  constructor(create: () => Promise<T>) {
    this.#create = create;
  }

  /** @throws the error of the creation. */
  get(): Promise<T> {
    if (this.#value !== undefined) return this.#value;
    const created = this.#create();
    this.#value = created;
    created.catch(() => {
      if (this.#value === created) this.#value = undefined;
    });
    return created;
  }

  /** Returns the value if it exists or is being created. `undefined` if not requested yet or failed. Never throws. */
  async getIfCreated(): Promise<T | undefined> {
    return this.#value?.catch(() => undefined);
  }
}
