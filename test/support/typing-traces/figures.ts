import type { PaidRequest } from './paid-model.ts';

/** Results of one trace under one policy. Times are in milliseconds of the virtual clock. */
export interface Figures {
  /** Number of key presses for typing, deleting, accepting and moving. */
  readonly keys: number;
  readonly totalMs: number;
  /** Total idle time. Idle time starts 300 ms after a key press, when users look at suggestions. */
  readonly idleMs: number;
  readonly visibleMs: number;
  readonly visibleIdleMs: number;
  readonly requests: readonly PaidRequest[];
  /** Times of requests for the same position while the user typed along a visible suggestion, as text. */
  readonly requestsWhileVisible: readonly string[];
  /** Delays from the last key to each newly visible suggestion, in milliseconds. */
  readonly appearedAfterMs: readonly number[];
  /** Delays that the policy added to the service's response time, one per answer, in milliseconds. */
  readonly added: { readonly lineStart: readonly number[]; readonly midLine: readonly number[] };
  /** Visible suggestions that disappeared or changed although they matched the typed text, with their times. */
  readonly flickers: readonly string[];
  /** Visible suggestions that did not continue the text at the cursor, with their times. */
  readonly stale: readonly string[];
  /** Number of suggestions accepted completely or partly, and number of their characters in the final text. */
  readonly acceptedCount: number;
  readonly retainedCharacters: number;
  /** Number of complete acceptances after which the next suggestion was ready immediately, and number with a delay. */
  readonly nextReadyCount: number;
  readonly nextDelayedCount: number;
  /** Text of the final document. */
  readonly text: string;
}

/** Token counts of prompts and answers. */
export interface Tokens {
  readonly paid: number;
  /** Number of answer tokens that are not in the final text: never visible, or not accepted. */
  readonly wasted: number;
  /** Number of prompt and answer tokens of requests that had no effect on the text. */
  readonly fruitless: number;
}

export function tokensOf(requests: readonly PaidRequest[]): Tokens {
  let [paid, wasted, fruitless] = [0, 0, 0];
  for (const { promptTokens, generatedTokens, text, retainedCharacters } of requests) {
    const { length } = text.trim();
    const share = length === 0 ? 0 : Math.min(1, retainedCharacters / length);
    paid += promptTokens + generatedTokens;
    wasted += generatedTokens * (1 - share);
    if (retainedCharacters === 0) fruitless += promptTokens + generatedTokens;
  }
  return { paid, wasted: Math.round(wasted), fruitless };
}
