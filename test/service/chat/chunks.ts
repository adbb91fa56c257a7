import { randomUUID } from 'node:crypto';
import { isRecord, type Json, type JsonRecord, readStringOr } from '../../../src/base/json.ts';
import { hashText } from '../random.ts';
import type { Citation } from '../web/built-in-web.ts';
import type { ChatCall, EffectiveParameters } from './call.ts';
import type { AnswerFragment } from './split-answer.ts';

export interface Chunk {
  readonly id: string;
  readonly object: 'chat.completion.chunk';
  readonly created: number;
  readonly model: string;
  readonly choices: readonly ChunkChoice[];
  /** Token usage. Only the last chunk contains `usage` and `cost`. */
  readonly usage?: Usage;
  readonly cost?: { readonly usd: number; readonly diem: number };
  /**
   * Effective parameters of the request, and the web citations. Present in the first chunk, in the last chunk, or in
   * both.
   */
  readonly service_parameters?: EffectiveParameters & { web_search_citations: readonly Citation[] };
}

export interface ChunkChoice {
  readonly index: number;
  readonly delta: Delta;
  /** Finish reason; null until the last delta of the choice. A script can set any text. */
  readonly finish_reason: string | null;
  readonly logprobs?: { readonly content: readonly TokenLogprob[] };
}

export interface Delta {
  readonly role?: 'assistant';
  readonly content?: string;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly {
    readonly index: number;
    readonly id?: string;
    readonly type?: 'function';
    readonly function: { readonly name?: string; readonly arguments: string };
  }[];
}

export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details: null;
  readonly completion_tokens_details: { readonly reasoning_tokens: number } | null;
}

export interface TokenLogprob {
  readonly token: string;
  readonly logprob: number;
  readonly bytes: readonly number[];
  readonly top_logprobs: readonly Omit<TokenLogprob, 'top_logprobs'>[];
}

/** Creates the chunks of one reply. All chunks have the same id, time and model. */
export class ChunkWriter {
  readonly #call: ChatCall;
  readonly #commonFields: Pick<Chunk, 'id' | 'object' | 'created' | 'model'>;

  constructor(call: ChatCall, now: number) {
    this.#call = call;
    this.#commonFields = {
      id: `chatcmpl-${randomUUID().replaceAll('-', '')}`,
      object: 'chat.completion.chunk',
      created: Math.floor(now / 1000),
      model: call.model.record.id,
    };
  }

  createStartChunk(index: number): Chunk {
    return this.#createChoiceChunk({
      index,
      delta: { role: 'assistant', content: '' },
      finish_reason: null,
    });
  }

  createFragmentChunk(index: number, fragment: Exclude<AnswerFragment, { kind: 'raw' }>): Chunk {
    const hasLogprobs = this.#call.body.logprobs === true && fragment.kind === 'content';
    return this.#createChoiceChunk({
      index,
      delta: toDelta(fragment),
      finish_reason: null,
      ...(hasLogprobs && {
        logprobs: { content: [toLogprob(fragment.text, this.#call.body.top_logprobs ?? 0)] },
      }),
    });
  }

  createFinishChunk(index: number, finish_reason: string): Chunk {
    return this.#createChoiceChunk({ index, delta: {}, finish_reason });
  }

  /** Creates the last chunk, which contains usage and cost in place of choices. */
  createLastChunk(totals: Required<Pick<Chunk, 'usage' | 'cost' | 'service_parameters'>>): Chunk {
    return { ...this.#commonFields, choices: [], ...totals };
  }

  #createChoiceChunk(choice: ChunkChoice): Chunk {
    return { ...this.#commonFields, choices: [choice] };
  }
}

function toDelta(fragment: Exclude<AnswerFragment, { kind: 'raw' }>): Delta {
  // Scripts can contain deltas that violate the type.
  if (fragment.kind === 'delta') return fragment.delta as Delta;
  if (fragment.kind === 'content') return { content: fragment.text };
  if (fragment.kind === 'reasoning') return { reasoning_content: fragment.text };
  const { index, id, name } = fragment;
  const functionDelta = { ...(name !== undefined && { name }), arguments: fragment.arguments };
  const call = {
    index,
    ...(id !== undefined && { id, type: 'function' as const }),
    function: functionDelta,
  };
  return { tool_calls: [call] };
}

function toLogprob(token: string, alternativeCount: number): TokenLogprob {
  const createLogprob = (text: string, rank: number) => ({
    token: text,
    logprob: -((hashText(text) % 1000) / 2000) - rank,
    bytes: [...Buffer.from(text)],
  });
  const topLogprobs = Array.from({ length: alternativeCount }, (_, rank) =>
    createLogprob(rank === 0 ? token : `${token}${rank}`, rank),
  );
  return { ...createLogprob(token, 0), top_logprobs: topLogprobs };
}

/** Joins the chunks into one reply, for a request without streaming. */
export function joinChunks(chunks: readonly Chunk[]): JsonRecord {
  const [firstChunk] = chunks;
  const lastChunk = chunks.at(-1);
  const indexes = new Set(chunks.flatMap(({ choices }) => choices.map(({ index }) => index)));
  return {
    id: firstChunk?.id,
    object: 'chat.completion',
    created: firstChunk?.created,
    model: firstChunk?.model,
    choices: [...indexes].map((index) => joinChoice(index, chunks)),
    usage: lastChunk?.usage,
    cost: lastChunk?.cost,
    prompt_logprobs: null,
    service_parameters: findEffectiveParameters(chunks),
  };
}

/**
 * Returns the service parameters from the chunk with citations. If no chunk has citations, returns the service
 * parameters from the last chunk that contains some.
 */
function findEffectiveParameters(chunks: readonly Chunk[]): Chunk['service_parameters'] {
  const parameterSets = chunks.flatMap(({ service_parameters: parameters }) =>
    parameters === undefined ? [] : [parameters],
  );
  return (
    parameterSets.find(({ web_search_citations: citations }) => citations.length > 0) ??
    parameterSets.at(-1)
  );
}

function joinChoice(index: number, chunks: readonly Chunk[]): JsonRecord {
  const choices = chunks.flatMap((chunk) =>
    chunk.choices.filter((choice) => choice.index === index),
  );
  // Scripts can contain any JSON value as a delta.
  const deltas = choices.map(({ delta }): JsonRecord => (isRecord(delta) ? { ...delta } : {}));
  const readText = (key: 'content' | 'reasoning_content'): string =>
    deltas.map((delta) => readStringOr(delta[key], '')).join('');
  const tool_calls = joinToolCalls(deltas);
  const finish_reason = choices.at(-1)?.finish_reason ?? null;
  const logprobs = choices.flatMap((choice) => choice.logprobs?.content ?? []);
  const content = readText('content');
  return {
    index,
    message: {
      role: 'assistant',
      content: content === '' && tool_calls.length > 0 ? null : content,
      reasoning_content: readText('reasoning_content') || null,
      tool_calls,
    },
    finish_reason,
    stop_reason: finish_reason === 'stop' || finish_reason === 'length' ? finish_reason : null,
    logprobs: logprobs.length > 0 ? { content: logprobs } : null,
  };
}

interface JoinedCall {
  id: Json;
  type: 'function';
  function: { name: Json; arguments: Json };
}

/**
 * Joins tool call deltas with the same `index` into complete calls. Orders the calls by the first delta of each. An
 * index can be any JSON value.
 */
function joinToolCalls(deltas: readonly JsonRecord[]): JoinedCall[] {
  const calls = new Map<string, JoinedCall>();
  for (const callDelta of deltas.flatMap(getCallDeltas)) {
    const key = JSON.stringify(callDelta['index'] ?? null);
    const newCall: JoinedCall = { id: '', type: 'function', function: { name: '', arguments: '' } };
    const call = calls.get(key) ?? newCall;
    calls.set(key, call);
    const functionDelta = isRecord(callDelta['function']) ? callDelta['function'] : {};
    call.id = appendText(call.id, callDelta['id']);
    call.function.name = appendText(call.function.name, functionDelta['name']);
    call.function.arguments = appendText(call.function.arguments, functionDelta['arguments']);
  }
  return [...calls.values()];
}

const getCallDeltas = ({ tool_calls: deltas }: JsonRecord): JsonRecord[] =>
  Array.isArray(deltas) ? deltas.filter(isRecord) : [];

function appendText(previousText: Json, addedText: unknown): Json {
  if (addedText === undefined) return previousText;
  return typeof previousText === 'string' && typeof addedText === 'string'
    ? previousText + addedText
    : (addedText as Json);
}
