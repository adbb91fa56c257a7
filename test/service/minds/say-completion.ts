import type { CompletionAsk } from '../../../src/completion/ports.ts';
import { chatBody } from '../../../src/service/chat/chat-chunk.ts';
import { Catalogue } from '../catalogue/catalogue.ts';
import type { Pace } from '../catalogue/model.ts';
import { type ChatCall, readCall } from '../chat/call.ts';
import { readCompletion } from '../chat/completion-call.ts';
import { checkCall } from '../chat/gates.ts';
import { paceOf } from '../chat/pace.ts';
import { type FinishReason, write } from '../chat/pieces.ts';
import { promptTokens } from '../chat/tokens.ts';
import { Vocabulary } from '../vocabulary.ts';
import { completeCode } from './code-completion.ts';
import type { Habits } from './completion/habits.ts';
import { nothingFound } from './web-search.ts';

/** What the service says to a request for a completion, and how fast. */
export interface SaidCompletion {
  /** One for each token, as they are streamed. */
  readonly pieces: readonly string[];
  readonly finishReason: FinishReason;
  /** Tokens that are billed as input. */
  readonly promptTokens: number;
  /** Piece `n`, from 0, is sent `dueMs(n, pace)` milliseconds after the request came. */
  readonly pace: Pace;
}

const world = { words: new Vocabulary('service'), catalogue: new Catalogue(), seed: 1 };

/**
 * What the local service answers, without the service: the same text in the same pieces, at the model's own pace. Pure.
 * @throws Problem for what the service would refuse
 */
export function sayCompletion(ask: CompletionAsk, habits: Habits = {}): SaidCompletion {
  const call = callOf(ask, habits);
  checkCall(call);
  const content = completeCode(call.body, habits);
  const answer = { reasoning: '', content, toolCalls: [], found: nothingFound };
  const { pieces, finishReason } = write(answer, call.model, call.body);
  return {
    pieces: pieces.map((piece) => (piece.kind === 'content' ? piece.text : '')),
    finishReason,
    promptTokens: promptTokens(call),
    pace: paceOf(call.model),
  };
}

const callOf = (ask: CompletionAsk, habits: Habits): ChatCall =>
  ask.route === 'chat'
    ? readCall(chatBody(ask.request, 'service', true), { ...world, habits })
    : readCompletion(ask.request, { ...world, habits });
