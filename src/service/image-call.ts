import type { Clock } from '../base/clock.ts';
import type { ServiceContext } from './client.ts';
import { failureTable, type ServiceFailure } from './failure.ts';
import { readImageReply } from './image-reply.ts';
import type { ImageEvent } from './image-types.ts';
import { stopped } from './network-failure.ts';
import { exchange, type Call } from './request.ts';

/** A picture has no bytes before it is made, which takes up to minutes. */
const imageTimeouts = { headers: 300_000, idle: 60_000 };
/** A connection that was closed from idle says so at once; later, the picture may have been made and charged. */
const atOnceMs = 5_000;

/**
 * Posts a call that makes pictures, and reads them as they come. Leaving the iteration, or aborting `signal`, closes the
 * connection at once.
 * @throws ServiceError
 */
export async function* callForImages(
  context: ServiceContext,
  call: Pick<Call, 'path' | 'body' | 'accept'>,
  { signal }: { signal: AbortSignal },
): AsyncGenerator<ImageEvent> {
  const canceller = new AbortController();
  const either = AbortSignal.any([signal, canceller.signal]);
  const mayRepeat = repeatsWithoutCharge(context.clock);
  const tries = exchange(
    context,
    { ...call, method: 'POST', timeouts: imageTimeouts, mayRepeat },
    either,
  );
  try {
    let step = await tries.next();
    for (; !step.done; step = await tries.next()) yield { type: 'retry-wait', ...step.value };
    yield* readImageReply(step.value, { signal });
  } finally {
    // Without effect on a reply that was read to its end.
    canceller.abort(stopped());
  }
}

/** For calls whose answer is one picture's bytes; a service may answer with JSON all the same. */
export const acceptPicture = 'image/*, application/json';

/** What the service answered is no picture. A request that nothing answered is repeated only if it cannot have made one. */
function repeatsWithoutCharge(clock: Clock): (failure: ServiceFailure) => boolean {
  const start = clock.now();
  return ({ code, status }) => {
    if (status !== undefined || code === 'offline') return failureTable[code].retryable;
    return code === 'interrupted' && clock.now() - start < atOnceMs;
  };
}
