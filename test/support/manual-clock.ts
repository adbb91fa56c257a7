import type { Clock } from '../../src/base/clock.ts';

/** Clock whose time advances only when a test calls `advance`. */
export class ManualClock implements Clock {
  #now: number;
  #timers = new Map<() => void, number>();

  constructor(now = Date.UTC(2026, 0, 1)) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): () => void {
    // The wrapper gives each call a distinct function, so that the same function can be scheduled several times.
    const runTimer = (): void => run();
    this.#timers.set(runTimer, this.#now + ms);
    return () => this.#timers.delete(runTimer);
  }

  /** Number of pending timers. */
  get pendingTimerCount(): number {
    return this.#timers.size;
  }

  /** Milliseconds until the next timer fires. Undefined if no timer is pending. */
  get nextTimerMs(): number | undefined {
    return this.pendingTimerCount === 0
      ? undefined
      : Math.min(...this.#timers.values()) - this.#now;
  }

  /**
   * Advances the time by `ms` milliseconds. Runs the due timers in order. Waits after each timer until promises have
   * settled.
   */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settlePromises();
    for (
      let dueTimer = this.#findFirstDue(end);
      dueTimer !== undefined;
      dueTimer = this.#findFirstDue(end)
    ) {
      const [run, time] = dueTimer;
      this.#timers.delete(run);
      this.#now = Math.max(this.#now, time);
      run();
      await settlePromises();
    }
    this.#now = end;
  }

  #findFirstDue(end: number): [() => void, number] | undefined {
    const sortedTimers = [...this.#timers].sort(([, a], [, b]) => a - b);
    return sortedTimers.find(([, time]) => time <= end);
  }
}

/** Resolves when all promises that do not depend on I/O have settled. */
const settlePromises = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
