import { defined } from '../../base/json.ts';
import { readChatStream, streamLimits, type StreamTotals } from './chat-stream.ts';
import type { ChatEvent } from './chat-types.ts';
import type { ServiceContext, Timeouts } from '../http/client.ts';
import type { ServiceFailure } from '../http/failure.ts';
import { networkFailure } from '../http/network-failure.ts';
import type { ChatTerms } from './protection.ts';
import { type Call, exchange, type Reply } from '../http/request.ts';
import { type Bill, type PaidRequest, roughUsage } from './spending.ts';

/** How an answer is streamed. */
export interface StreamOptions extends ChatTerms {
  /** Aborting it closes the request at once. */
  readonly signal: AbortSignal;
  /** A failed try is the end, for an answer that is worth nothing when it is late. */
  readonly isOnce?: boolean;
  /** Made without a person's doing: they are not asked about its cost. */
  readonly isBackground?: boolean;
  /** In place of those that fit an answer a person reads. */
  readonly timeouts?: Partial<Timeouts>;
}

/** What is needed of a call whose answer streams. */
export interface StreamCall extends Pick<Call, 'path' | 'body' | 'headers'> {
  readonly kind: 'chat' | 'completion';
  /** What the answer is charged for. */
  readonly request: { readonly model: string };
}

/** Time for a model to begin to answer, and between two pieces of its answer. */
const streamTimeouts = { headers: 60_000, idle: 60_000 };

/**
 * Sends a call and gives the events of its streamed answer, those that arrived together in one batch. Never throws: the
 * last event is always the one `stream-end`, with the outcome. Leaving the iteration, or aborting the signal, closes
 * the request at once.
 */
export async function* streamCall(
  context: ServiceContext,
  call: StreamCall,
  options: StreamOptions,
): AsyncGenerator<readonly ChatEvent[]> {
  const canceller = new AbortController();
  const signal = AbortSignal.any([options.signal, canceller.signal]);
  const tries = exchange(context, wholeCall(call, options), signal);
  const paid = paidRequest(call, options);
  let reply: Reply;
  try {
    await context.spending?.admit(paid, signal);
    let step = await tries.next();
    for (; !step.done; step = await tries.next()) yield [{ type: 'retry-wait', ...step.value }];
    reply = step.value;
  } catch (error) {
    yield [failedEnd(networkFailure(error).failure)];
    return;
  }
  yield* readChatStream(reply, {
    clock: context.clock,
    limits: streamLimits,
    cancel: (reason) => canceller.abort(reason),
    onEnd: (totals) => context.spending?.spent(paid, billOf(totals, call)),
  });
}

const paidRequest = ({ kind, request }: StreamCall, options: StreamOptions): PaidRequest => ({
  kind,
  model: request.model,
  isBackground: options.isBackground === true,
});

/** An answer that was cut off is charged as well, as far as it came. */
function billOf({ answerBytes, ...bill }: StreamTotals, { request }: StreamCall): Bill {
  const isTold = bill.usage !== undefined || bill.cost !== undefined;
  return isTold || answerBytes === 0 ? bill : { usage: roughUsage(request, answerBytes) };
}

const wholeCall = (
  { path, body, headers }: StreamCall,
  { isOnce = false, timeouts }: StreamOptions,
): Call => ({
  path,
  ...defined({ body, headers }),
  method: 'POST',
  accept: 'text/event-stream',
  timeouts: { ...streamTimeouts, ...timeouts },
  ...(isOnce ? { mayRepeat: () => false } : {}),
});

const failedEnd = (failure: ServiceFailure): ChatEvent => ({
  type: 'stream-end',
  outcome: { kind: 'failed', failure },
});
