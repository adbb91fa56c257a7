/**
 * Largest step in which Linux may account processor time, in milliseconds. A shorter measurement can therefore read 0 or
 * a whole step.
 */
const accountingStepMs = 4;

/** Clocks of a {@link Stopwatch}, in milliseconds. */
export interface StopwatchClocks {
  readonly elapsedMs: () => number;
  /** Returns the processor time of the thread, or of all threads of the process. */
  readonly processorMs: () => number;
}

const systemClocks: StopwatchClocks = {
  elapsedMs: () => performance.now(),
  processorMs() {
    const ofProcess = process.cpuUsage();
    // Some VS Code versions contain a Node.js without `threadCpuUsage`.
    const usage = 'threadCpuUsage' in process ? process.threadCpuUsage() : ofProcess;
    return (usage.user + usage.system) / 1_000;
  },
};

/**
 * Measures the processor time of this thread since the creation of the object. Returns the smaller of two upper bounds:
 * the elapsed time, which is exact unless another thread interrupts this thread, and the accounted processor time plus
 * one step of the accounting.
 */
export class Stopwatch {
  readonly #clocks: StopwatchClocks;
  readonly #elapsedStart: number;
  readonly #processorStart: number;

  constructor(clocks = systemClocks) {
    this.#clocks = clocks;
    this.#processorStart = clocks.processorMs();
    this.#elapsedStart = clocks.elapsedMs();
  }

  get ms(): number {
    const elapsedMs = this.#clocks.elapsedMs() - this.#elapsedStart;
    const processorMs = this.#clocks.processorMs() - this.#processorStart;
    return Math.min(elapsedMs, processorMs + accountingStepMs);
  }
}
