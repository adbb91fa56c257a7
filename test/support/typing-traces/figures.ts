import type { SimulatedRequest } from './simulated-model.ts';

/** Results of one trace under one policy. Times are in milliseconds of the virtual clock. */
export interface PolicyFigures {
  /** Number of key presses for typing, deleting, accepting and moving. */
  readonly keyCount: number;
  readonly totalMs: number;
  /** Total idle time. Idle time starts 300 ms after a key press, because users look at suggestions from then on. */
  readonly idleMs: number;
  readonly visibleMs: number;
  readonly visibleIdleMs: number;
  readonly requests: readonly SimulatedRequest[];
  /**
   * Times of unnecessary requests, formatted as text. A request is unnecessary if a suggestion was visible and the user
   * was typing its text.
   */
  readonly requestsWhileVisible: readonly string[];
  /** Delays from the last key to each newly visible suggestion, in milliseconds. */
  readonly appearedAfterMs: readonly number[];
  /**
   * Delays that the policy added to the service's response time, in milliseconds. One delay for each answer that did
   * not come from the cache.
   */
  readonly addedDelayMs: {
    readonly lineStart: readonly number[];
    readonly midLine: readonly number[];
  };
  /**
   * Visible suggestions that disappeared or changed although the user typed their text. Each is formatted with its
   * time.
   */
  readonly flickers: readonly string[];
  /** Visible suggestions that did not continue the text at the cursor. Each is formatted with its time. */
  readonly staleSuggestions: readonly string[];
  /** Number of suggestions that the user accepted completely or partly. */
  readonly acceptedCount: number;
  /** Number of characters in the final text that come from accepted suggestions. */
  readonly retainedCharacters: number;
  /** Number of complete acceptances after which the next suggestion was ready immediately. */
  readonly nextReadyCount: number;
  /** Number of complete acceptances after which the next suggestion appeared with a delay. */
  readonly nextDelayedCount: number;
  /** Text of the final document. */
  readonly text: string;
}

/** Token counts of prompts and answers. */
export interface TokenUsage {
  readonly totalTokens: number;
  /**
   * Estimated number of answer tokens that are not in the final text, because they were never visible or not accepted.
   */
  readonly wastedTokens: number;
  /** Number of prompt and answer tokens of those requests whose answers are not in the final text. */
  readonly ineffectiveTokens: number;
}

export function sumTokens(requests: readonly SimulatedRequest[]): TokenUsage {
  let [totalTokens, wastedTokens, ineffectiveTokens] = [0, 0, 0];
  for (const { promptTokens, generatedTokens, text, retainedCharacters } of requests) {
    const { length } = text.trim();
    const share = length === 0 ? 0 : Math.min(1, retainedCharacters / length);
    totalTokens += promptTokens + generatedTokens;
    wastedTokens += generatedTokens * (1 - share);
    if (retainedCharacters === 0) ineffectiveTokens += promptTokens + generatedTokens;
  }
  return { totalTokens, wastedTokens: Math.round(wastedTokens), ineffectiveTokens };
}
