import type { PaidRequest } from './paid-model.ts';

/** What one trace came to under one policy. Times in milliseconds, of the virtual clock. */
export interface Figures {
  /** Keys that were pressed: typed, erased, taken, moved. */
  readonly keys: number;
  readonly totalMs: number;
  /** Time in which no key had come for 300 ms: when people look. */
  readonly restMs: number;
  readonly shownMs: number;
  readonly shownRestMs: number;
  readonly requests: readonly PaidRequest[];
  /** Requests for the very place while a text was shown that the person typed along, each with its moment. */
  readonly requestsAlong: readonly string[];
  /** For each text that came to be shown where none was: how long after the last key. */
  readonly appearedAfterMs: readonly number[];
  /** What the policy added to what the service took, for each answer that was given to the editor. */
  readonly added: { readonly lineStart: readonly number[]; readonly midLine: readonly number[] };
  /** Shown texts that vanished or changed though what was typed agreed with them, each with its moment. */
  readonly flickers: readonly string[];
  /** Shown texts that are no continuation of what stands around the cursor, each with its moment. */
  readonly stale: readonly string[];
  /** Suggestions that were taken, whole or in part, and the characters of them that stayed. */
  readonly taken: number;
  readonly keptCharacters: number;
  /** After a suggestion was taken whole: the next one was there, or had to be waited for. */
  readonly nextThere: number;
  readonly nextWaited: number;
  /** The document in the end. */
  readonly text: string;
}

/** Tokens of requests and answers. */
export interface Tokens {
  readonly paid: number;
  /** Produced, and not in the text in the end: never shown, or not taken. */
  readonly wasted: number;
  /** Paid for requests, prompt and answer, of which nothing is in the text. */
  readonly fruitless: number;
}

export function tokensOf(requests: readonly PaidRequest[]): Tokens {
  let [paid, wasted, fruitless] = [0, 0, 0];
  for (const { promptTokens, generatedTokens, text, keptCharacters } of requests) {
    const { length } = text.trim();
    const share = length === 0 ? 0 : Math.min(1, keptCharacters / length);
    paid += promptTokens + generatedTokens;
    wasted += generatedTokens * (1 - share);
    if (keptCharacters === 0) fruitless += promptTokens + generatedTokens;
  }
  return { paid, wasted: Math.round(wasted), fruitless };
}
