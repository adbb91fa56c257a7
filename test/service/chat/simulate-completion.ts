import type { SuggestionRequest } from '../../../src/completion/ports.ts';
import { createChatRequestBody } from '../../../src/service/chat/chat-chunk.ts';
import { ModelCatalog } from '../catalog/model-catalog.ts';
import type { Pace } from '../catalog/model.ts';
import { parseChatCall } from './call.ts';
import { parseCompletionCall } from './completion-call.ts';
import { validateChatCall } from './validate-chat-call.ts';
import { getModelPace } from './pace.ts';
import { type FinishReason, splitAnswer } from './split-answer.ts';
import { countPromptTokens } from './tokens.ts';
import { VendorNaming } from '../vendor-naming.ts';
import { emptySearchResults } from '../web/search-results.ts';
import { completeCode } from '../models/completion/complete-code.ts';
import type { CodeModelMisbehavior } from '../models/completion/misbehavior.ts';

/** A completion as the service would stream it. */
export interface SimulatedCompletion {
  /** Text of each token. */
  readonly fragments: readonly string[];
  readonly finishReason: FinishReason;
  /** Number of billed input tokens. */
  readonly promptTokens: number;
  /**
   * Speed of the stream. Fragment `n`, from 0, is sent `getDueMs(n, pace)` milliseconds after the request is received.
   */
  readonly pace: Pace;
}

const serviceState = { naming: new VendorNaming('service'), catalog: new ModelCatalog(), seed: 1 };

/**
 * Returns the answer of the local service and the pace of its stream, without an HTTP request and without delay.
 * @throws ApiError if the service would reject the request
 */
export function simulateCompletion(
  request: SuggestionRequest,
  misbehavior: CodeModelMisbehavior = {},
): SimulatedCompletion {
  const call =
    request.route === 'chat'
      ? parseChatCall(createChatRequestBody(request.request, 'service', true), {
          ...serviceState,
          misbehavior,
        })
      : parseCompletionCall(request.request, { ...serviceState, misbehavior });
  validateChatCall(call);
  const content = completeCode(call.body, misbehavior);
  const answer = { reasoning: '', content, toolCalls: [], searchResults: emptySearchResults };
  const { fragments, finishReason } = splitAnswer(answer, call.model, call.body);
  return {
    fragments: fragments.map((fragment) => (fragment.kind === 'content' ? fragment.text : '')),
    finishReason,
    promptTokens: countPromptTokens(call),
    pace: getModelPace(call.model),
  };
}
