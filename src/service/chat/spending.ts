import type { Cost, Usage } from './chat-types.ts';

/** A request that the service charges. */
export interface PaidRequest {
  readonly kind: 'chat' | 'completion' | 'image' | 'web' | 'speech' | 'transcription';
  /** Model id. Absent if the service chooses the model. */
  readonly model?: string;
  /** Price according to the model's price list. Absent if unknown before the request. */
  readonly price?: Cost;
  /** True for a request without a user action. Such a request never prompts the user. */
  readonly isBackground: boolean;
}

/** Usage and cost of a request, reported by the service or estimated. Unknown values are absent. */
export interface Bill {
  readonly usage?: Usage;
  readonly cost?: Cost;
}

/** Enforces budgets and records spending. Every request that the service charges is checked. */
export interface Spending {
  /**
   * Checks the budget before a request is sent. May prompt the user. If the price is known, reserves it in the budget.
   * @throws ServiceError `over-budget` if the budget does not permit the request; `stopped` if `signal` aborts
   */
  authorizeRequest(request: PaidRequest, signal: AbortSignal): Promise<void>;
  /**
   * Records the usage and cost of a request after the response. Must be called at most once per request. Does not block
   * and never throws.
   */
  recordSpending(request: PaidRequest, bill: Bill): void;
  /**
   * Releases the price that `authorizeRequest` reserved for a request. Until the release, the price counts as spent.
   * Never throws.
   */
  releaseReservedPrice(request: PaidRequest): void;
}

/** Estimates the usage of an answer that ended before the service reported the usage. */
export const estimateUsage = (requestBody: unknown, receivedBytes: number): Usage => {
  const promptTokens = Math.ceil(getTextLength(requestBody) / charactersPerToken);
  const completionTokens = Math.ceil(receivedBytes / bytesPerToken);
  return { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens };
};

const charactersPerToken = 4;
/** Estimated number of response bytes per token: each stream event contains about one token as JSON. */
const bytesPerToken = 200;
/** Number of characters that each image adds to the estimated text length, regardless of its size in bytes. */
const imageTextLength = 4_000;

/** Returns the total length of all texts in a request body, in characters. */
function getTextLength(value: unknown): number {
  if (typeof value === 'string') {
    return value.startsWith('data:') ? Math.min(value.length, imageTextLength) : value.length;
  }
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, field) => sum + getTextLength(field), 0);
}
