import { type Clock, wait } from '../base/clock.ts';
import type { ChatEvent } from '../service/chat/chat-types.ts';
import type { ServiceFailure } from '../service/http/failure.ts';
import type { SuggestionRequest } from './ports.ts';

/** Scripted answer to a request. */
export interface ScriptedReply {
  /** Text chunks of the answer, sent at intervals of `chunkMs`. */
  readonly chunks?: readonly string[];
  readonly firstChunkMs?: number;
  readonly chunkMs?: number;
  readonly failure?: ServiceFailure;
}

export interface SentRequest {
  readonly request: SuggestionRequest;
  /** Number of chunks that were sent before the request ended or was closed. */
  sentCount: number;
  isAborted: boolean;
}

/**
 * Model that streams scripted answers, using the test clock. Each request uses the next script; without a script, the
 * answer is empty.
 */
export class ScriptedModel {
  readonly requests: SentRequest[] = [];
  readonly #clock: Clock;
  readonly #scripts: ScriptedReply[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  addReplies(...scripts: readonly ScriptedReply[]): void {
    this.#scripts.push(...scripts);
  }

  async *sendRequest(
    request: SuggestionRequest,
    signal: AbortSignal,
  ): AsyncGenerator<readonly ChatEvent[]> {
    const { chunks = [], firstChunkMs = 200, chunkMs = 10, failure } = this.#scripts.shift() ?? {};
    const sent: SentRequest = { request, sentCount: 0, isAborted: false };
    this.requests.push(sent);
    signal.addEventListener('abort', () => (sent.isAborted = true), { once: true });
    const isAborted = await this.#wait(firstChunkMs, signal);
    if (isAborted) return;
    if (failure !== undefined)
      return yield [{ type: 'stream-end', outcome: { kind: 'failed', failure } }];
    for (const [index, text] of chunks.entries()) {
      if (index > 0 && (await this.#wait(chunkMs, signal))) return;
      sent.sentCount += 1;
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
