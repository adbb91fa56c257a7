import * as vscode from 'vscode';
import { accessOf, invalid, notAllowed, problemOf } from './access.ts';
import type { ApiChatEvent, ApiChatResult } from './api-types.ts';
import { defined, isRecord } from '../base/json.ts';
import type { Host } from '../host.ts';
import { selectedModel, requireListedModel } from '../models/vscode/selected-model.ts';
import type {
  ChatEvent,
  ChatRequest,
  ChatRequestMessage,
  StreamOutcome,
  Usage,
} from '../service/chat/chat-types.ts';

const mostMessages = 500;
const mostCharacters = 2_000_000;
const longestId = 200;

/** What another extension asks a model, as it will be sent. */
export interface ReadRequest {
  readonly request: ChatRequest;
  readonly caller: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/**
 * Copies what another extension asks for: it may be anything, and change while the person reads what it is.
 * @param model What is asked when the request names none.
 * @returns a sentence when it cannot be sent
 */
export function readChatRequest(asked: unknown, model: string): ReadRequest | string {
  if (!isRecord(asked)) return 'The request is no object.';
  const messages = readMessages(asked['messages']);
  if (typeof messages === 'string') return messages;
  const { temperature, maxTokens, model: named = model, signal } = asked;
  if (typeof named !== 'string' || named === '' || named.length > longestId)
    return '`model` is no id of a model.';
  if (temperature !== undefined && !isBetween(temperature, 0, 2))
    return '`temperature` is no number from 0 to 2.';
  if (
    maxTokens !== undefined &&
    !(isBetween(maxTokens, 1, 1_000_000) && Number.isInteger(maxTokens))
  )
    return '`maxTokens` is no whole number from 1 to 1,000,000.';
  return {
    request: {
      model: named,
      messages,
      parameters: { include_system_prompt: false },
      ...(temperature === undefined ? {} : { temperature }),
      ...(maxTokens === undefined ? {} : { max_completion_tokens: maxTokens }),
    },
    caller: callerIn(asked),
    signal: signal instanceof AbortSignal ? signal : undefined,
  };
}

/** The id that an extension gives for itself; undefined when it is none. */
export function callerIn(asked: unknown): string | undefined {
  const caller = isRecord(asked) ? asked['caller'] : undefined;
  const isId = typeof caller === 'string' && /^[\w-]{1,100}\.[\w-]{1,100}$/u.test(caller);
  return isId ? caller : undefined;
}

function readMessages(messages: unknown): readonly ChatRequestMessage[] | string {
  if (!Array.isArray(messages) || messages.length === 0 || messages.length > mostMessages)
    return '`messages` is no list of 1 to 500 messages.';
  const read = messages.map(readMessage);
  const whole = read.filter((each) => each !== undefined);
  if (whole.length < read.length)
    return 'A message has a `role` (system, user or assistant) and `content`, which is text.';
  const characters = whole.reduce((sum, { content }) => sum + content.length, 0);
  return characters > mostCharacters ? 'The messages are longer than 2,000,000 characters.' : whole;
}

type Message = { readonly role: 'system' | 'user' | 'assistant'; readonly content: string };

function readMessage(message: unknown): Message | undefined {
  if (!isRecord(message)) return undefined;
  const { role, content } = message;
  const isRole = role === 'system' || role === 'user' || role === 'assistant';
  return isRole && typeof content === 'string' ? { role, content } : undefined;
}

const isBetween = (value: unknown, least: number, most: number): value is number =>
  typeof value === 'number' && value >= least && value <= most;

/** Asks a model for another extension, when the person allows it. Never throws; the last event is one `end`. */
export async function* streamForExtension(
  host: Host,
  asked: unknown,
): AsyncGenerator<ApiChatEvent> {
  const abort = new AbortController();
  try {
    const usual = selectedModel(host.models).id;
    const read = readChatRequest(asked, usual);
    if (typeof read === 'string') return yield end(invalid(read));
    if (!(await isAllowed(host, read))) return yield end(notAllowed);
    const signal = AbortSignal.any([abort.signal, ...(read.signal ? [read.signal] : [])]);
    if (read.request.model === usual) await requireListedModel(host.models, usual, signal);
    yield* streamed(host, read, signal);
  } catch (error) {
    host.log.error('A request of another extension', error);
    yield end(problemOf(error));
  } finally {
    abort.abort();
  }
}

/** {@link streamForExtension} as a whole. */
export async function completeForExtension(host: Host, asked: unknown): Promise<ApiChatResult> {
  for await (const event of streamForExtension(host, asked))
    if (event.type === 'end') return event.result;
  return problemOf(undefined);
}

function isAllowed(host: Host, { request, caller }: ReadRequest): Promise<boolean> {
  const name = host.models.find(request.model)?.name ?? request.model.slice(0, 80);
  const detail = vscode.l10n.t(
    'It asks {0}. What it asks and what that costs go through your account, within your budget.',
    name,
  );
  return accessOf(host).allows({ kind: 'chat', caller, detail });
}

async function* streamed(
  host: Host,
  { request }: ReadRequest,
  signal: AbortSignal,
): AsyncGenerator<ApiChatEvent> {
  const { account, service } = host;
  const { profile } = account;
  const { streamChat } = await import('../service/chat/stream-chat.ts');
  const answer = new Answer(request.model);
  for await (const events of streamChat(service, request, { signal })) {
    for (const event of events) {
      if (event.type === 'stream-start') account.report(event.info, profile);
      const told = answer.take(event);
      if (told !== undefined) yield told;
      if (event.type !== 'stream-end') continue;
      const { outcome } = event;
      const isNews = outcome.kind === 'failed' && outcome.failure.code !== 'stopped';
      if (isNews) account.report(outcome.failure, profile);
      yield end(answer.result(outcome));
    }
  }
}

/** What came of an answer so far. */
class Answer {
  readonly #model: string;
  #text = '';
  #reasoning = '';
  #usage: Usage | undefined;

  constructor(model: string) {
    this.#model = model;
  }

  take(event: ChatEvent): ApiChatEvent | undefined {
    if (event.type === 'usage') this.#usage = event.usage;
    if (event.type === 'text-delta') {
      this.#text += event.text;
      return Object.freeze({ type: 'text', text: event.text });
    }
    if (event.type !== 'reasoning-delta') return undefined;
    this.#reasoning += event.text;
    return Object.freeze({ type: 'reasoning', text: event.text });
  }

  result(outcome: StreamOutcome): ApiChatResult {
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
      ...defined({ usage: usage && Object.freeze(usage) }),
    });
  }
}

const end = (result: ApiChatResult): ApiChatEvent => Object.freeze({ type: 'end', result });
