import { openSync, readSync } from 'node:fs';

/** Clocks of a {@link Stopwatch}, in milliseconds. */
export interface StopwatchClocks {
  readonly elapsedMs: () => number;
  /** Returns the total time that this thread was ready to run, but waited for a processor. */
  readonly waitedMs: () => number;
}

const systemClocks: StopwatchClocks = {
  elapsedMs: () => performance.now(),
  waitedMs: createWaitClock(),
};

/**
 * Returns a function that reads the time that this thread waited for a processor. Linux measures it exactly, unlike the
 * processor time, which it may account in steps of 4 ms. On other systems, the function returns 0.
 */
function createWaitClock(): () => number {
  if (process.platform !== 'linux') return () => 0;
  const file = openSync('/proc/thread-self/schedstat', 'r');
  const buffer = Buffer.alloc(128);
  return () => {
    const length = readSync(file, buffer, 0, buffer.length, 0);
    const [, waitedNs] = buffer.toString('latin1', 0, length).split(' ');
    return Number(waitedNs) / 1e6;
  };
}

/**
 * Measures the processor time of synchronous work of this thread since the creation of the object: the elapsed time
 * without the time in which other threads used the processor.
 */
export class Stopwatch {
  readonly #clocks: StopwatchClocks;
  readonly #elapsedStart: number;
  readonly #waitedStart: number;

  constructor(clocks = systemClocks) {
    this.#clocks = clocks;
    this.#waitedStart = clocks.waitedMs();
    this.#elapsedStart = clocks.elapsedMs();
  }

  get ms(): number {
    const elapsedMs = this.#clocks.elapsedMs() - this.#elapsedStart;
    // Reading the wait after the elapsed time excludes the duration of the reading.
    const waitedMs = this.#clocks.waitedMs() - this.#waitedStart;
    return Math.max(0, elapsedMs - waitedMs);
  }
}
