import { type Tool, toolTokens } from './tool.ts';
import { estimateTokens } from '../base/token-estimate.ts';
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

/** At most this share of a request is for what is in every request: there must be room for the conversation. */
const fixedShare = 0.5;
/** An instruction is not cut below this, in characters. */
const shortestInstruction = 1_000;

interface Fixed {
  readonly instructions: readonly string[];
  readonly tools: readonly Tool[];
}

/**
 * What of the instructions and tools fits a model's context of `most` tokens: tools of other extensions go first, the
 * largest before the others, then the longest instructions are cut, then own tools go from the end.
 */
export function affordable({ instructions, tools }: Fixed, most: number): Fixed {
  const room = most * fixedShare;
  const kept = [...tools];
  const texts = [...instructions];
  const excess = (): number =>
    kept.reduce((sum, tool) => sum + toolTokens(tool), 0) +
    texts.reduce((sum, text) => sum + estimateTokens(text), 0) -
    room;
  while (excess() > 0) {
    const external = largestExternal(kept);
    const long = longest(texts);
    if (external !== -1) kept.splice(external, 1);
    else if (long !== -1) texts[long] = halved(texts[long] ?? '');
    else if (kept.length > 0) kept.pop();
    else break;
  }
  return { instructions: texts, tools: kept };
}

function largestExternal(tools: readonly Tool[]): number {
  let found = -1;
  for (const [index, tool] of tools.entries()) {
    const largest = tools[found];
    if (tool.kind === 'external' && (!largest || toolTokens(tool) > toolTokens(largest)))
      found = index;
  }
  return found;
}

function longest(texts: readonly string[]): number {
  let found = -1;
  for (const [index, { length }] of texts.entries()) {
    if (length > Math.max(shortestInstruction, texts[found]?.length ?? 0)) found = index;
  }
  return found;
}

const leftOut = '\n[… left out to save room …]';

const halved = (text: string): string =>
  `${text.slice(0, Math.max(shortestInstruction - leftOut.length, Math.floor(text.length / 2)))}${leftOut}`;
