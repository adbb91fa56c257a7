import * as l10n from '@vscode/l10n';
import { type JsonRecord, omitUndefined } from '../base/json.ts';
import type { Answer, AnswerResult, AnswerStatus } from '../conversation/conversation.ts';
import type {
  Citation,
  Cost,
  ReasoningSource,
  StreamOutcome,
  Usage,
} from '../service/chat/chat-types.ts';
import type { ServiceFailure } from '../service/http/failure.ts';
import type { RefusedPart } from '../service/http/refusal.ts';
import { type AnswerProtection, getWeakerProtection } from '../service/chat/protection.ts';

/** Content of one streamed answer, and its times, usage and cost. */
export interface StreamedAnswer {
  readonly outcome: StreamOutcome;
  /** Time from the request to the end of the answer, in milliseconds. */
  readonly durationMs: number;
  /**
   * Time from the request to the first text, reasoning or tool call, in milliseconds; undefined if the answer contained
   * none of these.
   */
  readonly timeToFirstTokenMs: number | undefined;
  /** Duration of the reasoning in milliseconds; undefined without reasoning. */
  readonly reasoningMs: number | undefined;
  readonly usage: Usage | undefined;
  /** Cost that the service reported. Undefined if the service reported no cost. */
  readonly cost: Cost | undefined;
  readonly toolCalls: NonNullable<AnswerResult['toolCalls']>;
  readonly protection: AnswerProtection | undefined;
  readonly citations: readonly Citation[] | undefined;
  /** Parts of the request that the model rejected. The request was then repeated without these parts. */
  readonly refusedParts: readonly RefusedPart[];
  readonly reasoningSource: ReasoningSource | undefined;
  readonly reasoningDetails: readonly JsonRecord[];
  readonly thoughtSignature: string | undefined;
  /**
   * Base URL of the service that sent the answer, because reasoning is sent back only to this service. Undefined for an
   * answer without tool calls, whose reasoning is never sent back.
   */
  readonly connection: string | undefined;
}

export interface ResultOptions {
  /**
   * Estimates the cost from the model's prices, for services that report no cost. `searchCount` is the number of web
   * searches in the answer.
   */
  readonly estimateCost: (usage: Usage, searchCount: number) => Cost | undefined;
  /**
   * Result of the earlier part of an answer that the user continued after an interruption. The usage and cost of the
   * whole answer include those of this part.
   */
  readonly earlierResult?: AnswerResult;
}

/**
 * Builds the result of an answer. If the user continued the answer after an interruption, `usage` and `cost` are the
 * sums over the parts before and after the interruption, and `lastRequest` has only the values of the later part.
 */
export function createAnswerResult(
  { outcome, usage, toolCalls, ...answer }: StreamedAnswer,
  { estimateCost, earlierResult = {} }: ResultOptions,
): AnswerResult {
  const isContinued = earlierResult.durationMs !== undefined;
  const searchCount = answer.citations === undefined ? 0 : 1;
  const estimate =
    answer.cost === undefined && usage !== undefined ? estimateCost(usage, searchCount) : undefined;
  const cost = answer.cost ?? estimate;
  const isEstimated = estimate !== undefined || earlierResult.costEstimated === true;
  return {
    durationMs: (earlierResult.durationMs ?? 0) + answer.durationMs,
    ...omitUndefined({
      reasoningMs: answer.reasoningMs ?? earlierResult.reasoningMs,
      timeToFirstTokenMs: earlierResult.timeToFirstTokenMs ?? answer.timeToFirstTokenMs,
    }),
    ...(outcome.kind === 'complete'
      ? { finishReason: outcome.finishReason }
      : { failure: outcome.failure }),
    ...omitUndefined({
      usage: addUsage(earlierResult.usage, usage),
      cost: addCost(earlierResult.cost, cost),
      lastRequest: isContinued ? omitUndefined({ usage, cost }) : undefined,
      costEstimated: isEstimated ? true : undefined,
      toolCalls: toolCalls.length === 0 ? undefined : toolCalls,
      protection: combineProtection(earlierResult, answer.protection),
      citations: answer.citations ?? earlierResult.citations,
      refusedParts:
        answer.refusedParts.length === 0 ? earlierResult.refusedParts : answer.refusedParts,
      reasoningSource: answer.reasoningSource ?? earlierResult.reasoningSource,
      reasoningDetails: answer.reasoningDetails.length === 0 ? undefined : answer.reasoningDetails,
      thoughtSignature: answer.thoughtSignature,
      connection: answer.connection,
    }),
  };
}

/**
 * Returns the protection of a whole answer, such as encryption. If the user continued the answer after an interruption,
 * this is the weaker of the protection of the earlier part and `protection`. Otherwise, it is `protection`.
 */
export const combineProtection = (
  earlierResult: AnswerResult,
  protection: AnswerProtection | undefined,
): AnswerProtection | undefined =>
  earlierResult.durationMs === undefined
    ? protection
    : getWeakerProtection(earlierResult.protection, protection);

/** Returns the final status of an answer. `failure` is undefined for a complete answer. */
export function getFinalStatus(
  failure: ServiceFailure | undefined,
): Exclude<AnswerStatus, 'streaming'> {
  if (failure === undefined) return 'complete';
  return failure.code === 'stopped' || failure.code === 'interrupted' ? failure.code : 'failed';
}

/** Returns the failure of an answer whose stream stopped before the service sent its end event. */
export const createIncompleteStreamFailure = (): ServiceFailure => ({
  code: 'interrupted',
  message: l10n.t('The connection ended before the answer was complete.'),
});

/** Returns the failure of an answer whose request could not be built. */
export const createRequestBuildFailure = (): ServiceFailure => ({
  code: 'internal-error',
  message: l10n.t('That did not work. See the log for details.'),
});

/**
 * Returns the failure of an answer after which the turn could not continue, because of an internal error of the
 * extension.
 */
export const createInternalTurnFailure = (): ServiceFailure => ({
  code: 'internal-error',
  message: l10n.t(
    'The turn ended here because of an error in the extension. Earlier changes remain. See the log for details, or send a message to continue.',
  ),
});

/** Checks whether an answer is complete and contains tool calls to run. */
export const endsWithToolCalls = ({ status, result }: Pick<Answer, 'status' | 'result'>): boolean =>
  status === 'complete' && (result.toolCalls ?? []).length > 0;

export function addUsage(
  earlierUsage: Usage | undefined,
  laterUsage: Usage | undefined,
): Usage | undefined {
  if (earlierUsage === undefined || laterUsage === undefined) return laterUsage ?? earlierUsage;
  return {
    promptTokens: earlierUsage.promptTokens + laterUsage.promptTokens,
    completionTokens: earlierUsage.completionTokens + laterUsage.completionTokens,
    totalTokens: earlierUsage.totalTokens + laterUsage.totalTokens,
    ...sumField('cachedTokens', earlierUsage, laterUsage),
    ...sumField('cacheWriteTokens', earlierUsage, laterUsage),
    ...sumField('reasoningTokens', earlierUsage, laterUsage),
  };
}

export function addCost(
  earlierCost: Cost | undefined,
  laterCost: Cost | undefined,
): Cost | undefined {
  if (earlierCost === undefined || laterCost === undefined) return laterCost ?? earlierCost;
  return {
    ...sumField('usd', earlierCost, laterCost),
    ...sumField('diem', earlierCost, laterCost),
  };
}

/**
 * Adds the numbers in the field `field` of two objects. Returns an object that contains only the sum, or an empty
 * object if neither object has the field.
 */
function sumField<Field extends string>(
  field: Field,
  a: { readonly [F in Field]?: number },
  b: { readonly [F in Field]?: number },
): { [F in Field]?: number } {
  if (a[field] === undefined && b[field] === undefined) return {};
  return { [field]: (a[field] ?? 0) + (b[field] ?? 0) } as { [F in Field]?: number };
}
