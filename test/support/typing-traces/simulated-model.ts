import { type Clock, wait } from '../../../src/base/clock.ts';
import type { SuggestionRequest } from '../../../src/completion/ports.ts';
import type { Snapshot } from '../../../src/completion/snapshot.ts';
import type { ChatEvent } from '../../../src/service/chat/chat-types.ts';
import type { ServiceFailure } from '../../../src/service/http/failure.ts';
import { estimateTokens, tokenizeText } from '../../service/chat/tokens.ts';
import { hashText, createSeededRandom } from '../../service/random.ts';
import { continueCode, getMessageText } from './continue-code.ts';

/** Request to the simulated model, with the figures for its cost. */
export interface SimulatedRequest {
  readonly sentAt: number;
  /**
   * Document snapshot for which the request was sent. If the user had not typed the text of the snapshot yet, the
   * position of the snapshot is after the user's cursor.
   */
  readonly snapshot: Snapshot;
  /** True if the request was sent for text that the user had not typed yet. */
  readonly isAhead: boolean;
  readonly firstTextMs: number;
  readonly promptTokens: number;
  /** Text that the model generated before the answer ended or was canceled. */
  text: string;
  generatedTokenCount: number;
  /** Length of the generated text over time. `time` is in milliseconds of the virtual clock. */
  readonly growthSteps: { readonly time: number; readonly length: number }[];
  endReason: 'complete' | 'closed';
  /** Number of characters of the answer that are in the final document. */
  retainedCharacterCount: number;
  wasVisible: boolean;
}

/** Response times of the simulated service in milliseconds, typical of small models at public services. */
const latencyRanges = {
  firstTextMs: { min: 150, max: 400 },
  tokensPerSecond: { min: 60, max: 120 },
} as const;

/**
 * Code model of the local service, with response times on a virtual clock. The response time depends only on the
 * request, not on the caller. After a cancellation, only the tokens generated until then are charged.
 */
export class SimulatedModel {
  readonly #clock: Clock;
  readonly requests: SimulatedRequest[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async *complete(
    request: SuggestionRequest,
    options: {
      readonly snapshot: Snapshot;
      readonly isAhead: boolean;
      readonly signal: AbortSignal;
    },
  ): AsyncGenerator<readonly ChatEvent[]> {
    const { signal, snapshot, isAhead } = options;
    const prompt = joinPrompt(request);
    const random = createSeededRandom(hashText(prompt));
    const firstTextMs = Math.round(interpolate(latencyRanges.firstTextMs, random()));
    const msPerToken = 1_000 / interpolate(latencyRanges.tokensPerSecond, random());
    const startTime = this.#clock.now();
    const promptTokens = estimateTokens(prompt);
    const simulatedRequest: SimulatedRequest = {
      sentAt: startTime,
      snapshot,
      isAhead,
      firstTextMs,
      promptTokens,
      text: '',
      generatedTokenCount: 0,
      growthSteps: [],
      // Leaving the loop cancels the request.
      endReason: 'closed',
      retainedCharacterCount: 0,
      wasVisible: false,
    };
    this.requests.push(simulatedRequest);
    await this.#waitUntil(startTime + firstTextMs, signal);
    for (const [index, text] of listAnswerTokens(request).entries()) {
      await this.#waitUntil(startTime + firstTextMs + Math.round(index * msPerToken), signal);
      if (signal.aborted) return yield [{ type: 'stream-end', outcome: canceledOutcome }];
      simulatedRequest.text += text;
      simulatedRequest.generatedTokenCount += 1;
      simulatedRequest.growthSteps.push({
        time: this.#clock.now(),
        length: simulatedRequest.text.length,
      });
      yield [{ type: 'text-delta', text }];
    }
    if (signal.aborted) return yield [{ type: 'stream-end', outcome: canceledOutcome }];
    simulatedRequest.endReason = 'complete';
    yield createEndEvents(simulatedRequest);
  }

  async #waitUntil(time: number, signal: AbortSignal): Promise<void> {
    const remainingMs = time - this.#clock.now();
    if (remainingMs > 0) await wait(remainingMs, { clock: this.#clock, signal }).catch(() => {});
  }
}

const failure: ServiceFailure = { code: 'stopped', message: 'The request was closed.' };
const canceledOutcome = { kind: 'failed', failure } as const;

function createEndEvents({
  promptTokens,
  generatedTokenCount,
}: SimulatedRequest): readonly ChatEvent[] {
  const totalTokens = promptTokens + generatedTokenCount;
  return [
    { type: 'usage', usage: { promptTokens, completionTokens: generatedTokenCount, totalTokens } },
    { type: 'stream-end', outcome: { kind: 'complete', finishReason: 'stop' } },
  ];
}

/** Returns the tokens of the model's answer up to the request's stop sequences. */
function listAnswerTokens(request: SuggestionRequest): string[] {
  if (request.route !== 'chat') throw new Error('Traces are played by chat.');
  const { stop = [], max_completion_tokens: maxTokens } = request.request;
  const text = continueCode(request);
  const stopIndexes = [stop].flat().map((sequence) => text.indexOf(sequence));
  const end = Math.min(text.length, ...stopIndexes.filter((index) => index >= 0));
  return tokenizeText(text.slice(0, end)).slice(0, maxTokens);
}

function joinPrompt(request: SuggestionRequest): string {
  if (request.route !== 'chat') throw new Error('Traces are played by chat.');
  return request.request.messages.map(getMessageText).join('\n');
}

const interpolate = ({ min, max }: { min: number; max: number }, ratio: number): number =>
  min + (max - min) * ratio;
