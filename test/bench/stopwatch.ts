import { openSync, readSync } from 'node:fs';

/**
 * Largest step by which Linux increases the accounted processor time, in milliseconds. The measured time of a shorter
 * interval can therefore be 0 or a complete step.
 */
const accountingStepMs = 4;

/** Clocks of a {@link Stopwatch}, in milliseconds. */
export interface StopwatchClocks {
  readonly getElapsedMs: () => number;
  /** Returns the time for which this thread waited for a processor although it was ready to run. */
  readonly getQueuedMs: () => number;
  /** Returns the processor time of this thread, or of the whole process if Node.js cannot measure a single thread. */
  readonly getProcessorMs: () => number;
}

const systemClocks: StopwatchClocks = {
  getElapsedMs: () => performance.now(),
  getQueuedMs: createQueueClock(),
  getProcessorMs() {
    const processUsage = process.cpuUsage();
    // Some VS Code versions contain a Node.js without `threadCpuUsage`.
    const usage = 'threadCpuUsage' in process ? process.threadCpuUsage() : processUsage;
    return (usage.user + usage.system) / 1_000;
  },
};

/**
 * Returns a function that returns the time for which this thread waited for a processor, in milliseconds. Linux
 * measures this time continuously instead of in steps. On other systems, the function returns 0.
 */
function createQueueClock(): () => number {
  if (process.platform !== 'linux') return () => 0;
  const fd = openSync('/proc/thread-self/schedstat', 'r');
  const buffer = Buffer.alloc(128);
  return () => {
    const length = readSync(fd, buffer, 0, buffer.length, 0);
    const [, queuedNs] = buffer.toString('latin1', 0, length).split(' ');
    return Number(queuedNs) / 1e6;
  };
}

/**
 * Measures the processor time of this thread since the creation of the stopwatch. `ms` is the smaller of two upper
 * bounds. One is the elapsed time minus the time for which the thread waited for a processor. The other is the
 * accounted processor time plus one accounting step.
 */
export class Stopwatch {
  readonly #clocks: StopwatchClocks;
  readonly #processorStartMs: number;
  readonly #queuedStartMs: number;
  readonly #elapsedStartMs: number;

  constructor(clocks = systemClocks) {
    this.#clocks = clocks;
    this.#processorStartMs = clocks.getProcessorMs();
    this.#queuedStartMs = clocks.getQueuedMs();
    this.#elapsedStartMs = clocks.getElapsedMs();
  }

  get ms(): number {
    // The elapsed time is first, so that it excludes the time to read the other clocks.
    const elapsedMs = this.#clocks.getElapsedMs() - this.#elapsedStartMs;
    const queuedMs = this.#clocks.getQueuedMs() - this.#queuedStartMs;
    const processorMs = this.#clocks.getProcessorMs() - this.#processorStartMs;
    return Math.max(0, Math.min(elapsedMs - queuedMs, processorMs + accountingStepMs));
  }
}
