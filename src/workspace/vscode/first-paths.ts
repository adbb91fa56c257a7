/** Counts paths and keeps the first ones in alphabetical order, without keeping all. */
export class FirstPaths {
  readonly #most: number;
  #kept: string[] = [];
  #count = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get count(): number {
    return this.#count;
  }

  add(path: string): void {
    this.#count += 1;
    this.#kept.push(path);
    if (this.#kept.length > this.#most * 4) this.#kept = this.paths();
  }

  paths(): string[] {
    return this.#kept.toSorted().slice(0, this.#most);
  }
}
