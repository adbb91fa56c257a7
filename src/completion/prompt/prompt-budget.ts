import type { CompletionScope } from '../answer/scope.ts';
import type { Model } from '../../service/model-types.ts';

/** Token limits of a request. */
export interface PromptBudget {
  readonly prefix: number;
  readonly suffix: number;
  /** Tokens for context snippets, in addition to tokens that the prefix and suffix do not use. */
  readonly context: number;
  readonly answer: number;
}

/** Maximum prompt size in tokens. Each request is billed for all prompt tokens. */
const maxPromptTokens = 2_000;

/** Tokens of the instructions, language, path and prompt tags. */
const overhead = 150;

/** Ratio of each part in the prompt. The prefix is the most useful part. */
const ratios = { prefix: 0.55, suffix: 0.2, context: 0.25 } as const;

const answerTokens: Readonly<Record<CompletionScope, number>> = { line: 64, block: 256 };

/**
 * Minimum tokens for prefix, suffix and context together, even if a model reports a very small
 * context size.
 */
const minSharedTokens = 100;

/**
 * Returns the token limits for a model. The prompt uses at most half of the model's context, since token counts are
 * estimates.
 */
export function promptBudget(model: Model, scope: CompletionScope): PromptBudget {
  const { contextTokens = maxPromptTokens * 4, maxCompletionTokens = contextTokens } = model;
  const answer = Math.min(answerTokens[scope], maxCompletionTokens, Math.ceil(contextTokens / 4));
  const availableTokens = Math.min(maxPromptTokens, contextTokens / 2);
  const sharedTokens = Math.max(minSharedTokens, availableTokens - overhead);
  return {
    prefix: Math.floor(sharedTokens * ratios.prefix),
    suffix: Math.floor(sharedTokens * ratios.suffix),
    context: Math.floor(sharedTokens * ratios.context),
    answer,
  };
}

/**
 * Returns the end of `prefix`, at most `maxLength` characters. Starts at a line whose number is a multiple of 16 if
 * possible, so that the start stays the same while the user types and the service can reuse its prompt cache.
 * Otherwise starts at any line, or within a line that alone is too long.
 * @param line number of the last line, zero-based
 */
export function trimPrefix(prefix: string, maxLength: number, line: number): string {
  const minStart = prefix.length - maxLength;
  if (minStart <= 0) return prefix;
  const starts = lineStartsFrom(prefix, minStart);
  const gridIndex = starts.findIndex((_, index) => isOnGrid(line - (starts.length - 1 - index)));
  // Does not use a line near the end, which would omit too much text.
  const [first, aligned] = [starts[0], starts[gridIndex]];
  if (aligned !== undefined && prefix.length - aligned >= maxLength / 2)
    return prefix.slice(aligned);
  return prefix.slice(first ?? skipSplitPair(prefix, minStart));
}

/**
 * Returns the start of `suffix`, at most `maxLength` characters: whole lines, or a part of the first line when it
 * alone is too long.
 */
export function trimSuffix(suffix: string, maxLength: number): string {
  if (suffix.length <= maxLength) return suffix;
  // Includes the line end, because an empty suffix would look like the end of the document.
  const end = maxLength <= 0 ? 0 : suffix.lastIndexOf('\n', maxLength - 1) + 1;
  return suffix.slice(0, end > 0 ? end : backUpSplitPair(suffix, maxLength));
}

const isOnGrid = (line: number): boolean => line % 16 === 0;

/** Returns the offsets of line starts from `from` on, ascending. */
function lineStartsFrom(text: string, from: number): number[] {
  const starts: number[] = [];
  for (
    let index = text.indexOf('\n', Math.max(0, from - 1));
    index >= 0;
    index = text.indexOf('\n', index + 1)
  ) {
    starts.push(index + 1);
  }
  return starts;
}

const skipSplitPair = (text: string, index: number): number =>
  splitsPair(text, index) ? index + 1 : index;
const backUpSplitPair = (text: string, index: number): number =>
  splitsPair(text, Math.max(0, index)) ? index - 1 : Math.max(0, index);

/** Checks whether an offset splits a surrogate pair. */
const splitsPair = (text: string, index: number): boolean =>
  index > 0 &&
  (text.charCodeAt(index - 1) & 0xfc00) === 0xd800 &&
  (text.charCodeAt(index) & 0xfc00) === 0xdc00;

/**
 * Estimates the characters per token: 3.2 for code in Latin letters, 1.2 for other scripts. Samples at most about a
 * thousand characters.
 */
export function charactersPerToken(text: string): number {
  // Uses an odd step, because an even step could skip one script of a text with alternating
  // scripts.
  const step = Math.floor(text.length / 512) | 1;
  let [sampledCount, wideCount] = [0, 0];
  for (let index = 0; index < text.length; index += step) {
    sampledCount += 1;
    if (text.charCodeAt(index) > lastLatinCodeUnit) wideCount += 1;
  }
  const wideRatio = sampledCount === 0 ? 0 : wideCount / sampledCount;
  return 1 / ((1 - wideRatio) / 3.2 + wideRatio / 1.2);
}

/** Estimates the number of tokens in a text. */
export const estimateTokens = (text: string): number =>
  Math.ceil(text.length / charactersPerToken(text));

const lastLatinCodeUnit = 0x2ff;
