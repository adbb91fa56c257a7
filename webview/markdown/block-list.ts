/** Blocks per group; a group that is out of view costs no layout. */
const groupSize = 64;

/** The rendered blocks of one text, in groups of 64. */
export class BlockList {
  readonly #container: HTMLElement;
  #length = 0;

  constructor(container: HTMLElement) {
    this.#container = container;
  }

  get length(): number {
    return this.#length;
  }

  push(element: HTMLElement): void {
    if (this.#length % groupSize === 0) {
      const group = document.createElement('div');
      group.className = 'block-group';
      this.#container.append(group);
    }
    this.#container.lastElementChild!.append(element);
    this.#length += 1;
  }

  /** Removes the blocks from `length` on. */
  truncate(length: number): void {
    for (; this.#length > length; this.#length -= 1) {
      const group = this.#container.lastElementChild!;
      group.lastElementChild!.remove();
      if (!group.hasChildNodes()) group.remove();
    }
  }
}
