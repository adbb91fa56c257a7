import { Readable } from 'node:stream';
import { createParser } from 'eventsource-parser';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isRecord, readNumberOr, parseJson } from '../../../src/base/json.ts';
import { createTextModel } from '../catalog/text-models.ts';
import type { TextModel } from '../catalog/model.ts';
import type { ApiKey } from '../money/api-key.ts';
import { ApiError } from '../api-error.ts';
import type { ServiceState } from '../service-state.ts';
import type { ChatCall } from './call.ts';

/** Returns the text models that another OpenAI-compatible server lists. */
export async function fetchUpstreamModels(upstreamUrl: string): Promise<TextModel[]> {
  const reply = await fetch(`${upstreamUrl}/models`).catch((cause: unknown) => {
    throw new Error(`No OpenAI-compatible server answers at ${upstreamUrl}`, { cause });
  });
  const body: unknown = await reply.json();
  const modelList = isRecord(body) && Array.isArray(body['data']) ? body['data'] : [];
  return modelList.map((entry: unknown, index) => {
    const id = isRecord(entry) ? String(entry['id']) : String(entry);
    return createTextModel({
      id,
      name: id,
      description: `Answered by ${upstreamUrl}.`,
      contextTokens: 131_072,
      price: [0.5, 1.5],
      capabilityFlags: ['supportsFunctionCalling', 'supportsVision', 'supportsResponseSchema'],
      traits: index === 0 ? ['default', 'default_code', 'function_calling_default'] : [],
    });
  });
}

interface ForwardedChat {
  readonly call: ChatCall;
  readonly key: ApiKey;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly upstreamUrl: string;
}

/**
 * Forwards a chat request to another server, and returns the bytes of its reply unchanged. Charges the token usage that
 * the other server reports.
 */
export async function forwardChat(state: ServiceState, exchange: ForwardedChat): Promise<unknown> {
  const { call, request, reply, upstreamUrl } = exchange;
  const { service_parameters: _, ...body } = call.body;
  const upstreamReply = await fetch(`${upstreamUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, model: call.model.record.id }),
    signal: request.closeSignal,
  }).catch(() => {
    throw new ApiError(503, 'The model is at capacity. Please try again later.');
  });
  reply
    .code(upstreamReply.status)
    .type(upstreamReply.headers.get('content-type') ?? 'application/json');
  if (!upstreamReply.ok || upstreamReply.body === null)
    return reply.send(await upstreamReply.text());
  if (call.body.stream === true) {
    return reply.send(Readable.from(streamUpstream(state, exchange, upstreamReply.body)));
  }
  const text = await upstreamReply.text();
  chargeReply(state, exchange, parseJson(text));
  return reply.send(text);
}

async function* streamUpstream(
  state: ServiceState,
  exchange: ForwardedChat,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder();
  const parser = createParser({
    onEvent: ({ data }) => chargeReply(state, exchange, parseJson(data)),
  });
  for await (const bytes of body) {
    parser.feed(decoder.decode(bytes, { stream: true }));
    yield bytes;
  }
}

function chargeReply(state: ServiceState, { call, key }: ForwardedChat, reply: unknown): void {
  const usage = isRecord(reply) ? reply['usage'] : undefined;
  if (!isRecord(usage)) return;
  const { input, output } = call.model.price;
  const promptTokenCount = readNumberOr(usage['prompt_tokens'], 0);
  const completionTokenCount = readNumberOr(usage['completion_tokens'], 0);
  const cost = Math.ceil(promptTokenCount * input + completionTokenCount * output);
  state.accounts.chargeAccount(key, cost, call.model.record.id);
}
