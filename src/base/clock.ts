/** Clock that functions take as an argument, so that tests can control the time. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Calls `run` once after `ms` milliseconds, unless the returned function cancels the call. */
  after(ms: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** Waits for `ms` milliseconds. Rejects with the abort reason as soon as `signal` aborts. */
export function wait(
  ms: number,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const onAbort = (): void => {
      cancel();
      reject(signal.reason);
    };
    const cancel = clock.after(ms, () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    });
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

const firstRetryDelayMs = 500;
const maxRetryDelayMs = 8_000;

/**
 * Returns the delay before the next attempt in milliseconds (exponential backoff with full jitter). The delay is a
 * random value below 0.5 s · 2ⁿ after n failed attempts, and always below 8 s.
 * @param attempt number of failed attempts, from 1
 * @param random number in [0, 1)
 */
export const computeBackoffMs = (attempt: number, random: number): number =>
  Math.floor(random * Math.min(maxRetryDelayMs, firstRetryDelayMs * 2 ** attempt));
