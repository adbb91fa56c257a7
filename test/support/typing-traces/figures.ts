import type { PaidRequest } from './paid-model.ts';

/** Results of one trace under one policy. Times in milliseconds of the virtual clock. */
export interface Figures {
  /** Number of key presses: typed, erased, accepted, moved. */
  readonly keys: number;
  readonly totalMs: number;
  /** Idle time: time after 300 ms without a key, when users look at suggestions. */
  readonly idleMs: number;
  readonly visibleMs: number;
  readonly visibleIdleMs: number;
  readonly requests: readonly PaidRequest[];
  /**
   * Requests for the same position while the user typed along a visible suggestion, with their
   * times.
   */
  readonly requestsWhileVisible: readonly string[];
  /** Delays from the last key to each newly visible suggestion. */
  readonly appearedAfterMs: readonly number[];
  /** Delay added by the policy beyond the service's time, for each answer returned to VS Code. */
  readonly added: { readonly lineStart: readonly number[]; readonly midLine: readonly number[] };
  /**
   * Visible suggestions that disappeared or changed although the typed text agreed with them, with
   * their times.
   */
  readonly flickers: readonly string[];
  /** Visible suggestions that do not continue the text at the cursor, with their times. */
  readonly stale: readonly string[];
  /**
   * Number of suggestions accepted completely or in part, and of their characters that remained.
   */
  readonly acceptedCount: number;
  readonly retainedCharacters: number;
  /**
   * Number of complete acceptances after which the next suggestion was ready, and number with a
   * delay.
   */
  readonly nextReadyCount: number;
  readonly nextDelayedCount: number;
  /** Final document. */
  readonly text: string;
}

/** Tokens of prompts and answers. */
export interface Tokens {
  readonly paid: number;
  /** Answer tokens that are not in the final text: never visible, or not accepted. */
  readonly wasted: number;
  /** Tokens, prompt and answer, of requests without any effect on the text. */
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
