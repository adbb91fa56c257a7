/** Milliseconds of work after which others have their turn: half a frame. */
const slice = 6;

/** Lets a long work be one among others. */
export class Breather {
  #since = performance.now();

  /** Whether it is time to {@link breathe}. */
  get due(): boolean {
    return performance.now() - this.#since > slice;
  }

  /** Resolves when everybody else has had their turn. */
  breathe(): Promise<void> {
    return new Promise((resolve) => {
      setImmediate(() => {
        this.#since = performance.now();
        resolve();
      });
    });
  }
}
