import { defined } from '../../base/json.ts';
import { chatBody } from './chat-chunk.ts';
import { readChatStream, streamLimits, type StreamTotals } from './chat-stream.ts';
import type { ChatEvent, ChatRequest } from './chat-types.ts';
import type { AnswerProtection, ChatGuard, ChatTerms } from './protection.ts';
import { type Bill, type PaidRequest, roughUsage } from './spending.ts';
import type { ServiceContext, Timeouts } from '../http/client.ts';
import type { ServiceFailure } from '../http/failure.ts';
import { networkFailure } from '../http/network-failure.ts';
import { type Call, exchange, type Reply } from '../http/request.ts';

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

/**
 * Streams the answer to a chat (spec §4.2) in batches of events that arrived together. Where the context has a
 * protection, the answer is protected as well as the model offers, and never less than the user agreed to. Never throws:
 * the last event is always the one `stream-end`, with the outcome. Leaving the iteration, or aborting `signal`, closes
 * the connection at once.
 */
export async function* streamChat(
  context: ServiceContext,
  request: ChatRequest,
  options: StreamOptions,
): AsyncGenerator<readonly ChatEvent[]> {
  try {
    const guard = await chatGuard(context, request, options);
    yield* streamGuardedChat(context, request, { ...options, guard });
  } catch (error) {
    const { failure } = networkFailure(error);
    yield [{ type: 'stream-end', outcome: { kind: 'failed', failure } }];
  }
}

/**
 * How the chat is to be protected; `open` where nobody watches over that.
 * @throws ServiceError as {@link ChatProtection.guard} does
 */
export const chatGuard = async (
  { protection }: ServiceContext,
  { model }: Pick<ChatRequest, 'model'>,
  { signal, isBackground = false, isOpenAgreed, least }: StreamOptions,
): Promise<ChatGuard> => {
  const chat = { model, isBackground, ...defined({ isOpenAgreed, least }) };
  return (await protection?.guard(chat, signal)) ?? { kind: 'open' };
};

/** Streams the answer under a guard that was given before. Never throws. */
export async function* streamGuardedChat(
  context: ServiceContext,
  request: ChatRequest,
  { guard, ...options }: StreamOptions & { guard: ChatGuard },
): AsyncGenerator<readonly ChatEvent[]> {
  const stream =
    guard.kind === 'encrypted'
      ? encrypted(context, request, { ...options, guard })
      : streamCall(context, plainChat(request, guard), options);
  const protection = plainProtection(guard);
  let hasBegun = false;
  for await (const batch of stream) {
    tellBroken(context, { request, guard }, batch);
    hasBegun ||= batch.some(({ type }) => type === 'stream-start');
    // A request that was refused has no answer that anything protected.
    yield protection === undefined || !hasBegun ? batch : withProtection(batch, protection);
  }
}

/** The arithmetic is loaded with the first chat that needs it. */
async function* encrypted(
  context: ServiceContext,
  request: ChatRequest,
  options: StreamOptions & { guard: Extract<ChatGuard, { kind: 'encrypted' }> },
): AsyncGenerator<readonly ChatEvent[]> {
  const [{ streamEncryptedChat }, { randomBytes }] = await Promise.all([
    import('../privacy/encrypted-chat.ts'),
    import('node:crypto'),
  ]);
  const stream = (call: StreamCall): AsyncGenerator<readonly ChatEvent[]> =>
    streamCall(context, call, options);
  yield* streamEncryptedChat(request, { guard: options.guard, randomBytes, stream });
}

const plainChat = (request: ChatRequest, guard: ChatGuard): StreamCall => ({
  kind: 'chat',
  request,
  path: '/chat/completions',
  body: (vendorWord) => chatBody(toldPlain(request, guard), vendorWord, true),
});

/** A service that takes chats for encrypted unless told otherwise (service facts §1.3) is told. */
export const toldPlain = (request: ChatRequest, { kind }: ChatGuard): ChatRequest =>
  kind === 'open'
    ? request
    : { ...request, parameters: { ...request.parameters, enable_e2ee: false } };

function plainProtection(guard: ChatGuard): AnswerProtection | undefined {
  return guard.kind === 'attested' || guard.kind === 'none' ? guard : undefined;
}

/** Told with the beginning, and just before the end. */
const withProtection = (
  batch: readonly ChatEvent[],
  protection: AnswerProtection,
): readonly ChatEvent[] =>
  batch.flatMap((event): readonly ChatEvent[] => {
    if (event.type === 'stream-start') return [{ ...event, protection }];
    return event.type === 'stream-end' ? [{ type: 'protection', protection }, event] : [event];
  });

function tellBroken(
  { protection }: ServiceContext,
  { request, guard }: { readonly request: ChatRequest; readonly guard: ChatGuard },
  batch: readonly ChatEvent[],
): void {
  const end = batch.at(-1);
  if (end?.type !== 'stream-end' || end.outcome.kind !== 'failed') return;
  const { failure } = end.outcome;
  // An enclave that restarted has another key, and refuses what is encrypted to the old one.
  const isRefused = guard.kind === 'encrypted' && failure.status === 400;
  if (isRefused || failure.code === 'protection-failed') protection?.broken(request.model, failure);
}
