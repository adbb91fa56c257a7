import { isRecord, omitUndefined } from '../../base/json.ts';
import { createUnrecognizedResponseError, readJson } from '../http/response.ts';
import { createChatRequestBody, ChunkReader } from './chat-chunk.ts';
import type {
  ChatEvent,
  ChatRequest,
  Citation,
  Cost,
  FinishReason,
  ResponseInfo,
  ToolCall,
  Usage,
} from './chat-types.ts';
import type { ServiceContext } from '../http/client.ts';
import { isErrorReply, readErrorJson, readStreamFailure } from '../http/read-failure.ts';
import { ServiceError } from '../http/failure.ts';
import { type ServiceCall, listSecrets, sendCall } from '../http/request.ts';
import type { PaidRequest } from './spending.ts';
import { listOptionalFields, removeOmittedDocuments } from './optional-fields.ts';
import {
  bindToService,
  canRetryChat,
  resolveChatGuard,
  streamChatWithGuard,
  type StreamOptions,
  disableEncryption,
} from './stream-chat.ts';
import type { ProtectionTerms } from './protection.ts';

/**
 * Timeouts for an unstreamed response, in milliseconds. Long, because the service sends no byte until the answer is
 * complete.
 */
const unstreamedTimeouts = { headersMs: 300_000, idleMs: 60_000 };

/** Complete answer to a chat request. */
export interface ChatCompletion {
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly ToolCall[];
  readonly citations: readonly Citation[];
  readonly finishReason: FinishReason;
  readonly usage?: Usage;
  readonly cost?: Cost;
  readonly info: ResponseInfo;
}

/** Options of an unstreamed completion. */
export type CompletionOptions = Pick<
  StreamOptions,
  'signal' | 'isBackground' | keyof ProtectionTerms
>;

/**
 * Returns the complete answer to a chat without streaming (spec §4.2). If the chat is encrypted, streams the answer and
 * joins the events.
 * @param options.isBackground See {@link StreamOptions}.
 * @throws ServiceError if the request fails
 */
export async function createChatCompletion(
  context: ServiceContext,
  request: ChatRequest,
  { signal, isBackground = false, ...protectionTerms }: CompletionOptions,
): Promise<ChatCompletion> {
  const options = await bindToService<SendOptions>(context, { signal, isBackground });
  const guard = await resolveChatGuard(context, request, {
    ...options,
    ...protectionTerms,
  });
  // The service supports encryption only for streamed answers.
  if (guard.kind === 'encrypted') {
    return joinBatches(streamChatWithGuard(context, request, { ...options, guard }));
  }
  try {
    return await requestCompletion(context, disableEncryption(request, guard), options);
  } catch (error) {
    // The request is not repeated without the refused part, because callers of an unstreamed chat need the whole
    // request.
    if (error instanceof ServiceError)
      context.refusals?.recordRefusal(request.model, error.failure);
    throw error;
  }
}

type SendOptions = Pick<StreamOptions, 'signal' | 'baseUrl'> & { readonly isBackground: boolean };

async function requestCompletion(
  context: ServiceContext,
  request: ChatRequest,
  { signal, isBackground, baseUrl }: SendOptions,
): Promise<ChatCompletion> {
  const paidRequest: PaidRequest = { kind: 'chat', model: request.model, isBackground };
  await context.spending?.authorizeRequest(paidRequest, signal);
  const response = await sendCall(context, createUnstreamedCall(request, baseUrl), signal);
  const secrets = listSecrets(response.endpoint);
  const json = await readJson(response.body, { secrets });
  if (isRecord(json) && isErrorReply(json)) {
    throw new ServiceError(readStreamFailure(readErrorJson(json), secrets));
  }
  if (!isRecord(json) || !Array.isArray(json['choices'])) {
    throw createUnrecognizedResponseError(JSON.stringify(json), secrets);
  }
  const events: ChatEvent[] = [];
  const reader = new ChunkReader(response.endpoint, (event) => events.push(event));
  reader.readCompletion(json);
  context.spending?.recordSpending(paidRequest, reader.totals);
  return {
    ...mergeEvents(events),
    finishReason: reader.finishReason ?? 'other',
    info: response.info,
  };
}

/**
 * Joins the events of a streamed answer into a complete answer.
 * @throws ServiceError if the answer is incomplete.
 */
async function joinBatches(batches: AsyncIterable<readonly ChatEvent[]>): Promise<ChatCompletion> {
  const events = (await Array.fromAsync(batches)).flat();
  const start = events.find((event) => event.type === 'stream-start');
  const end = events.findLast((event) => event.type === 'stream-end');
  if (end?.outcome.kind === 'failed') throw new ServiceError(end.outcome.failure);
  const finishReason = end?.outcome.finishReason ?? 'other';
  return { ...mergeEvents(events), finishReason, info: start?.info ?? {} };
}

const createUnstreamedCall = (request: ChatRequest, baseUrl: string | undefined): ServiceCall => ({
  ...omitUndefined({ baseUrl }),
  method: 'POST',
  path: '/chat/completions',
  body: (vendorPrefix, connection) =>
    createChatRequestBody(removeOmittedDocuments(request, connection), vendorPrefix, false),
  optionalFields: listOptionalFields(request, false),
  timeouts: unstreamedTimeouts,
  canRetry: canRetryChat,
});

function mergeEvents(events: readonly ChatEvent[]): Omit<ChatCompletion, 'finishReason' | 'info'> {
  const joinText = (type: 'text-delta' | 'reasoning-delta'): string =>
    events.map((event) => (event.type === type ? event.text : '')).join('');
  const usageEvent = events.findLast((event) => event.type === 'usage');
  return {
    text: joinText('text-delta'),
    reasoning: joinText('reasoning-delta'),
    toolCalls: events.flatMap(toToolCalls),
    citations: events.flatMap((event) => (event.type === 'citations' ? event.citations : [])),
    ...(usageEvent === undefined ? {} : { usage: usageEvent.usage }),
    ...(usageEvent?.cost === undefined ? {} : { cost: usageEvent.cost }),
  };
}

/**
 * Returns the tool call of an event in an array. The array is empty if the event is not a tool call. In an unstreamed
 * answer, each of these events contains a complete call.
 */
const toToolCalls = (event: ChatEvent): ToolCall[] =>
  event.type === 'tool-call-delta' && event.id !== undefined && event.name !== undefined
    ? [
        {
          id: event.id,
          type: 'function',
          function: { name: event.name, arguments: event.arguments },
        },
      ]
    : [];
