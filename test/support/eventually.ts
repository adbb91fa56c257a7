import { setTimeout as pause } from 'node:timers/promises';
import { timeLimits } from './time-limits.ts';

const maxIntervalMs = 20;

/**
 * Time limit for each step of the first attempt, in milliseconds. Each further attempt adds the
 * same amount.
 */
const stepMs = 5_000;

/**
 * Repeats `attempt` until it succeeds, and returns its result. Starts with short pauses between the
 * attempts.
 * @param attempt Receives a time limit for each of its steps. The limit grows with every attempt,
 * so that slow machines succeed too. The attempt must be safe to repeat.
 * @param timeoutMs Milliseconds after which no further attempt starts.
 * @throws the error of the last attempt.
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

/** Resolves once `holds` returns true. Rejects with the source of `holds` after the time limit. */
export function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  return eventually(async () => {
    if (!(await holds())) throw new Error(`Still not: ${holds.toString()}`);
  });
}

/**
 * Resolves with the first value of `read` that satisfies `fits`. Rejects with the last value after
 * the time limit.
 */
export function untilRead<T>(read: () => T, fits: (value: T) => boolean): Promise<T> {
  return eventually(() => {
    const value = read();
    if (!fits(value)) throw new Error(`Does not fit: ${JSON.stringify(value)}`);
    return value;
  });
}

/**
 * Resolves once `holds` returns true. Checks after each event, and so detects short-lived states.
 */
export async function untilEvent(
  holds: () => boolean,
  onDidChange: (listener: () => void) => { dispose(): void },
): Promise<void> {
  if (holds()) return;
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(
      () => finish(() => reject(new Error(`Still not: ${holds.toString()}`))),
      timeLimits.condition,
    );
    const listening = onDidChange(() => {
      if (holds()) finish(resolve);
    });
    const finish = (settle: () => void): void => {
      clearTimeout(timer);
      listening.dispose();
      settle();
    };
  });
}
