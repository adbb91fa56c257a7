import { type Tool, estimateToolTokens } from './tool.ts';
import { estimateTokens } from '../base/token-estimate.ts';
import type { Usage } from '../service/chat/chat-types.ts';

/** What the catalogue says of a model's bounds, in tokens. */
export interface ModelLimits {
  readonly contextTokens?: number;
  readonly maxCompletionTokens?: number;
}

/** Left free in any case: estimates of single requests differ from their mean. */
const safetyMargin = 0.03;
const defaultReserve = 4_096;

/** How much of a model's context requests may take, learned from what the service counts and refuses. */
export class ContextLimit {
  /** Tokens that the service counts for one estimated token. */
  #scale = 1;
  /** Estimated tokens that were too many. */
  #refusedTokens = Infinity;

  /** What the request was estimated at, and what the service counted. */
  recordUsage(estimated: number, { promptTokens }: Usage): void {
    if (estimated < 200 || promptTokens <= 0) return;
    const ratio = Math.min(4, Math.max(0.25, promptTokens / estimated));
    // The newer counts more, but one odd request does not turn it over; a worse count is believed at once.
    this.#scale = ratio > this.#scale ? ratio : this.#scale * 0.7 + ratio * 0.3;
  }

  /** The service refused a request of this many estimated tokens. */
  recordRefusal(estimated: number): void {
    this.#refusedTokens = Math.min(this.#refusedTokens, estimated);
  }

  /** Most estimated tokens a request may take; Infinity while nothing is known. */
  maxTokens({ contextTokens, maxCompletionTokens }: ModelLimits): number {
    const afterRefusal = Math.floor(this.#refusedTokens * 0.75);
    if (contextTokens === undefined) return afterRefusal;
    const reserve = Math.min(maxCompletionTokens ?? defaultReserve, contextTokens / 4);
    const room = Math.floor(((contextTokens - reserve) * (1 - safetyMargin)) / this.#scale);
    return Math.max(1, Math.min(room, afterRefusal));
  }
}

/** At most this share of a request is for what is in every request: there must be room for the conversation. */
const maxFixedRatio = 0.5;
/** An instruction is not cut below this, in characters. */
const minInstructionLength = 1_000;

interface FixedParts {
  readonly instructions: readonly string[];
  readonly tools: readonly Tool[];
}

/**
 * What of the instructions and tools fits a model's context of `most` tokens: tools of other extensions go first, the
 * largest before the others, then the longest instructions are cut, then own tools go from the end.
 */
export function fitFixedParts({ instructions, tools }: FixedParts, maxTokens: number): FixedParts {
  const room = maxTokens * maxFixedRatio;
  const fittedTools = [...tools];
  const fittedInstructions = [...instructions];
  const excess = (): number =>
    fittedTools.reduce((sum, tool) => sum + estimateToolTokens(tool), 0) +
    fittedInstructions.reduce((sum, text) => sum + estimateTokens(text), 0) -
    room;
  while (excess() > 0) {
    const external = largestExternalIndex(fittedTools);
    const long = longestIndex(fittedInstructions);
    if (external !== -1) fittedTools.splice(external, 1);
    else if (long !== -1) fittedInstructions[long] = halve(fittedInstructions[long] ?? '');
    else if (fittedTools.length > 0) fittedTools.pop();
    else break;
  }
  return { instructions: fittedInstructions, tools: fittedTools };
}

function largestExternalIndex(tools: readonly Tool[]): number {
  let found = -1;
  for (const [index, tool] of tools.entries()) {
    const largest = tools[found];
    if (
      tool.kind === 'external' &&
      (!largest || estimateToolTokens(tool) > estimateToolTokens(largest))
    )
      found = index;
  }
  return found;
}

function longestIndex(texts: readonly string[]): number {
  let found = -1;
  for (const [index, { length }] of texts.entries()) {
    if (length > Math.max(minInstructionLength, texts[found]?.length ?? 0)) found = index;
  }
  return found;
}

const omittedNote = '\n[… left out to save room …]';

const halve = (text: string): string =>
  `${text.slice(0, Math.max(minInstructionLength - omittedNote.length, Math.floor(text.length / 2)))}${omittedNote}`;
