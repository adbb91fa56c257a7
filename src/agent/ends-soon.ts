import type { Clock } from '../base/clock.ts';
import { ToolError } from '../workspace/tool-error.ts';

/** What a tool has to end after it was stopped, in milliseconds. */
const graceMs = 900;

/** What the model is told of a call that was stopped while it ran. */
export const cancelled = 'Stopped by the person while it ran. It may be done in part.';

/**
 * The end of `work`; soon after `signal` fired it is over for us, whatever the tool still does.
 * @throws ToolError `stopped` then, or what the work throws
 */
export async function endsSoon<T>(work: Promise<T>, signal: AbortSignal, clock: Clock): Promise<T> {
  let cancelTimer: () => void = () => {};
  let leave: () => void = () => {};
  const stopped = new Promise<never>((_, reject) => {
    leave = () => {
      cancelTimer = clock.after(graceMs, () => reject(new ToolError('stopped', cancelled)));
    };
  });
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  try {
    return await Promise.race([work, stopped]);
  } finally {
    cancelTimer();
    signal.removeEventListener('abort', leave);
  }
}
