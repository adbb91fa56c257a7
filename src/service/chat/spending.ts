import type { Cost, Usage } from './chat-types.ts';

/** A request that is charged. */
export interface PaidRequest {
  readonly kind: 'chat' | 'completion' | 'image' | 'web' | 'speech' | 'transcription';
  /** Model id. Absent if the service chooses the model. */
  readonly model?: string;
  /** Price by the model's price list, if known in advance. */
  readonly price?: Cost;
  /** True for requests without a user action, which never prompt the user. */
  readonly isBackground: boolean;
}

/** Usage and cost of a request, as far as the service reported them. */
export interface Bill {
  readonly usage?: Usage;
  readonly cost?: Cost;
}

/** Enforces budgets and records spending. Every charged request is reported here. */
export interface Spending {
  /**
   * Called before a request is sent. Prompts the user if a budget requires it.
   * @throws ServiceError `over-budget`, `stopped`
   */
  authorize(request: PaidRequest, signal: AbortSignal): Promise<void>;
  /**
   * Records the cost of a request after its response. Call it at most once per request. Does not block and never
   * throws.
   */
  recordSpent(request: PaidRequest, bill: Bill): void;
  /** Releases the reserved price of a completed request. Until then, the price counts as spent. Never throws. */
  release(request: PaidRequest): void;
}

/** Estimates the usage of an answer that ended before the service reported it. An estimate is better than no record. */
export const estimateUsage = (sent: unknown, receivedBytes: number): Usage => {
  const promptTokens = Math.ceil(textLength(sent) / charactersPerToken);
  const completionTokens = Math.ceil(receivedBytes / bytesPerToken);
  return { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens };
};

const charactersPerToken = 4;
/** Estimated bytes per token: a stream event contains about one token as JSON. */
const bytesPerToken = 200;
/** Number of characters that each image counts as, independent of its size in bytes. */
const imageTextLength = 4_000;

/** Returns the length of all texts in a request body. */
function textLength(value: unknown): number {
  if (typeof value === 'string') {
    return value.startsWith('data:') ? Math.min(value.length, imageTextLength) : value.length;
  }
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, field) => sum + textLength(field), 0);
}
