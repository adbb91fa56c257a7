import type { SimulatedRequest } from './simulated-model.ts';

/**
 * Results of replaying one typing trace with one suggestion provider (policy). Times are in milliseconds of the virtual
 * clock.
 */
export interface PolicyFigures {
  /** Number of key presses: typing, deleting, accepting suggestions and moving the cursor. */
  readonly keyCount: number;
  readonly totalMs: number;
  /**
   * Total idle time. Idle time starts 300 ms after each key press, because users are assumed to look at suggestions
   * only from then on.
   */
  readonly idleMs: number;
  readonly visibleMs: number;
  readonly visibleIdleMs: number;
  readonly requests: readonly SimulatedRequest[];
  /**
   * Timestamps of unnecessary requests, formatted for the report. A request is unnecessary if it is sent while the user
   * types the text of a visible suggestion.
   */
  readonly requestsWhileVisible: readonly string[];
  /** Delays in milliseconds from the last key press to each suggestion that becomes visible. */
  readonly appearanceDelaysMs: readonly number[];
  /**
   * Delays in milliseconds that the policy adds to the response time of the service, one per answer that is not from
   * the cache.
   */
  readonly addedDelaysMs: {
    readonly lineStart: readonly number[];
    readonly midLine: readonly number[];
  };
  /** Suggestions that disappeared or changed while the user typed their text, each with its time, as text. */
  readonly flickers: readonly string[];
  /** Visible suggestions that did not match the text at the cursor, each with its time, as text. */
  readonly staleSuggestions: readonly string[];
  /** Number of suggestions that the user accepted completely or partly. */
  readonly acceptedCount: number;
  /** Number of characters in the final document that come from accepted suggestions. */
  readonly retainedCharacterCount: number;
  /** Number of complete acceptances after which the next suggestion was ready immediately. */
  readonly readyNextSuggestionCount: number;
  /** Number of complete acceptances after which the next suggestion appeared with a delay. */
  readonly delayedNextSuggestionCount: number;
  /** Text of the final document. */
  readonly text: string;
}

/** Token counts of prompts and answers. */
export interface TokenUsage {
  readonly totalTokens: number;
  /**
   * Estimated number of answer tokens whose text is not in the final document, because it was not visible or not
   * accepted.
   */
  readonly wastedTokens: number;
  /** Number of prompt and answer tokens of all requests from whose answers no text is in the final document. */
  readonly ineffectiveTokens: number;
}

export function sumTokens(requests: readonly SimulatedRequest[]): TokenUsage {
  let [totalTokens, wastedTokens, ineffectiveTokens] = [0, 0, 0];
  for (const { promptTokens, generatedTokenCount, text, retainedCharacterCount } of requests) {
    const { length } = text.trim();
    const retainedRatio = length === 0 ? 0 : Math.min(1, retainedCharacterCount / length);
    totalTokens += promptTokens + generatedTokenCount;
    wastedTokens += generatedTokenCount * (1 - retainedRatio);
    if (retainedCharacterCount === 0) ineffectiveTokens += promptTokens + generatedTokenCount;
  }
  return { totalTokens, wastedTokens: Math.round(wastedTokens), ineffectiveTokens };
}
