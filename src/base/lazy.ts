/** Something that is made on first use, for all who ask. A failure is not kept: the next one who asks tries again. */
export class Lazy<T> {
  readonly #make: () => Promise<T>;
  #made: Promise<T> | undefined;

  constructor(make: () => Promise<T>) {
    this.#make = make;
  }

  /** @throws what making it throws */
  get(): Promise<T> {
    if (this.#made !== undefined) return this.#made;
    const made = this.#make();
    this.#made = made;
    made.catch(() => {
      if (this.#made === made) this.#made = undefined;
    });
    return made;
  }

  /** What was made, or is being made; undefined when nothing was, or it failed. Never throws and makes nothing. */
  async existing(): Promise<T | undefined> {
    return this.#made?.catch(() => undefined);
  }
}
