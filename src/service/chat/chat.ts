import { isRecord } from '../../base/json.ts';
import { notUnderstood, readJson } from '../http/reply.ts';
import { chatBody, ChunkReader } from './chat-chunk.ts';
import type {
  ChatEvent,
  ChatRequest,
  Citation,
  Cost,
  FinishReason,
  ReplyInfo,
  ToolCall,
  Usage,
} from './chat-types.ts';
import type { ServiceContext } from '../http/client.ts';
import { readErrorJson, readStreamFailure } from '../http/failure-reading.ts';
import { ServiceError } from '../http/failure.ts';
import { type Call, secretsOf, send } from '../http/request.ts';
import type { PaidRequest } from './spending.ts';
import { chatGuard, streamGuardedChat, type StreamOptions, toldPlain } from './stream-chat.ts';
import type { ChatTerms } from './protection.ts';

/** An answer that comes as a whole has no bytes before its end. */
const wholeTimeouts = { headers: 300_000, idle: 60_000 };

/** An answer that came as a whole. */
export interface ChatCompletion {
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly ToolCall[];
  readonly citations: readonly Citation[];
  readonly finishReason: FinishReason;
  readonly usage?: Usage;
  readonly cost?: Cost;
  readonly info: ReplyInfo;
}

/** How an answer in one piece is asked for. */
export type CompletionOptions = Pick<StreamOptions, 'signal' | 'isBackground' | keyof ChatTerms>;

/**
 * The answer to a chat in one piece (spec §4.2).
 * @param options.isBackground as in {@link StreamOptions}
 * @throws ServiceError
 */
export async function createChatCompletion(
  context: ServiceContext,
  request: ChatRequest,
  { signal, isBackground = false, ...terms }: CompletionOptions,
): Promise<ChatCompletion> {
  const guard = await chatGuard(context, request, { signal, isBackground, ...terms });
  // Only pieces of an answer are encrypted.
  if (guard.kind === 'encrypted') {
    return joined(streamGuardedChat(context, request, { signal, isBackground, guard }));
  }
  const paid: PaidRequest = { kind: 'chat', model: request.model, isBackground };
  await context.spending?.admit(paid, signal);
  const reply = await send(context, wholeChat(toldPlain(request, guard)), signal);
  const secrets = secretsOf(reply.endpoint);
  const json = await readJson(reply.body, { secrets });
  if (isRecord(json) && json['error'] != null) {
    throw new ServiceError(readStreamFailure(readErrorJson(json), secrets));
  }
  if (!isRecord(json) || !Array.isArray(json['choices'])) {
    throw notUnderstood(JSON.stringify(json), secrets);
  }
  const events: ChatEvent[] = [];
  const reader = new ChunkReader(reply.endpoint.vendorWord, (event) => events.push(event));
  reader.readWhole(json);
  context.spending?.spent(paid, reader.totals);
  return { ...gather(events), finishReason: reader.finishReason ?? 'other', info: reply.info };
}

/** @throws ServiceError when the answer did not come to its end */
async function joined(batches: AsyncIterable<readonly ChatEvent[]>): Promise<ChatCompletion> {
  const events = (await Array.fromAsync(batches)).flat();
  const start = events.find((event) => event.type === 'stream-start');
  const end = events.findLast((event) => event.type === 'stream-end');
  if (end?.outcome.kind === 'failed') throw new ServiceError(end.outcome.failure);
  const finishReason = end?.outcome.finishReason ?? 'other';
  return { ...gather(events), finishReason, info: start?.info ?? {} };
}

const wholeChat = (request: ChatRequest): Call => ({
  method: 'POST',
  path: '/chat/completions',
  body: (vendorWord) => chatBody(request, vendorWord, false),
  timeouts: wholeTimeouts,
});

function gather(events: readonly ChatEvent[]): Omit<ChatCompletion, 'finishReason' | 'info'> {
  const textOf = (type: 'text-delta' | 'reasoning-delta'): string =>
    events.map((event) => (event.type === type ? event.text : '')).join('');
  const totals = events.findLast((event) => event.type === 'usage');
  return {
    text: textOf('text-delta'),
    reasoning: textOf('reasoning-delta'),
    toolCalls: events.flatMap(toolCallOf),
    citations: events.flatMap((event) => (event.type === 'citations' ? event.citations : [])),
    ...(totals === undefined ? {} : { usage: totals.usage }),
    ...(totals?.cost === undefined ? {} : { cost: totals.cost }),
  };
}

/** In a whole answer each call is one piece. */
const toolCallOf = (event: ChatEvent): ToolCall[] =>
  event.type === 'tool-call-delta' && event.id !== undefined && event.name !== undefined
    ? [
        {
          id: event.id,
          type: 'function',
          function: { name: event.name, arguments: event.arguments },
        },
      ]
    : [];
