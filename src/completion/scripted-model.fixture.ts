import { type Clock, wait } from '../base/clock.ts';
import type { ChatEvent } from '../service/chat/chat-types.ts';
import type { ServiceFailure } from '../service/http/failure.ts';
import type { SuggestionRequest } from './ports.ts';

/** How a request is answered. */
export interface Script {
  /** Each piece of the text comes as far behind the one before. */
  readonly pieces?: readonly string[];
  readonly firstMs?: number;
  readonly pieceMs?: number;
  readonly failure?: ServiceFailure;
}

export interface SentRequest {
  readonly ask: SuggestionRequest;
  /** Pieces that were sent before the request was closed. */
  sent: number;
  isAborted: boolean;
}

/** A model that says what it is told to, in the time of a clock. A request without a script hears nothing of it. */
export class ScriptedModel {
  readonly asked: SentRequest[] = [];
  readonly #clock: Clock;
  readonly #scripts: Script[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  script(...scripts: readonly Script[]): void {
    this.#scripts.push(...scripts);
  }

  async *ask(ask: SuggestionRequest, signal: AbortSignal): AsyncGenerator<readonly ChatEvent[]> {
    const { pieces = [], firstMs = 200, pieceMs = 10, failure } = this.#scripts.shift() ?? {};
    const asked: SentRequest = { ask, sent: 0, isAborted: false };
    this.asked.push(asked);
    signal.addEventListener('abort', () => (asked.isAborted = true), { once: true });
    const isOver = await this.#wait(firstMs, signal);
    if (isOver) return;
    if (failure !== undefined)
      return yield [{ type: 'stream-end', outcome: { kind: 'failed', failure } }];
    for (const [index, text] of pieces.entries()) {
      if (index > 0 && (await this.#wait(pieceMs, signal))) return;
      asked.sent += 1;
      yield [{ type: 'text-delta', text }];
    }
    yield [
      { type: 'usage', usage: { promptTokens: 100, completionTokens: 10, totalTokens: 110 } },
      { type: 'stream-end', outcome: { kind: 'complete', finishReason: 'stop' } },
    ];
  }

  async #wait(ms: number, signal: AbortSignal): Promise<boolean> {
    await wait(ms, { clock: this.#clock, signal }).catch(() => {});
    return signal.aborted;
  }
}
