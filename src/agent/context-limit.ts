import { type Tool, estimateDefinitionTokens } from './tool.ts';
import { estimateTokens } from '../base/token-estimate.ts';
import type { Usage } from '../service/chat/chat-types.ts';

/** Token limits of a model, as the catalog lists them. */
export interface ModelLimits {
  readonly contextTokens?: number;
  readonly maxCompletionTokens?: number;
}

/** Fraction of the context size that requests leave unused, because token estimates are inexact. */
const contextSafetyRatio = 0.03;
const defaultReservedTokens = 4_096;

/**
 * Computes the maximum size of requests to a model, in estimated tokens. Uses the token counts and the rejections that
 * the service reported for earlier requests.
 */
export class ContextLimit {
  /** Number of tokens that the service counts per estimated token. */
  #tokensPerEstimatedToken = 1;
  /** Size of the smallest rejected request, in estimated tokens; Infinity if none was rejected. */
  #minRejectedTokens = Infinity;

  /**
   * Updates {@link tokensPerEstimatedToken} after a request. `estimatedTokens` is the estimated number of tokens in the
   * request.
   */
  recordUsage(estimatedTokens: number, { promptTokens }: Usage): void {
    if (estimatedTokens < 200 || promptTokens <= 0) return;
    const ratio = Math.min(4, Math.max(0.25, promptTokens / estimatedTokens));
    // A lower ratio gets less weight, so that one unusual request does not change the scale. A
    // higher ratio applies at once.
    this.#tokensPerEstimatedToken =
      ratio > this.#tokensPerEstimatedToken
        ? ratio
        : this.#tokensPerEstimatedToken * 0.7 + ratio * 0.3;
  }

  /** Number of tokens that the service counts per estimated token. */
  get tokensPerEstimatedToken(): number {
    return this.#tokensPerEstimatedToken;
  }

  /** Records that the service rejected a request with this number of estimated tokens. */
  recordRejection(estimatedTokens: number): void {
    this.#minRejectedTokens = Math.min(this.#minRejectedTokens, estimatedTokens);
  }

  /** Returns the maximum number of estimated tokens in a request; Infinity if no limit is known. */
  getMaxTokens({ contextTokens, maxCompletionTokens }: ModelLimits): number {
    const maxTokensAfterRejection = Math.floor(this.#minRejectedTokens * 0.75);
    if (contextTokens === undefined) return maxTokensAfterRejection;
    const reservedTokens = Math.min(
      maxCompletionTokens ?? defaultReservedTokens,
      contextTokens / 4,
    );
    const availableTokens = Math.floor(
      ((contextTokens - reservedTokens) * (1 - contextSafetyRatio)) / this.#tokensPerEstimatedToken,
    );
    return Math.max(1, Math.min(availableTokens, maxTokensAfterRejection));
  }
}

/**
 * Maximum fraction of a request that instructions and tools together may fill, so that there is room for the
 * conversation.
 */
const maxFixedRatio = 0.5;
/** Minimum length in characters of instructions after they are cut. */
const minInstructionLength = 1_000;

interface FixedParts {
  readonly instructions: readonly string[];
  readonly tools: readonly Tool[];
}

/**
 * Reduces instructions and tools until they fit into a context of `maxTokens`. First removes the largest tools of other
 * extensions, then cuts the longest instructions, then removes the remaining tools, starting with the last one.
 */
export function fitFixedParts({ instructions, tools }: FixedParts, maxTokens: number): FixedParts {
  const remainingTokens = maxTokens * maxFixedRatio;
  const fittedTools = [...tools];
  const fittedInstructions = [...instructions];
  const computeExcessTokens = (): number =>
    fittedTools.reduce((sum, tool) => sum + estimateDefinitionTokens(tool), 0) +
    fittedInstructions.reduce((sum, text) => sum + estimateTokens(text), 0) -
    remainingTokens;
  while (computeExcessTokens() > 0) {
    const externalIndex = findLargestExternalToolIndex(fittedTools);
    const longestTextIndex = findLongestTextIndex(fittedInstructions);
    if (externalIndex !== -1) fittedTools.splice(externalIndex, 1);
    else if (longestTextIndex !== -1)
      fittedInstructions[longestTextIndex] = cutToHalf(fittedInstructions[longestTextIndex] ?? '');
    else if (fittedTools.length > 0) fittedTools.pop();
    else break;
  }
  return { instructions: fittedInstructions, tools: fittedTools };
}

function findLargestExternalToolIndex(tools: readonly Tool[]): number {
  let largestIndex = -1;
  for (const [index, tool] of tools.entries()) {
    const largestTool = tools[largestIndex];
    if (
      tool.kind === 'external' &&
      (!largestTool || estimateDefinitionTokens(tool) > estimateDefinitionTokens(largestTool))
    )
      largestIndex = index;
  }
  return largestIndex;
}

function findLongestTextIndex(texts: readonly string[]): number {
  let largestIndex = -1;
  for (const [index, { length }] of texts.entries()) {
    if (length > Math.max(minInstructionLength, texts[largestIndex]?.length ?? 0))
      largestIndex = index;
  }
  return largestIndex;
}

const omittedNote = '\n[… left out to save room …]';

const cutToHalf = (text: string): string =>
  `${text.slice(0, Math.max(minInstructionLength - omittedNote.length, Math.floor(text.length / 2)))}${omittedNote}`;
