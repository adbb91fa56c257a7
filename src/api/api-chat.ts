import * as vscode from 'vscode';
import { defined } from '../base/json.ts';
import type { ChatEvent, StreamOutcome, Usage } from '../service/chat/chat-types.ts';
import type { Host } from '../host.ts';
import { askedModel } from '../models/vscode/asked-model.ts';
import { requireListed } from '../models/vscode/listed-model.ts';
import { accessOf } from './access.ts';
import { invalid, notAllowed, problemOf } from './api-problem.ts';
import type { ApiChatEvent, ApiChatResult } from './api-types.ts';
import { readChatRequest, type ReadRequest } from './read-chat-request.ts';

/** Asks a model for another extension, when the person allows it. Never throws; the last event is one `end`. */
export async function* streamForExtension(
  host: Host,
  asked: unknown,
): AsyncGenerator<ApiChatEvent> {
  const abort = new AbortController();
  try {
    const usual = askedModel(host.models).id;
    const read = readChatRequest(asked, usual);
    if (typeof read === 'string') return yield end(invalid(read));
    if (!(await isAllowed(host, read))) return yield end(notAllowed);
    const signal = AbortSignal.any([abort.signal, ...(read.signal ? [read.signal] : [])]);
    if (read.request.model === usual) await requireListed(host.models, usual, signal);
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
  const { streamChat } = await import('../service/chat/chat.ts');
  const answer = new Answer(request.model);
  for await (const event of streamChat(service, request, { signal })) {
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
