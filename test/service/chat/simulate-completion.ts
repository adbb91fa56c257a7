import type { CompletionAsk } from '../../../src/completion/ports.ts';
import { chatBody } from '../../../src/service/chat/chat-chunk.ts';
import { Catalogue } from '../catalogue/catalogue.ts';
import type { Pace } from '../catalogue/model.ts';
import { readCall } from './call.ts';
import { readCompletion } from './completion-call.ts';
import { checkCall } from './gates.ts';
import { paceOf } from './pace.ts';
import { type FinishReason, write } from './pieces.ts';
import { promptTokens } from './tokens.ts';
import { Vocabulary } from '../vocabulary.ts';
import { nothingFound } from '../models/web-search.ts';
import { completeCode } from '../models/completion/complete-code.ts';
import type { Habits } from '../models/completion/habits.ts';

/** A completion as the service would stream it. */
export interface SimulatedCompletion {
  /** One per token. */
  readonly pieces: readonly string[];
  readonly finishReason: FinishReason;
  /** Billed input tokens. */
  readonly promptTokens: number;
  /** Piece `n`, from 0, is sent `dueMs(n, pace)` milliseconds after the request arrives. */
  readonly pace: Pace;
}

const world = { words: new Vocabulary('service'), catalogue: new Catalogue(), seed: 1 };

/**
 * Returns the local service's answer without HTTP and without a clock, at the model's own pace. Pure.
 * @throws Problem for requests that the service rejects
 */
export function simulateCompletion(ask: CompletionAsk, habits: Habits = {}): SimulatedCompletion {
  const call =
    ask.route === 'chat'
      ? readCall(chatBody(ask.request, 'service', true), { ...world, habits })
      : readCompletion(ask.request, { ...world, habits });
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
