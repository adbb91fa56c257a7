import type { Clock } from '../base/clock.ts';
import type { PendingAnswer } from './pending-completion.ts';

/**
 * Waits until one of the answers has more, or has ended.
 * @param until milliseconds since the epoch; then it is `late`
 * @returns `stopped` when the signal was aborted
 */
export async function nextChange(
  pendings: readonly Pick<PendingAnswer, 'watch'>[],
  { clock, signal, until }: { clock: Clock; signal: AbortSignal; until: number },
): Promise<'changed' | 'stopped' | 'late'> {
  if (signal.aborted) return 'stopped';
  return new Promise((resolve) => {
    const end = (how: 'changed' | 'stopped' | 'late'): void => {
      for (const unwatch of calledOff) unwatch();
      resolve(how);
    };
    const stop = (): void => end('stopped');
    signal.addEventListener('abort', stop, { once: true });
    const calledOff = [
      () => signal.removeEventListener('abort', stop),
      clock.after(until - clock.now(), () => end('late')),
      ...pendings.map((pending) => pending.watch(() => end('changed'))),
    ];
  });
}
