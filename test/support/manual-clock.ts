import type { Clock } from '../../src/base/clock.ts';

/** A clock that advances only when a test moves it. */
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
    // Wraps the function, so that the same function can be scheduled twice.
    const timer = (): void => run();
    this.#timers.set(timer, this.#now + ms);
    return () => this.#timers.delete(timer);
  }

  /** Number of pending timers. */
  get pendingTimers(): number {
    return this.#timers.size;
  }

  /** Milliseconds until the next timer; absent without a pending timer. */
  get nextMs(): number | undefined {
    return this.pendingTimers === 0 ? undefined : Math.min(...this.#timers.values()) - this.#now;
  }

  /** Advances by `ms`. Runs timers in order of their time and lets promises settle after each. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settlePromises();
    for (
      let dueTimer = this.#firstDue(end);
      dueTimer !== undefined;
      dueTimer = this.#firstDue(end)
    ) {
      const [run, at] = dueTimer;
      this.#timers.delete(run);
      this.#now = Math.max(this.#now, at);
      run();
      await settlePromises();
    }
    this.#now = end;
  }

  #firstDue(end: number): [() => void, number] | undefined {
    const byTime = [...this.#timers].sort(([, a], [, b]) => a - b);
    return byTime.find(([, at]) => at <= end);
  }
}

/** Resolves after all promises that do not depend on I/O have settled. */
const settlePromises = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
