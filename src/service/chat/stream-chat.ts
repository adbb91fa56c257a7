import { omitUndefined } from '../../base/json.ts';
import { priorities } from '../http/rate-limit-queue.ts';
import { createChatRequestBody } from './chat-chunk.ts';
import { readChatStream, streamLimits, type StreamTotals } from './chat-stream.ts';
import type { ChatEvent, ChatRequest } from './chat-types.ts';
import type { AnswerProtection, ChatGuard, ProtectionTerms } from './protection.ts';
import { recordCachedTokens, type PromptCache, addCacheFields } from './prompt-cache.ts';
import { listOptionalFields, removeOmittedDocuments } from './optional-fields.ts';
import { repeatWithoutRefusedParts } from './refused-parts.ts';
import { type Bill, type PaidRequest, estimateUsage } from './spending.ts';
import type { ServiceContext, Timeouts } from '../http/client.ts';
import type { ServiceFailure } from '../http/failure.ts';
import { toServiceError } from '../http/network-failure.ts';
import { isLocalBaseUrl } from '../http/endpoint.ts';
import {
  bindToEndpoint,
  type ServiceCall,
  type ConnectedEndpoint,
  findEndpoint,
  isSafeToRepeat,
  sendWithRetries,
  yieldRetryWaits,
} from '../http/request.ts';

/** Options of a streamed chat or text completion. */
export interface StreamOptions extends ProtectionTerms {
  /** Closes the request immediately when aborted. */
  readonly signal: AbortSignal;
  /** True to disable retries, for answers that are useless when late. */
  readonly disableRetries?: boolean;
  /** True if the user chose the options of the request. A refused option is then left out only if the user agrees. */
  readonly areOptionsChosen?: boolean;
  /**
   * Base URL for which the request was built. The request is sent to no other URL. Default: the base URL of the active
   * profile when the call starts.
   */
  readonly baseUrl?: string;
  /** Prompt cache of the conversation. If omitted, the request has no cache fields. */
  readonly cache?: PromptCache;
  /** True for a request without a user action. Such a request never prompts the user. */
  readonly isBackground?: boolean;
  /**
   * Returns the current priority, which decides the order of calls while the service limits the rate. Default: the
   * priority of a background chat.
   */
  readonly getPriority?: () => number;
  /** Timeouts to use instead of the defaults. The defaults suit interactive answers. */
  readonly timeouts?: Partial<Timeouts>;
}

/** A call whose response is an event stream. */
export interface StreamCall extends Pick<
  ServiceCall,
  'path' | 'body' | 'headers' | 'optionalFields' | 'isOptionalRoute'
> {
  readonly kind: 'chat' | 'completion';
  /** Content of the request, from which the usage and the cost are estimated if the service reports none. */
  readonly request: { readonly model: string };
}

/** Maximum time in milliseconds until the response headers of a hosted service arrive. */
const headersTimeoutMs = 60_000;
/**
 * Maximum time in milliseconds until the response headers of a model server such as Ollama arrive. Long, because the
 * server may first have to load the model.
 */
const plainHeadersTimeoutMs = 300_000;
/** Maximum time in milliseconds between two reads of the body. */
const idleTimeoutMs = 60_000;

/**
 * Returns the timeouts of a stream. Local servers, and servers that never sent a vendor prefix, get more time, because
 * they may first have to load the model.
 */
const getStreamTimeouts = ({ baseUrl, connection }: ConnectedEndpoint): Partial<Timeouts> => {
  const isPlain = isLocalBaseUrl(baseUrl) || connection.vendorPrefix === undefined;
  return { headersMs: isPlain ? plainHeadersTimeoutMs : headersTimeoutMs, idleMs: idleTimeoutMs };
};

/**
 * HTTP statuses of 500 and above after which a request may be sent again, because the server rejected the request (spec
 * §7.2) or failed to process it. Other such statuses, for example 502, 504 and 520 to 530, can come from a gateway.
 */
const repeatableStatuses: ReadonlySet<number> = new Set([500, 503, 529]);

/**
 * Checks whether a failed chat request may be sent again without asking the user. After a timeout or a gateway error,
 * the server may still process the first request and charge it. Status 408 is no such timeout: the server did not
 * receive the complete request.
 */
export const canRetryChat = (failure: ServiceFailure): boolean => {
  const { code, status } = failure;
  const isTimeout = code === 'timeout' && status !== 408;
  const isFromGateway = status !== undefined && status >= 500 && !repeatableStatuses.has(status);
  return isSafeToRepeat(failure) && !isTimeout && !isFromGateway;
};

/**
 * Sends a call and streams the events of the answer. Each batch contains the events of one network read. Never throws:
 * the last event is always `stream-end` with the outcome. The request is closed as soon as the caller leaves the
 * iteration or aborts the signal.
 */
export async function* streamCall(
  context: ServiceContext,
  call: StreamCall,
  options: StreamOptions,
): AsyncGenerator<readonly ChatEvent[]> {
  const abortController = new AbortController();
  const { signal } = abortController;
  // A listener is faster than `AbortSignal.any` and is removed with the request.
  const onAbort = (): void => abortController.abort(options.signal.reason);
  options.signal.addEventListener('abort', onAbort, { once: true });
  if (options.signal.aborted) onAbort();
  const retries = sendWithRetries(context, createCall(call, options), signal);
  const paidRequest = createPaidRequest(call, options);
  try {
    if (context.spending !== undefined) {
      await context.spending.authorizeRequest(paidRequest, signal);
      yield [{ type: 'request-start' }];
    }
    const response = yield* yieldRetryWaits<ChatEvent[]>(retries, (wait) => [
      { type: 'retry-wait', ...wait },
    ]);
    yield* readChatStream(response, {
      clock: context.clock,
      limits: streamLimits,
      cancel: (reason) => abortController.abort(reason),
      onEnd: (totals) => {
        recordCachedTokens(response.endpoint.connection, call.request.model, totals.usage);
        context.spending?.recordSpending(paidRequest, toBill(totals, call));
      },
    });
  } catch (error) {
    // Only an error before the response, because reading the response never throws.
    yield [createFailedStreamEnd(toServiceError(error).failure)];
  } finally {
    options.signal.removeEventListener('abort', onAbort);
  }
}

const createPaidRequest = ({ kind, request }: StreamCall, options: StreamOptions): PaidRequest => ({
  kind,
  model: request.model,
  isBackground: options.isBackground === true,
});

/** Returns the usage and cost to record. If an answer ended without reported usage, estimates the usage. */
function toBill({ answerBytes, ...bill }: StreamTotals, { request }: StreamCall): Bill {
  const isReported = bill.usage !== undefined || bill.cost !== undefined;
  return isReported || answerBytes === 0 ? bill : { usage: estimateUsage(request, answerBytes) };
}

const createCall = (
  { path, body, headers, optionalFields, isOptionalRoute }: StreamCall,
  { disableRetries = false, isBackground = false, timeouts, baseUrl, getPriority }: StreamOptions,
): ServiceCall => ({
  path,
  ...omitUndefined({ body, headers, optionalFields, isOptionalRoute, baseUrl }),
  getPriority: getPriority ?? (() => (isBackground ? priorities.suggestion : priorities.other)),
  method: 'POST',
  accept: 'text/event-stream',
  timeouts: (endpoint) => ({ ...getStreamTimeouts(endpoint), ...timeouts }),
  canRetry: disableRetries ? () => false : canRetryChat,
});

const createFailedStreamEnd = (failure: ServiceFailure): ChatEvent => ({
  type: 'stream-end',
  outcome: { kind: 'failed', failure },
});

/**
 * Streams the answer to a chat (spec §4.2). Each batch contains the events of one network read. Uses the best
 * protection that the model offers. Fails if this protection is weaker than the user accepted. Never throws: the last
 * event is always `stream-end` with the outcome. The connection is closed as soon as the caller leaves the iteration or
 * aborts the signal.
 */
export async function* streamChat(
  context: ServiceContext,
  request: ChatRequest,
  options: StreamOptions,
): AsyncGenerator<readonly ChatEvent[]> {
  try {
    const boundOptions = await bindToService(context, options);
    const guard = await resolveChatGuard(context, request, boundOptions);
    const send = (sentRequest: ChatRequest): AsyncIterable<readonly ChatEvent[]> =>
      streamChatWithGuard(context, sentRequest, { ...boundOptions, guard });
    yield* repeatWithoutRefusedParts(request, send, context.refusals);
  } catch (error) {
    const { failure } = toServiceError(error);
    yield [{ type: 'stream-end', outcome: { kind: 'failed', failure } }];
  }
}

/**
 * Sets the base URL in the options to that of the active service, unless the options already contain one. All later
 * steps of the request then use this service, even if the user switches to another profile.
 */
export const bindToService = async <Options extends Pick<StreamOptions, 'baseUrl'>>(
  context: ServiceContext,
  options: Options,
): Promise<Options> =>
  options.baseUrl === undefined
    ? { ...options, ...bindToEndpoint(await findEndpoint(context)) }
    : options;

/**
 * Returns the protection with which to send a chat. Returns `open` (no protection) if the context has no
 * `ChatProtection`.
 * @throws ServiceError under the same conditions as `ChatProtection.guard`
 */
export const resolveChatGuard = async (
  { protection }: ServiceContext,
  { model }: Pick<ChatRequest, 'model'>,
  { signal, isBackground = false, acceptsUnprotected, minProtection }: StreamOptions,
): Promise<ChatGuard> => {
  const guardedChat = {
    model,
    isBackground,
    ...omitUndefined({ acceptsUnprotected, minProtection }),
  };
  return (await protection?.guard(guardedChat, signal)) ?? { kind: 'open' };
};

/** Streams the answer to a chat with the protection that {@link resolveChatGuard} returned. Never throws. */
export async function* streamChatWithGuard(
  context: ServiceContext,
  request: ChatRequest,
  { guard, ...options }: StreamOptions & { guard: ChatGuard },
): AsyncGenerator<readonly ChatEvent[]> {
  const stream =
    guard.kind === 'encrypted'
      ? loadAndStreamEncryptedChat(context, request, { ...options, guard })
      : streamCall(context, createUnencryptedCall(request, guard, options), options);
  const protection = toUnencryptedProtection(guard);
  let hasBegun = false;
  for await (const batch of stream) {
    reportBrokenProtection(context, { request, guard }, batch);
    hasBegun ||= batch.some(({ type }) => type === 'stream-start');
    // A request that fails before the response has no answer to protect.
    yield protection === undefined || !hasBegun ? batch : addProtection(batch, protection);
  }
}

/** Streams an encrypted chat. Loads the encryption code on first use. */
async function* loadAndStreamEncryptedChat(
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

function createUnencryptedCall(
  request: ChatRequest,
  guard: ChatGuard,
  { areOptionsChosen = false, cache }: StreamOptions,
): StreamCall {
  const unencryptedRequest = disableEncryption(request, guard);
  return {
    kind: 'chat',
    request,
    path: '/chat/completions',
    body: (vendorPrefix, connection) => {
      const remainingRequest = removeOmittedDocuments(unencryptedRequest, connection);
      const sentRequest =
        cache === undefined
          ? remainingRequest
          : addCacheFields(remainingRequest, cache, connection);
      return createChatRequestBody(sentRequest, vendorPrefix, true);
    },
    optionalFields: listOptionalFields(unencryptedRequest, areOptionsChosen),
  };
}

/** Adds `enable_e2ee: false` to an unencrypted request, because some services assume encryption by default. */
export const disableEncryption = (request: ChatRequest, { kind }: ChatGuard): ChatRequest =>
  kind === 'open'
    ? request
    : { ...request, parameters: { ...request.parameters, enable_e2ee: false } };

function toUnencryptedProtection(guard: ChatGuard): AnswerProtection | undefined {
  return guard.kind === 'attested' || guard.kind === 'none' ? guard : undefined;
}

/**
 * Adds the protection of the answer to the `stream-start` event, and inserts a `protection` event before `stream-end`.
 */
const addProtection = (
  batch: readonly ChatEvent[],
  protection: AnswerProtection,
): readonly ChatEvent[] =>
  batch.flatMap((event): readonly ChatEvent[] => {
    if (event.type === 'stream-start') return [{ ...event, protection }];
    return event.type === 'stream-end' ? [{ type: 'protection', protection }, event] : [event];
  });

function reportBrokenProtection(
  { protection }: ServiceContext,
  { request, guard }: { readonly request: ChatRequest; readonly guard: ChatGuard },
  batch: readonly ChatEvent[],
): void {
  const lastEvent = batch.at(-1);
  if (lastEvent?.type !== 'stream-end' || lastEvent.outcome.kind !== 'failed') return;
  const { failure } = lastEvent.outcome;
  // After a restart, an enclave has a new key and rejects messages that were encrypted with the old key.
  const isRefused = guard.kind === 'encrypted' && failure.status === 400;
  if (isRefused || failure.code === 'protection-failed')
    protection?.reportProtectionFailure(request.model, failure);
}
