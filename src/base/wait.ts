import type { Clock } from './clock.ts';

/** Resolves after `ms` milliseconds; rejects with the signal's reason as soon as it aborts. */
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
