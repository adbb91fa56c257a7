import type { Clock } from '../../../base/clock.ts';
import { ToolError } from '../../../workspace/tool-error.ts';

/** What the language services may take, in milliseconds: some start only when they are asked. */
export const longestAnswer = 15_000;

/**
 * The answer of something that knows no limit itself.
 * @throws ToolError `failed` when time is up, `stopped` when the signal fires; the answer is then not waited for.
 */
export function withinTime<T>(
  answer: Thenable<T>,
  { clock, signal, ms = longestAnswer }: { clock: Clock; signal: AbortSignal; ms?: number },
): Promise<T> {
  return new Promise((resolve, reject) => {
    const stopped = (): void =>
      end(() => reject(new ToolError('stopped', 'It was stopped before there was an answer.')));
    const cancel = clock.after(ms, () =>
      end(() =>
        reject(
          new ToolError('failed', 'The language service did not answer. Use search_text instead.'),
        ),
      ),
    );
    const end = (settle: () => void): void => {
      cancel();
      signal.removeEventListener('abort', stopped);
      settle();
    };
    if (signal.aborted) return stopped();
    signal.addEventListener('abort', stopped, { once: true });
    answer.then(
      (value) => end(() => resolve(value)),
      (error: unknown) =>
        end(() => reject(error instanceof Error ? error : new Error(String(error)))),
    );
  });
}
