import type { Usage } from '../service/chat/chat-types.ts';

/** What the catalogue says of a model's bounds, in tokens. */
export interface ModelLimits {
  readonly contextTokens?: number;
  readonly maxCompletionTokens?: number;
}

/** Left free in any case: estimates of single requests differ from their mean. */
const margin = 0.03;
const defaultReserve = 4_096;

/** How much of a model's context requests may take, learned from what the service counts and refuses. */
export class ContextLimit {
  /** Tokens that the service counts for one estimated token. */
  #scale = 1;
  /** Estimated tokens that were too many. */
  #refused = Infinity;

  /** What the request was estimated at, and what the service counted. */
  learn(estimated: number, { promptTokens }: Usage): void {
    if (estimated < 200 || promptTokens <= 0) return;
    const seen = Math.min(4, Math.max(0.25, promptTokens / estimated));
    // The newer counts more, but one odd request does not turn it over; a worse count is believed at once.
    this.#scale = seen > this.#scale ? seen : this.#scale * 0.7 + seen * 0.3;
  }

  /** The service refused a request of this many estimated tokens. */
  refuse(estimated: number): void {
    this.#refused = Math.min(this.#refused, estimated);
  }

  /** Most estimated tokens a request may take; Infinity while nothing is known. */
  most({ contextTokens, maxCompletionTokens }: ModelLimits): number {
    const afterRefusal = Math.floor(this.#refused * 0.75);
    if (contextTokens === undefined) return afterRefusal;
    const reserve = Math.min(maxCompletionTokens ?? defaultReserve, contextTokens / 4);
    const room = Math.floor(((contextTokens - reserve) * (1 - margin)) / this.#scale);
    return Math.max(1, Math.min(room, afterRefusal));
  }
}
