import type { Clock } from '../../base/clock.ts';

/** A body gets on while so many bytes, or its end, come within so much time of waiting for them: 0.5 KB each second. */
const progress = { bytes: 64 * 1024, ms: 120_000 };

/**
 * The bytes of a body as they come. A sender that keeps the connection alive but does not get on is given up:
 * `onStall` is called, which ends the body. Time that the reader takes is not the sender's.
 */
export async function* withProgress(
  body: AsyncIterable<Uint8Array>,
  { clock, onStall }: { clock: Clock; onStall: () => void },
): AsyncGenerator<Uint8Array> {
  const rest = body[Symbol.asyncIterator]();
  let left = progress;
  try {
    for (;;) {
      const start = clock.now();
      const stopWaiting = clock.after(left.ms, onStall);
      const next = await rest.next().finally(stopWaiting);
      if (next.done === true) return;
      const bytes = left.bytes - next.value.length;
      left = bytes > 0 ? { bytes, ms: left.ms - (clock.now() - start) } : progress;
      yield next.value;
    }
  } finally {
    await rest.return?.();
  }
}
