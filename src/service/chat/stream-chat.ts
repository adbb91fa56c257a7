import { defined } from '../../base/json.ts';
import { chatBody } from './chat-body.ts';
import type { ChatEvent, ChatRequest } from './chat-types.ts';
import type { ServiceContext } from '../http/client.ts';
import { networkFailure } from '../http/network-failure.ts';
import type { AnswerProtection, ChatGuard } from './protection.ts';
import { type StreamCall, streamCall, type StreamOptions } from './stream-call.ts';

/**
 * Streams the answer to a chat as protected as its model offers, where the context watches over that: never less than
 * what the person agreed to. Never throws, like {@link streamCall}.
 */
export async function* streamProtectedChat(
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
  yield* streamEncryptedChat(context, request, { ...options, randomBytes });
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
