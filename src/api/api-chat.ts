import * as vscode from 'vscode';
import {
  getAccess,
  type ApiGrant,
  createInvalidRequestProblem,
  notAllowedProblem,
  toApiProblem,
} from './access.ts';
import type { ApiChatEvent, ApiChatResult } from './api-types.ts';
import { omitUndefined, isRecord } from '../base/json.ts';
import type { Host } from '../host.ts';
import { getSelectedModel, requireListedModel } from '../models/vscode/selected-model.ts';
import type {
  ChatEvent,
  ChatRequest,
  ChatRequestMessage,
  StreamOutcome,
  Usage,
} from '../service/chat/chat-types.ts';

const maxMessages = 500;
const maxCharacters = 2_000_000;
const maxModelIdLength = 200;

/** A validated chat request of another extension. */
export interface ParsedChatRequest {
  readonly request: ChatRequest;
  readonly caller: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/**
 * Validates and copies a chat request of another extension. The copy protects against later changes of the input by
 * the caller.
 * @param model Model to use if the request names none.
 * @returns the validated request, or an error message if the request is invalid
 */
export function parseChatRequest(input: unknown, model: string): ParsedChatRequest | string {
  if (!isRecord(input)) return 'The request must be an object.';
  const messages = parseMessages(input['messages']);
  if (typeof messages === 'string') return messages;
  const { temperature, maxTokens, model: modelId = model, signal } = input;
  if (typeof modelId !== 'string' || modelId === '' || modelId.length > maxModelIdLength)
    return '`model` must be a model id.';
  if (temperature !== undefined && !isBetween(temperature, 0, 2))
    return '`temperature` must be a number from 0 to 2.';
  if (
    maxTokens !== undefined &&
    !(isBetween(maxTokens, 1, 1_000_000) && Number.isInteger(maxTokens))
  )
    return '`maxTokens` must be an integer from 1 to 1,000,000.';
  return {
    request: {
      model: modelId,
      messages,
      parameters: { include_system_prompt: false },
      ...(temperature === undefined ? {} : { temperature }),
      ...(maxTokens === undefined ? {} : { max_completion_tokens: maxTokens }),
    },
    caller: readCaller(input),
    signal: signal instanceof AbortSignal ? signal : undefined,
  };
}

/** Returns the extension id that the caller claims; `undefined` if the id is missing or malformed. */
export function readCaller(input: unknown): string | undefined {
  const caller = isRecord(input) ? input['caller'] : undefined;
  const isId = typeof caller === 'string' && /^[\w-]{1,100}\.[\w-]{1,100}$/u.test(caller);
  return isId ? caller : undefined;
}

function parseMessages(messages: unknown): readonly ChatRequestMessage[] | string {
  if (!Array.isArray(messages) || messages.length === 0 || messages.length > maxMessages)
    return '`messages` must be an array of 1 to 500 messages.';
  const parsedMessages = messages.map(parseMessage);
  const validMessages = parsedMessages.filter((message) => message !== undefined);
  if (validMessages.length < parsedMessages.length)
    return 'Each message must have a `role` (system, user or assistant) and a string `content`.';
  const characterCount = validMessages.reduce((sum, { content }) => sum + content.length, 0);
  return characterCount > maxCharacters
    ? 'The messages must have at most 2,000,000 characters in total.'
    : validMessages;
}

type ApiChatMessage = { readonly role: 'system' | 'user' | 'assistant'; readonly content: string };

function parseMessage(message: unknown): ApiChatMessage | undefined {
  if (!isRecord(message)) return undefined;
  const { role, content } = message;
  const isRole = role === 'system' || role === 'user' || role === 'assistant';
  return isRole && typeof content === 'string' ? { role, content } : undefined;
}

const isBetween = (value: unknown, min: number, max: number): value is number =>
  typeof value === 'number' && value >= min && value <= max;

/**
 * Streams a model's answer to another extension if the user allows the request. Never throws. The last event always
 * has the type `end` and contains the result.
 */
export async function* streamForExtension(
  host: Host,
  input: unknown,
  grant?: ApiGrant,
): AsyncGenerator<ApiChatEvent> {
  const abortController = new AbortController();
  try {
    const defaultModelId = getSelectedModel(host.models).id;
    const parsedRequest = parseChatRequest(input, defaultModelId);
    if (typeof parsedRequest === 'string')
      return yield createEndEvent(createInvalidRequestProblem(parsedRequest));
    if (!(await authorizeChat(host, parsedRequest, grant)))
      return yield createEndEvent(notAllowedProblem);
    const signal = AbortSignal.any([
      abortController.signal,
      ...(parsedRequest.signal ? [parsedRequest.signal] : []),
    ]);
    if (parsedRequest.request.model === defaultModelId)
      await requireListedModel(host.models, defaultModelId, signal);
    yield* streamAnswer(host, parsedRequest, signal);
  } catch (error) {
    host.log.error('Could not answer a chat request of another extension', error);
    yield createEndEvent(toApiProblem(error));
  } finally {
    abortController.abort();
  }
}

/** Returns the result of {@link streamForExtension} when the answer is complete. */
export async function completeForExtension(
  host: Host,
  input: unknown,
  grant?: ApiGrant,
): Promise<ApiChatResult> {
  for await (const event of streamForExtension(host, input, grant))
    if (event.type === 'end') return event.result;
  return toApiProblem(undefined);
}

function authorizeChat(
  host: Host,
  { request, caller }: ParsedChatRequest,
  grant: ApiGrant | undefined,
): Promise<boolean> {
  const name = host.models.find(request.model)?.name ?? request.model.slice(0, 80);
  const costNote = vscode.l10n.t(
    'It sends requests to models, at your expense and within your budget.',
  );
  const detail = vscode.l10n.t('{0}: {1}', name, costNote);
  return getAccess(host).authorize({ kind: 'chat', caller, detail }, grant);
}

async function* streamAnswer(
  host: Host,
  { request }: ParsedChatRequest,
  signal: AbortSignal,
): AsyncGenerator<ApiChatEvent> {
  const { account, service } = host;
  const { profile } = account;
  const { streamChat } = await import('../service/chat/stream-chat.ts');
  const answer = new AnswerCollector(request.model);
  for await (const events of streamChat(service, request, { signal, areOptionsChosen: true })) {
    for (const event of events) {
      if (event.type === 'stream-start') account.reportOutcome(event.info, profile);
      const apiEvent = answer.collectEvent(event);
      if (apiEvent !== undefined) yield apiEvent;
      if (event.type !== 'stream-end') continue;
      const { outcome } = event;
      const shouldReport = outcome.kind === 'failed' && outcome.failure.code !== 'stopped';
      if (shouldReport) account.reportOutcome(outcome.failure, profile);
      yield createEndEvent(answer.createResult(outcome));
    }
  }
}

/** Collects the text, reasoning and usage of an answer. */
class AnswerCollector {
  readonly #model: string;
  #text = '';
  #reasoning = '';
  #usage: Usage | undefined;

  constructor(model: string) {
    this.#model = model;
  }

  collectEvent(event: ChatEvent): ApiChatEvent | undefined {
    if (event.type === 'usage') this.#usage = event.usage;
    if (event.type === 'text-delta') {
      this.#text += event.text;
      return Object.freeze({ type: 'text', text: event.text });
    }
    if (event.type !== 'reasoning-delta') return undefined;
    this.#reasoning += event.text;
    return Object.freeze({ type: 'reasoning', text: event.text });
  }

  createResult(outcome: StreamOutcome): ApiChatResult {
    const isStopped = outcome.kind === 'failed' && outcome.failure.code === 'stopped';
    if (outcome.kind === 'failed' && !isStopped) {
      const { code, message } = outcome.failure;
      return Object.freeze({ ok: false, problem: code, message });
    }
    const usage = this.#usage && {
      input: this.#usage.promptTokens,
      output: this.#usage.completionTokens,
    };
    return Object.freeze({
      ok: true,
      text: this.#text,
      reasoning: this.#reasoning,
      model: this.#model,
      finishReason: outcome.kind === 'complete' ? outcome.finishReason : 'stopped',
      ...omitUndefined({ usage: usage && Object.freeze(usage) }),
    });
  }
}

const createEndEvent = (result: ApiChatResult): ApiChatEvent =>
  Object.freeze({ type: 'end', result });
