import { setTimeout as pause } from 'node:timers/promises';
import { timeLimits } from './time-limits.ts';

const maxIntervalMs = 20;

/**
 * Time limit for each step of the first attempt, in milliseconds. The limit of each further attempt is longer by this
 * amount.
 */
const stepMs = 5_000;

/**
 * Calls `attempt` until it succeeds, and resolves with its result. The pauses between attempts become longer.
 * @param attempt function that is safe to repeat. Receives a time limit for each of its steps, in milliseconds. The
 * limit grows with every attempt, so that an attempt can succeed on a slow machine.
 * @param timeoutMs time in milliseconds after which no further attempt starts
 * @throws the error of the last attempt
 */
export async function eventually<T>(
  attempt: (stepTimeoutMs: number) => T | Promise<T>,
  timeoutMs: number = timeLimits.condition,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (let count = 0; ; count++) {
    try {
      return await attempt(stepMs * (count + 1));
    } catch (error) {
      if (Date.now() >= deadline) throw error;
    }
    await pause(Math.min(count, maxIntervalMs));
  }
}

/**
 * Resolves when `condition` returns true. Rejects after the time limit with an error that contains the source of
 * `condition`.
 */
export function waitUntil(condition: () => boolean | Promise<boolean>): Promise<void> {
  return eventually(async () => {
    if (!(await condition())) throw new Error(`Still not: ${condition.toString()}`);
  });
}

/**
 * Calls `read` until `predicate` returns true for its value, and resolves with this value. Rejects after the time limit
 * with an error that contains the last value.
 */
export function waitUntilRead<T>(
  read: () => T,
  predicate: (value: T) => boolean,
  timeoutMs?: number,
): Promise<T> {
  return eventually(() => {
    const value = read();
    if (!predicate(value)) throw new Error(`Does not fit: ${JSON.stringify(value)}`);
    return value;
  }, timeoutMs);
}

/**
 * Resolves when `condition` returns true. Checks the condition after each event, so that a state of short duration is
 * detected.
 */
export async function waitForEvent(
  condition: () => boolean,
  onDidChange: (listener: () => void) => { dispose(): void },
): Promise<void> {
  if (condition()) return;
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(
      () => finish(() => reject(new Error(`Still not: ${condition.toString()}`))),
      timeLimits.condition,
    );
    const subscription = onDidChange(() => {
      if (condition()) finish(resolve);
    });
    const finish = (settle: () => void): void => {
      clearTimeout(timer);
      subscription.dispose();
      settle();
    };
  });
}
