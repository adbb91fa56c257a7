import type { JsonRecord } from '../../../src/base/json.ts';
import type { Chunk, Usage } from './chunks.ts';
import type { RawBytes } from './reply.ts';

/** A chunk of a streamed text completion. */
export interface TextChunk {
  readonly id: string;
  readonly object: 'text_completion';
  readonly created: number;
  readonly model: string;
  readonly choices: readonly {
    readonly index: number;
    readonly text: string;
    readonly logprobs: null;
    readonly finish_reason: string | null;
  }[];
  /** Token usage. Null in all chunks except the last. */
  readonly usage: Usage | null;
}

/**
 * Converts chat chunks to text completion chunks. Omits the last chunk, which contains the usage, unless the request
 * asks for usage.
 */
export async function* toTextChunks(
  chunks: AsyncIterable<Chunk | RawBytes>,
  hasUsage: boolean,
): AsyncGenerator<TextChunk | RawBytes> {
  for await (const chunk of chunks) {
    if ('raw' in chunk) yield chunk;
    else if (hasTextOrFinishReason(chunk) || (hasUsage && chunk.usage !== undefined))
      yield toTextChunk(chunk);
  }
}

const hasTextOrFinishReason = ({ choices }: Chunk): boolean =>
  choices.some(({ delta, finish_reason }) => finish_reason !== null || Boolean(delta.content));

const toTextChunk = ({ id, created, model, choices, usage }: Chunk): TextChunk => ({
  id: id.replace('chatcmpl', 'cmpl'),
  object: 'text_completion',
  created,
  model,
  choices: choices.map(({ index, delta, finish_reason }) => ({
    index,
    text: delta.content ?? '',
    logprobs: null,
    finish_reason,
  })),
  usage: usage ?? null,
});

/** Joins the chunks into one reply, for a request without streaming. */
export function joinTextChunks(chunks: readonly TextChunk[]): JsonRecord {
  const choices = chunks.flatMap((chunk) => chunk.choices);
  const text = choices.map((choice) => choice.text).join('');
  const finish_reason = choices.at(-1)?.finish_reason ?? null;
  return {
    ...chunks[0],
    choices: [{ index: 0, text, logprobs: null, finish_reason }],
    usage: chunks.at(-1)?.usage,
  };
}
