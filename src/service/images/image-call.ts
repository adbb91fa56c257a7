import type { Clock } from '../../base/clock.ts';
import { defined } from '../../base/json.ts';
import type { ServiceContext } from '../http/client.ts';
import { failureTable, type ServiceFailure } from '../http/failure.ts';
import { withProgress } from '../http/reply.ts';
import { readImageReply } from './image-reply.ts';
import type { ImageEvent } from './image-types.ts';
import { stopped, timedOut } from '../http/network-failure.ts';
import { exchange, type Call } from '../http/request.ts';
import type { PaidRequest } from '../chat/spending.ts';
import type { Cost } from '../chat/chat-types.ts';

export interface ImageCallOptions {
  readonly signal: AbortSignal;
  /** Of all pictures of the call together, by the model's prices. */
  readonly price?: Cost | undefined;
}

/** A picture has no bytes before it is made, which takes up to minutes. */
const imageTimeouts = { headers: 300_000, idle: 60_000 };
/** A connection that was closed from idle says so at once; later, the picture may have been made and charged. */
const atOnceMs = 500;

/**
 * Posts a call that makes `count` pictures, and reads them as they come; what comes beyond them is left. Leaving the
 * iteration, or aborting `signal`, closes the connection at once, and a body that does not get on fails as `timeout`.
 * @throws ServiceError
 */
export async function* callForImages(
  context: ServiceContext,
  call: Pick<Call, 'path' | 'body' | 'accept'>,
  { count, signal, price }: ImageCallOptions & { count: number },
): AsyncGenerator<ImageEvent> {
  const paid: PaidRequest = { kind: 'image', isBackground: false, ...defined({ price }) };
  const { clock } = context;
  const canceller = new AbortController();
  const either = AbortSignal.any([signal, canceller.signal]);
  const mayRepeat = repeatsWithoutCharge(clock);
  const tries = exchange(
    context,
    { ...call, method: 'POST', timeouts: imageTimeouts, mayRepeat },
    either,
  );
  try {
    await context.spending?.admit(paid, either);
    let step = await tries.next();
    for (; !step.done; step = await tries.next()) yield { type: 'retry-wait', ...step.value };
    const onStall = (): void => canceller.abort(timedOut('progress'));
    const body = withProgress(step.value.body, { clock, onStall });
    for await (const event of readImageReply({ ...step.value, body }, { count, signal })) {
      // All that were asked for are made by now, and none of a request that was refused.
      if (event.type === 'image-start' && event.index === 0) context.spending?.spent(paid, {});
      yield event;
    }
  } finally {
    context.spending?.ended(paid);
    // Without effect on a reply that was read to its end.
    canceller.abort(stopped());
  }
}

/** For calls whose answer is one picture's bytes; a service may answer with JSON all the same. */
export const acceptPicture = 'image/*, application/json';

/** What the service, or a gateway before it, answers in place of a picture (spec §7.2). */
const refusals: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);
/** The codes of failures from before there was a connection, so that nothing was sent. */
const unconnected = /^(ENOTFOUND|EAI_|ECONNREFUSED|ERR_NAME_NOT_RESOLVED|ERR_CONNECTION_REFUSED)/;

/**
 * A try is repeated only if it cannot have made a picture. A connection that fails without an answer counts as closed
 * from idle in the first try only: a fresh one that fails as well has another reason.
 */
function repeatsWithoutCharge(clock: Clock): (failure: ServiceFailure) => boolean {
  const start = clock.now();
  let isFirst = true;
  return ({ code, status, detail = '' }) => {
    const isAtOnce = isFirst && clock.now() - start < atOnceMs;
    isFirst = false;
    if (status !== undefined) return refusals.has(status) && failureTable[code].retryable;
    if (code === 'offline') return isAtOnce || unconnected.test(detail);
    return code === 'interrupted' && isAtOnce;
  };
}
