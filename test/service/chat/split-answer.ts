import type { Json } from '../../../src/base/json.ts';
import type { TextModel } from '../catalog/model.ts';
import type { Answer } from '../models/answer.ts';
import type { ChatBody } from './body.ts';
import { tokenizeText } from './tokens.ts';

/** A fragment of an answer, usually one token. */
export type AnswerFragment =
  | { readonly kind: 'content'; readonly text: string }
  | { readonly kind: 'reasoning'; readonly text: string }
  /** Fragment of a tool call. The first fragment of a call contains `id`, `name` and empty arguments. */
  | {
      readonly kind: 'tool-call';
      readonly index: number;
      readonly id?: string;
      readonly name?: string;
      readonly arguments: string;
    }
  /**
   * Fragments of scripted replies, which are sent unchanged. `delta` is the `delta` object of a chunk. `raw` contains
   * the bytes of a stream, which need not be a valid event.
   */
  | { readonly kind: 'delta'; readonly delta: Json }
  | { readonly kind: 'raw'; readonly text: string };

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter';

export interface SplitAnswer {
  readonly fragments: readonly AnswerFragment[];
  readonly finishReason: FinishReason;
}

/** Splits an answer into tokens. Ends at a stop sequence or at the token limit of the request. */
export function splitAnswer(answer: Answer, model: TextModel, body: ChatBody): SplitAnswer {
  const content = cutAtStop(answer.content, body.stop ?? []);
  const fragments = [
    ...splitReasoning(answer.reasoning, model),
    ...tokenizeText(content).map((text) => ({ kind: 'content', text }) as const),
    ...answer.toolCalls.flatMap((call, index) => splitToolCall(call, index)),
  ];
  const limit = getTokenLimit(body);
  if (fragments.length > limit)
    return { fragments: fragments.slice(0, limit), finishReason: 'length' };
  return { fragments, finishReason: answer.toolCalls.length > 0 ? 'tool_calls' : 'stop' };
}

function splitReasoning(reasoning: string, { reasoningStyle: style }: TextModel): AnswerFragment[] {
  if (reasoning === '') return [];
  if (style === 'field')
    return tokenizeText(reasoning).map((text) => ({ kind: 'reasoning', text }));
  const taggedParts = ['<think>\n', ...tokenizeText(reasoning), '\n</think>\n\n'];
  return taggedParts.map((text) => ({ kind: 'content', text }));
}

function splitToolCall(call: Answer['toolCalls'][number], index: number): AnswerFragment[] {
  const { id, name } = call;
  const argumentFragments = tokenizeText(call.arguments).map(
    (text) => ({ kind: 'tool-call', index, arguments: text }) as const,
  );
  return [{ kind: 'tool-call', index, id, name, arguments: '' }, ...argumentFragments];
}

function cutAtStop(text: string, stop: string | readonly string[]): string {
  const stopIndexes = [stop]
    .flat()
    .filter((sequence) => sequence !== '')
    .map((sequence) => text.indexOf(sequence))
    .filter((index) => index >= 0);
  return text.slice(0, Math.min(text.length, ...stopIndexes));
}

function getTokenLimit({ max_completion_tokens, max_tokens }: ChatBody): number {
  const limit = max_completion_tokens ?? max_tokens ?? 0;
  return limit > 0 ? limit : Infinity;
}
