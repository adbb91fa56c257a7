/** Bytes that are kept up to a limit; past it none of them are. */
export class KeptBytes {
  readonly #limit: number;
  #bytes = Buffer.allocUnsafe(1024);
  #length = 0;
  #isOver = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get length(): number {
    return this.#length;
  }

  add(byte: number): void {
    if (this.#length === this.#bytes.length) this.#grow();
    this.#bytes[this.#length++] = byte;
  }

  /** Forgets all but the first `length` bytes. */
  cut(length: number): void {
    this.#length = length;
  }

  /** `undefined` when there were too many. */
  get text(): string | undefined {
    const decoder = new TextDecoder();
    return this.#isOver ? undefined : decoder.decode(this.#bytes.subarray(0, this.#length));
  }

  #grow(): void {
    if (this.#length >= this.#limit) {
      this.#isOver = true;
      this.#length = 0;
      return;
    }
    const bytes = Buffer.allocUnsafe(this.#bytes.length * 2);
    bytes.set(this.#bytes);
    this.#bytes = bytes;
  }
}
